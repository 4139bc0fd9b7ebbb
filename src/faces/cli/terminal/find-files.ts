/** Files and folders by a few letters of their path. Folders end with a slash. */

import { type Dirent, readdirSync } from "node:fs"
import { join, resolve } from "node:path"
import { ripgrepPath } from "#ground/bundled/ripgrep.ts"
import { withoutPseudo } from "#ground/workspace/search/pseudo-folders.ts"
import { type FileMatcher, openFileMatcher } from "./match-files.ts"

const mostFiles = 200_000
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
export function openFileFinder(parts: FinderParts): Find {
  const { command } = parts
  if (command !== undefined) return (words, signal) => suggested(command, words, parts, signal)
  let listed: Promise<FileMatcher> | undefined

  return async (words, signal) => {
    if (/^(?:\/|~|\.\.)/.test(words)) return entriesAt(words, parts.folder, parts.home)
    if (words === "") listed = undefined
    // The next letter gives up this search, but not the list, which it needs as well.
    listed ??= listAll(parts).then((paths) => openFileMatcher(topFirst([...foldersOf(paths), ...paths])))
    const files = await listed
    return signal.aborted ? [] : files.find(words)
  }
}

async function listAll(parts: FinderParts): Promise<readonly string[]> {
  const { folder, added } = parts
  const [own = [], ...others] = await Promise.all([folder, ...added].map((root) => list(root, parts)))
  return [...own, ...others.flatMap((paths, i) => paths.map((path) => join(added[i] ?? "", path)))]
}

/** Shown before anything is typed. */
function topFirst(paths: readonly string[]): readonly string[] {
  const isTop = (path: string): boolean => !path.slice(0, -1).includes("/")
  return [...paths.filter(isTop), ...paths.filter((path) => !isTop(path))]
}

function foldersOf(paths: readonly string[]): readonly string[] {
  const folders = new Set<string>()
  for (const path of paths)
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      const folder = path.slice(0, at + 1)
      if (folders.has(folder)) break
      folders.add(folder)
    }
  return [...folders].toSorted()
}

function entriesAt(words: string, cwd: string, home: string): readonly string[] {
  const cut = words.lastIndexOf("/") + 1
  const [parent, begun] = cut === 0 ? [`${words}/`, ""] : [words.slice(0, cut), words.slice(cut)]
  const entries = entriesOf(resolve(cwd, parent.replace(/^~(?=\/)/, home)))
  return entries
    .filter(({ name }) => name.toLowerCase().startsWith(begun.toLowerCase()))
    .filter(({ name }) => begun.startsWith(".") || !name.startsWith("."))
    .map((entry) => `${parent}${entry.name}${entry.isDirectory() ? "/" : ""}`)
    .toSorted()
    .slice(0, mostEntries)
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

async function list(folder: string, { cacheFolder, ignored }: FinderParts): Promise<readonly string[]> {
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
  return text.split("\n", mostFiles).filter((path) => path !== "")
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
