/** Files and folders by a few letters of their path. Folders end with a slash. */

import { join, resolve } from "node:path"
import { ripgrepPath } from "#ground/bundled/ripgrep.ts"
import { trackedPaths } from "#ground/workspace/git/tracked-paths.ts"
import { withoutPseudo } from "#ground/workspace/search/pseudo-folders.ts"
import { type Clock, systemClock } from "#lib/clock.ts"
import { type FileMatcher, openFileMatcher } from "./match-files.ts"
import { entriesIn } from "#lib/quietly.ts"

/** Some hundred characters for each of half a million files. */
const mostCharacters = 64_000_000
const mostSuggested = 15
const mostEntries = 50

export interface FinderParts {
  readonly folder: string
  readonly cacheFolder: string
  readonly home: string
  readonly added: readonly string[]
  /** `all`: includes files that .gitignore excludes. */
  readonly ignored: "hidden" | "all"
  /** A user's command that answers instead. */
  readonly command?: string | undefined
  readonly env: () => { readonly [name: string]: string }
}

type Find = (words: string, signal: AbortSignal) => Promise<readonly string[]>

/**
 * Lists the files on first use, and again when a new mention starts. A path that starts with `/`, `~` or `..` is
 * completed folder by folder instead.
 */
export function openFileFinder(parts: FinderParts, clock: Pick<Clock, "now"> = systemClock): Find {
  const { command } = parts
  if (command !== undefined) return (words, signal) => suggested(command, words, parts, signal)
  let known: KnownFiles | undefined
  let listing: Promise<FileMatcher> | undefined

  async function listAgain(): Promise<FileMatcher> {
    const startedAt = clock.now()
    try {
      const files = openFileMatcher(topFirst(await listAll(parts)))
      const now = clock.now()
      known = { files, tookMs: now - startedAt, at: now }
      return files
    } finally {
      listing = undefined
    }
  }

  /** In a large repository git's list is there at once; what it lacks follows when all folders have been looked into. */
  function tracked(): FileMatcher | undefined {
    const paths = trackedPaths(parts.folder, leastIndex)
    if (paths === undefined) return undefined
    const files = openFileMatcher(topFirst(paths))
    known ??= { files, tookMs: Number.POSITIVE_INFINITY, at: clock.now() }
    return files
  }

  return async (words, signal) => {
    if (/^(?:\/|~|\.\.)/.test(words)) return entriesAt(words, parts.folder, parts.home)
    // The next letter gives up this search, but not the list, which it needs as well.
    if (!known || (words === "" && isOld(known, clock.now()))) listing ??= listAgain()
    // Whoever waits for it hears of its failure; perhaps nobody does.
    listing?.catch(() => {})
    // Before anything is typed, and where a list takes long, what was there a moment ago is shown at once.
    const isEnough = words === "" || (known?.tookMs ?? 0) > quickMs
    const files = (isEnough ? (known?.files ?? tracked()) : undefined) ?? (await listing) ?? known?.files
    return signal.aborted || !files ? [] : files.find(words)
  }
}

interface KnownFiles {
  readonly files: FileMatcher
  readonly tookMs: number
  readonly at: number
}

/** With so many bytes, git has about 10,000 files; fewer are listed faster than anybody types. */
const leastIndex = 1_000_000
const quickMs = 200
/** Listing a huge tree again and again would keep a processor busy: at most a tenth of the time is spent on it. */
const timesAsLong = 10

const isOld = ({ at, tookMs }: KnownFiles, now: number): boolean =>
  tookMs <= quickMs || tookMs === Number.POSITIVE_INFINITY || now - at > tookMs * timesAsLong

/** One path a line, each ended by a line break. */
async function listAll(parts: FinderParts): Promise<string> {
  const { folder, added } = parts
  const [own = "", ...others] = await Promise.all([folder, ...added].map((root) => list(root, parts)))
  return own + others.map((paths, i) => paths.replace(/^(?=.)/gm, `${join(added[i] ?? "", "/")}`)).join("")
}

/** With folders: first what is at the top, which is shown before anything is typed, then all other folders, then files. */
function topFirst(paths: string): string {
  const folders = new Set<string>()
  const topFiles: string[] = []
  const others: string[] = []
  let last = ""
  let from = 0
  for (let start = 0, end = paths.indexOf("\n"); end !== -1; start = end + 1, end = paths.indexOf("\n", start)) {
    const length = paths.slice(start, end).lastIndexOf("/") + 1
    if (length === 0) {
      topFiles.push(paths.slice(start, end + 1))
      others.push(paths.slice(from, start))
      from = end + 1
    } else if (length !== last.length || !paths.startsWith(last, start)) {
      last = paths.slice(start, start + length)
      addWithParents(last, folders)
    }
  }
  const sorted = [...folders].toSorted()
  const isTop = (folder: string): boolean => folder.indexOf("/") === folder.length - 1
  const asLines = (listed: readonly string[]): string => listed.map((folder) => `${folder}\n`).join("")
  return [
    asLines(sorted.filter(isTop)),
    ...topFiles,
    asLines(sorted.filter((folder) => !isTop(folder))),
    ...others,
    paths.slice(from),
  ].join("")
}

function addWithParents(folder: string, folders: Set<string>): void {
  for (let at = folder.length - 1; at > 0; at = folder.lastIndexOf("/", at - 1)) {
    const parent = folder.slice(0, at + 1)
    if (folders.has(parent)) return
    folders.add(parent)
  }
}

function entriesAt(words: string, cwd: string, home: string): readonly string[] {
  const cut = words.lastIndexOf("/") + 1
  const [parent, begun] = cut === 0 ? [`${words}/`, ""] : [words.slice(0, cut), words.slice(cut)]
  const entries = entriesIn(resolve(cwd, parent.replace(/^~(?=\/)/, home)))
  return entries
    .filter(({ name }) => name.toLowerCase().startsWith(begun.toLowerCase()))
    .filter(({ name }) => begun.startsWith(".") || !name.startsWith("."))
    .map((entry) => `${parent}${entry.name}${entry.isDirectory() ? "/" : ""}`)
    .toSorted()
    .slice(0, mostEntries)
}

/** In the order of paths. What is left of a path with a line break in it is no path. */
async function list(folder: string, { cacheFolder, ignored }: FinderParts): Promise<string> {
  const rg = await ripgrepPath(cacheFolder)
  const all = ignored === "all" ? ["--no-ignore"] : []
  const child = Bun.spawn(
    [rg, "--files", "--hidden", ...all, "--glob", "!.git", ...withoutPseudo(folder), "--sort", "path"],
    {
      cwd: folder,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
    },
  )
  const text = await child.stdout.text()
  return text.length <= mostCharacters ? text : text.slice(0, text.lastIndexOf("\n", mostCharacters) + 1)
}

/** One path per line; a command that fails suggests nothing. */
async function suggested(
  command: string,
  query: string,
  { folder, env }: FinderParts,
  signal: AbortSignal,
): Promise<readonly string[]> {
  try {
    const child = Bun.spawn(["sh", "-c", command], {
      cwd: folder,
      env: { ...env(), CLAUDE_PROJECT_DIR: folder },
      stdin: new TextEncoder().encode(JSON.stringify({ query })),
      stdout: "pipe",
      stderr: "ignore",
      signal,
    })
    const text = await child.stdout.text()
    return text
      .split("\n")
      .map((line) => line.trim())
      .filter((path) => path !== "")
      .slice(0, mostSuggested)
  } catch {
    return []
  }
}

export const suggestionCommand = (setting: { readonly [key: string]: unknown } | undefined): string | undefined =>
  setting?.type === "command" && typeof setting.command === "string" && setting.command.trim() !== ""
    ? setting.command
    : undefined
