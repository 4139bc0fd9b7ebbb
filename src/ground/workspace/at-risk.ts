/** Counts what a command would destroy, shortly before the user is asked about it. Changes nothing. */

import { basename, dirname, join, resolve } from "node:path"
import type { Clock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import type { AskGit } from "./git/ask-git.ts"
import { type Count, countFiles, mostCounted } from "./search/count-files.ts"
import type { Segment } from "./shell/analysis.ts"

/** The part of a command that destroys: its words, and where it runs. */
export type Destroyer = Pick<Segment, "argv" | "inexact" | "cwd" | "destructive">

export interface AtRisk extends Count {
  /** Absent if unknown. */
  readonly undo?: "rewind" | "never"
}

/** Undefined when it cannot be counted. Never fails, never takes long. */
export type CountAtRisk = (part: Destroyer, signal: AbortSignal) => Promise<AtRisk | undefined>

export interface AtRiskParts {
  readonly git: AskGit
  readonly clock: Clock
  /** Whether snapshots contain everything at these paths. */
  readonly keeps?: (paths: readonly string[], signal: AbortSignal) => Promise<AtRisk["undo"]>
}

/** A count, and what was counted if that is known. */
interface Listed extends Count {
  readonly paths?: readonly string[]
}

export function openCountAtRisk({ git, clock, keeps }: AtRiskParts): CountAtRisk {
  return async (part, signal) => {
    const listed = await listedIn(part, signal)
    if (!listed) return undefined
    const { paths, ...count } = listed
    const isStash = part.destructive?.loses === "stashes"
    const undo = isStash ? "never" : paths && !count.more ? await keeps?.(paths, signal) : undefined
    return count.count === 0 ? count : { ...count, ...optional("undo", undo) }
  }

  async function listedIn(part: Destroyer, signal: AbortSignal): Promise<Listed | undefined> {
    const { argv, inexact, cwd, destructive } = part
    if (cwd === undefined || !destructive?.loses) return undefined
    const words = argv.slice(1)
    // Options before the subcommand may lead git to another repository.
    if (destructive.loses !== "files" && words[0]?.startsWith("-")) return undefined
    switch (destructive.loses) {
      case "files": {
        const paths = named(words, inexact, cwd)
        const count = paths && (await countFiles(paths, { clock, signal }))
        // Changed permissions, unlike removals, are not known to be in a snapshot.
        return count && { ...count, ...(removes(argv) && { paths }) }
      }
      case "tracked":
        return lines(["ls-files", "-z", "--", ...pathspecs(words)], cwd, signal)
      case "untracked":
        return untracked(words, cwd, signal)
      case "changes":
        return changes(["status", "--porcelain", "-z", "--no-renames", "-uno", "--", ...pathspecs(words)], cwd, signal)
      case "stashes":
        return words.includes("clear")
          ? lines(["stash", "list", "-z", "--format=%H"], cwd, signal)
          : lines(["stash", "show", "--name-only", "-z", ...words.slice(2).filter(isStash)], cwd, signal)
      case "commits": {
        const branches = words.slice(1).filter((word) => /^[\w][\w./-]*$/.test(word))
        const found =
          branches.length > 0 &&
          (await lines(["rev-list", ...branches, "--not", ...othersThan(branches)], cwd, signal, "\n"))
        return found ? { count: found.count, more: found.more } : undefined
      }
    }
  }

  async function lines(
    argv: readonly string[],
    cwd: string,
    signal: AbortSignal,
    end: "\0" | "\n" = "\0",
  ): Promise<Listed | undefined> {
    const out = await git(argv, cwd, signal)
    if (!out) return undefined
    const names = out.text.split(end).slice(0, -1)
    return { ...bounded(names.length, out.cut), paths: names.map((name) => resolve(cwd, name)) }
  }

  /** Git names them from the root of the repository, after two letters and a space. */
  async function changes(argv: readonly string[], cwd: string, signal: AbortSignal): Promise<Listed | undefined> {
    const [found, top] = await Promise.all([git(argv, cwd, signal), git(["rev-parse", "--show-toplevel"], cwd, signal)])
    if (!found) return undefined
    const names = found.text.split("\0").slice(0, -1)
    const root = top?.text.trimEnd()
    const paths = root === undefined ? undefined : names.map((name) => resolve(root, name.slice(3)))
    return { ...bounded(names.length, found.cut), ...optional("paths", paths) }
  }

  /** What `git clean` would remove: without -d nothing in untracked folders, with -x also ignored files. */
  async function untracked(words: readonly string[], cwd: string, signal: AbortSignal): Promise<Listed | undefined> {
    const has = (letter: string): boolean => words.some((word) => new RegExp(`^-[A-Za-z]*${letter}`).test(word))
    const which = has("X") ? ["--ignored", "--exclude-standard"] : has("x") ? [] : ["--exclude-standard"]
    const folders = has("d") ? [] : ["--directory"]
    const out = await git(["ls-files", "--others", "-z", ...which, ...folders, "--", ...pathspecs(words)], cwd, signal)
    if (!out) return undefined
    const names = out.text.split("\0").filter((name) => name !== "" && !(folders.length > 0 && name.endsWith("/")))
    return { ...bounded(names.length, out.cut), paths: names.map((name) => resolve(cwd, name)) }
  }
}

const removes = ([name = ""]: readonly string[]): boolean => /^(?:rm|shred|srm|wipe)$/.test(basename(name))

function bounded(count: number, cut: boolean): Count {
  return count > mostCounted ? { count: mostCounted, more: true } : { count, more: cut }
}

const isStash = (word: string): boolean => /^(?:stash@\{\d+\}|\d+)$/.test(word)

const othersThan = (branches: readonly string[]): readonly string[] => [
  ...branches.map((branch) => `--exclude=${branch}`),
  "--branches",
  "--remotes",
  "--tags",
]

/** The paths a git command names; none means all of them. Options that take a value keep it. */
function pathspecs([subcommand = "", ...words]: readonly string[]): readonly string[] {
  const end = words.indexOf("--")
  if (end !== -1) return words.slice(end + 1)
  const operands = words.filter(
    (word, i) => !word.startsWith("-") && !/^(?:-s|--source|-e|--exclude)$/.test(words[i - 1] ?? ""),
  )
  switch (subcommand) {
    case "restore":
    case "clean":
    case "rm":
      return operands
    case "checkout":
      // Other words may be branches.
      return operands.filter((word) => /^(?:\.|:)/.test(word))
    default:
      return []
  }
}

/** The paths that words name, with patterns expanded; undefined when a word is not known. */
function named(words: readonly string[], inexact: Destroyer["inexact"], cwd: string): readonly string[] | undefined {
  const paths: string[] = []
  let ended = false
  for (const [i, word] of words.entries()) {
    if (!ended && word === "--") ended = true
    else if (!ended && word.startsWith("-")) continue
    else if (!inexact.includes(i + 1)) paths.push(resolve(cwd, word))
    else {
      const found = /[$`{…]/.test(word) ? undefined : matches(resolve(cwd, word))
      if (!found) return undefined
      paths.push(...found)
    }
  }
  return paths
}

/** Expands a pattern in the last path component; patterns elsewhere are not followed. */
function matches(path: string): readonly string[] | undefined {
  const folder = dirname(path)
  if (/[*?[]/.test(folder)) return undefined
  try {
    const found: string[] = []
    for (const name of new Bun.Glob(basename(path)).scanSync({ cwd: folder, onlyFiles: false })) {
      found.push(join(folder, name))
      if (found.length > mostCounted) break
    }
    return found
  } catch {
    return undefined
  }
}
