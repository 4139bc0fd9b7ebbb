/** Files of the project by a few letters of their path. */

import { ripgrepPath } from "#ground/bundled/ripgrep.ts"
import { type FileMatcher, openFileMatcher } from "./match-files.ts"

const mostFiles = 200_000
const mostSuggested = 15

export interface FinderParts {
  readonly folder: string
  readonly cacheFolder: string
  /** `all`: files that .gitignore names are found too. */
  readonly ignored: "hidden" | "all"
  /** A command of the person's own that answers instead. */
  readonly command?: string | undefined
  readonly env: () => { readonly [name: string]: string }
}

type Find = (words: string, signal: AbortSignal) => Promise<readonly string[]>

/** A finder for a folder. The files are listed when the first one is looked for, and again when a new mention begins. */
export function openFileFinder(parts: FinderParts): Find {
  const { command } = parts
  if (command !== undefined) return (words, signal) => suggested(command, words, parts, signal)
  let listed: Promise<FileMatcher> | undefined

  return async (words, signal) => {
    if (words === "") listed = undefined
    // The next letter gives up this search, but not the list, which it needs as well.
    listed ??= list(parts).then(openFileMatcher)
    const files = await listed
    return signal.aborted ? [] : files.find(words)
  }
}

async function list({ folder, cacheFolder, ignored }: FinderParts): Promise<readonly string[]> {
  const rg = await ripgrepPath(cacheFolder)
  const all = ignored === "all" ? ["--no-ignore"] : []
  const child = Bun.spawn([rg, "--files", "--hidden", ...all, "--glob", "!.git", "--sort", "path"], {
    cwd: folder,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
  })
  const text = await child.stdout.text()
  return text.split("\n", mostFiles).filter((path) => path !== "")
}

/** One path a line; a command that fails suggests nothing. */
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

/** The command in the setting `fileSuggestion`, where it has one. */
export const suggestionCommand = (setting: { readonly [key: string]: unknown } | undefined): string | undefined =>
  setting?.type === "command" && typeof setting.command === "string" && setting.command.trim() !== ""
    ? setting.command
    : undefined
