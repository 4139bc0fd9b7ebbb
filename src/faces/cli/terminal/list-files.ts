/** The files of a project, one path a line, each ended by a line break: from git's own list where it is long, otherwise by walking. */

import { existsSync } from "node:fs"
import { join } from "node:path"
import { ripgrepPath } from "#ground/bundled/ripgrep.ts"
import { disk } from "#ground/workspace/disk.ts"
import { gitFile } from "#ground/workspace/git/ask-git.ts"
import { trackedPaths } from "#ground/workspace/git/tracked-paths.ts"
import { withoutPseudo } from "#ground/workspace/search/pseudo-folders.ts"
import { repositoryRunsPrograms } from "#ground/workspace/shell/programs/repository.ts"
import { readOnlyEnvironment } from "#ground/workspace/shell/read-only-environment.ts"
import { linkStatsOf } from "#lib/quietly.ts"

export interface ListParts {
  readonly folder: string
  readonly cacheFolder: string
  /** Other folders, whose files are listed with whole paths. */
  readonly added: readonly string[]
  /** `all`: includes files that .gitignore excludes. */
  readonly ignored: "hidden" | "all"
  readonly env: () => { readonly [name: string]: string }
}

/** With so many bytes, git has about 10,000 files; fewer are listed faster than anybody types. */
const leastIndex = 1_000_000
/** Some hundred characters for each of half a million files. */
const mostCharacters = 64_000_000

/** What git tracks: there at once, but some of it may be deleted. Undefined where walking would list something else. */
export function trackedFiles({ folder, ignored }: ListParts): string | undefined {
  if (ignored === "all" || existsSync(join(folder, ".gitmodules"))) return undefined
  const paths = trackedPaths(folder, leastIndex)
  return paths === undefined || hasOtherRules(paths) ? undefined : paths
}

/** What git's list lacks: new files, and those in added folders. Undefined where git cannot tell. */
export async function otherFiles(parts: ListParts): Promise<string | undefined> {
  const [own, added] = await Promise.all([untracked(parts), inAdded(parts)])
  return own === undefined || hasOtherRules(own) ? undefined : own + added
}

/** By looking into every folder, in the order of paths. */
export async function walkedFiles(parts: ListParts): Promise<string> {
  const [own, added] = await Promise.all([walk(parts.folder, parts), inAdded(parts)])
  return own + added
}

/** Files with patterns that ripgrep follows and git does not know. */
const hasOtherRules = (paths: string): boolean =>
  [".ignore\n", ".rgignore\n"].some(
    (name) => paths.startsWith(name) || ["\n", "/"].some((c) => paths.includes(c + name)),
  )

async function inAdded(parts: ListParts): Promise<string> {
  const lists = await Promise.all(parts.added.map((root) => walk(root, parts)))
  return lists.map((paths, i) => below(join(parts.added[i] ?? "", "/"), paths)).join("")
}

const below = (folder: string, paths: string): string => paths.replace(/^(?=.)/gm, () => folder)

async function untracked(parts: ListParts): Promise<string | undefined> {
  const { folder, env } = parts
  const file = gitFile()
  if (file === undefined || repositoryRunsPrograms(folder, disk)) return undefined
  const child = Bun.spawn([file, "ls-files", "--others", "--exclude-standard", "-z"], {
    cwd: folder,
    env: readOnlyEnvironment(env()),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
  })
  const [text, code] = await Promise.all([child.stdout.text(), child.exited])
  if (code !== 0) return undefined
  const paths = text.slice(0, mostCharacters).split("\0").slice(0, -1)
  const files = paths.filter((path) => !path.endsWith("/") && !path.includes("\n") && isFile(join(folder, path)))
  // A repository of its own is listed as a folder.
  const inner = await Promise.all(
    paths.filter((path) => path.endsWith("/")).map(async (path) => below(path, await walk(join(folder, path), parts))),
  )
  return files.map((path) => `${path}\n`).join("") + inner.join("")
}

const isFile = (path: string): boolean => linkStatsOf(path)?.isFile() === true

/** What is left of a path with a line break in it is no path. */
async function walk(folder: string, { cacheFolder, ignored }: ListParts): Promise<string> {
  const rg = await ripgrepPath(cacheFolder)
  const all = ignored === "all" ? ["--no-ignore"] : []
  const child = Bun.spawn(
    [rg, "--files", "--hidden", ...all, "--glob", "!.git", ...withoutPseudo(folder), "--sort", "path"],
    { cwd: folder, stdin: "ignore", stdout: "pipe", stderr: "ignore" },
  )
  const text = await child.stdout.text()
  return text.length <= mostCharacters ? text : text.slice(0, text.lastIndexOf("\n", mostCharacters) + 1)
}
