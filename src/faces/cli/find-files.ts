/** Files of the project by a few letters of their path. */

import { ripgrepPath } from "#ground/bundled/ripgrep.ts"

const mostFiles = 200_000
const mostFound = 20

/** A finder for a folder. The files are listed when the first one is looked for, and again when a new mention begins. */
export function openFileFinder(
  folder: string,
  cacheFolder: string,
): (words: string, signal: AbortSignal) => Promise<readonly string[]> {
  let listed: Promise<readonly string[]> | undefined

  return async (words, signal) => {
    if (words === "") listed = undefined
    listed ??= list(folder, cacheFolder, signal)
    const files = await listed
    if (words === "" || signal.aborted) return files.slice(0, mostFound)
    const { Fzf } = await import("fzf")
    return new Fzf(files, { limit: mostFound }).find(words).map(({ item }) => item)
  }
}

async function list(folder: string, cacheFolder: string, signal: AbortSignal): Promise<readonly string[]> {
  const rg = await ripgrepPath({ cacheFolder, pid: process.pid })
  const child = Bun.spawn([rg, "--files", "--hidden", "--glob", "!.git", "--sort", "path"], {
    cwd: folder,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
    signal,
  })
  const text = await child.stdout.text()
  return text.split("\n", mostFiles).filter((path) => path !== "")
}
