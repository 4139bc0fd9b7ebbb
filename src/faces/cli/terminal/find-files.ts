/** Files and folders by a few letters of their path. Folders end with a slash. */

import { resolve } from "node:path"
import { type Clock, systemClock } from "#lib/clock.ts"
import { entriesIn, linkStatsOf } from "#lib/quietly.ts"
import { type ListParts, otherFiles, trackedFiles, walkedFiles } from "./list-files.ts"
import { type FileMatcher, openFileMatcher } from "./match-files.ts"

const mostSuggested = 15
const mostEntries = 50

export interface FinderParts extends ListParts {
  readonly home: string
  /** A user's command that answers instead. */
  readonly command?: string | undefined
}

type Find = (words: string, signal: AbortSignal) => Promise<readonly string[]>

/**
 * Lists the files on first use, and again when a new mention starts. A path that starts with `/`, `~` or `..` is
 * completed folder by folder instead.
 */
export function openFileFinder(parts: FinderParts, clock: Pick<Clock, "now"> = systemClock): Find {
  const { command, folder } = parts
  if (command !== undefined) return (words, signal) => suggested(command, words, parts, signal)
  let known: KnownFiles | undefined
  let listing: Promise<FileMatcher> | undefined
  /** The first list made by walking, once git's list has named a file that is gone: it is not asked again. */
  let walked: Promise<FileMatcher> | undefined
  /** Once in each mention: whoever types letters that nothing has does not list all files with each of them. */
  let mayLookAgain = true

  const isThere = (path: string): boolean => linkStatsOf(resolve(folder, path)) !== undefined

  /** Git's list is there at once, and stands for all files until what it lacks is known. */
  async function list(): Promise<FileMatcher> {
    const tracked = walked ? undefined : trackedFiles(parts)
    if (tracked === undefined) return openFileMatcher(topFirst(await walkedFiles(parts)))
    const files = openFileMatcher(topFirst(tracked))
    known ??= { files, tookMs: Number.POSITIVE_INFINITY, begun: clock.now(), at: clock.now() }
    const others = await otherFiles(parts)
    if (others === "") return files
    return openFileMatcher(topFirst(others === undefined ? await walkedFiles(parts) : tracked + others))
  }

  async function listAgain(): Promise<FileMatcher> {
    const begun = clock.now()
    try {
      const files = await list()
      const now = clock.now()
      known = { files, tookMs: now - begun, begun, at: now }
      return files
    } finally {
      listing = undefined
    }
  }

  async function found(files: FileMatcher, words: string): Promise<readonly string[]> {
    const paths = await files.find(words)
    const left = paths.filter(isThere)
    if (left.length === paths.length) return left
    walked ??= (listing ?? Promise.resolve()).catch(() => {}).then(() => (listing ??= listAgain()))
    // Whoever waits for it hears of its failure.
    walked.catch(() => {})
    return left.length > 0 ? left : (await (await walked).find(words)).filter(isThere)
  }

  return async (words, signal) => {
    if (/^(?:\/|~|\.\.)/.test(words)) return entriesAt(words, folder, parts.home)
    const asked = clock.now()
    if (words === "") mayLookAgain = true
    // The next letter gives up this search, but not the list, which it needs as well.
    if (!known || isOld(known, words, clock.now())) listing ??= listAgain()
    // Perhaps nobody waits for it and hears of its failure.
    listing?.catch(() => {})
    // Before anything is typed, and where a list takes long, what was there a moment ago is shown at once.
    const isEnough = words === "" || (known?.tookMs ?? 0) > quickMs
    const quick = isEnough && known ? await found(known.files, words) : []
    if (quick.length > 0 || signal.aborted) return quick
    // A new file is in the list that is being made.
    const files = (await listing) ?? known?.files
    if (signal.aborted || !files) return []
    const paths = await found(files, words)
    return paths.length === 0 && isWorthAnother(asked) ? found(await (listing ??= listAgain()), words) : paths
  }

  /** Whether a file that is newer than the list may be what is looked for. */
  function isWorthAnother(asked: number): boolean {
    if (!known || known.begun > asked || known.tookMs > quickMs) return false
    const is = mayLookAgain || clock.now() - known.at > known.tookMs * timesAsLong
    mayLookAgain = false
    return is
  }
}

interface KnownFiles {
  readonly files: FileMatcher
  readonly tookMs: number
  readonly begun: number
  readonly at: number
}

const quickMs = 200
/** Listing a huge tree again and again would keep a processor busy: at most a tenth of the time is spent on it. */
const timesAsLong = 10
/** A client may never ask without letters. */
const oldMs = 5_000

function isOld({ at, tookMs }: KnownFiles, words: string, now: number): boolean {
  const isNewMention = words === ""
  if (isNewMention && (tookMs <= quickMs || tookMs === Number.POSITIVE_INFINITY)) return true
  return now - at > Math.max(tookMs * timesAsLong, isNewMention ? 0 : oldMs)
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
    ...topFiles.toSorted(),
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
