/** Files of the project by a few letters of their path. */

import { ripgrepPath } from "#ground/bundled/ripgrep.ts"
import { type FileMatcher, openFileMatcher } from "./match-files.ts"

const mostFiles = 200_000

/** A finder for a folder. The files are listed when the first one is looked for, and again when a new mention begins. */
export function openFileFinder(
  folder: string,
  cacheFolder: string,
): (words: string, signal: AbortSignal) => Promise<readonly string[]> {
  let listed: Promise<FileMatcher> | undefined

  return async (words, signal) => {
    if (words === "") listed = undefined
    // The next letter gives up this search, but not the list, which it needs as well.
    listed ??= list(folder, cacheFolder).then(openFileMatcher)
    const files = await listed
    return signal.aborted ? [] : files.find(words)
  }
}

async function list(folder: string, cacheFolder: string): Promise<readonly string[]> {
  const rg = await ripgrepPath(cacheFolder)
  const child = Bun.spawn([rg, "--files", "--hidden", "--glob", "!.git", "--sort", "path"], {
    cwd: folder,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
  })
  const text = await child.stdout.text()
  return text.split("\n", mostFiles).filter((path) => path !== "")
}
