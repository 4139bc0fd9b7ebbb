/** Counts the files at and below paths, without following links, and gives up if it would take too long. */

import type { Dirent } from "node:fs"
import { lstat, readdir } from "node:fs/promises"
import { join } from "node:path"
import type { Clock } from "#lib/clock.ts"

/** `more` when there are at least that many. */
export interface Count {
  readonly count: number
  readonly more: boolean
}

export const mostCounted = 10_000
const longestMs = 50

/** Undefined when the signal aborts. What cannot be read counts as one. */
export async function countFiles(
  paths: readonly string[],
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Count | undefined> {
  const start = clock.now()
  const folders: string[] = []
  let count = 0
  for (const path of new Set(paths)) {
    const kind = await kindOf(path)
    if (kind === "folder") folders.push(path)
    else if (kind === "file") count++
  }
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    if (signal.aborted) return undefined
    if (clock.now() - start > longestMs) return { count, more: true }
    for (const entry of await entriesOf(folder)) {
      if (entry.isDirectory()) folders.push(join(folder, entry.name))
      else if (count++ >= mostCounted) return { count: mostCounted, more: true }
    }
  }
  return { count, more: false }
}

async function kindOf(path: string): Promise<"folder" | "file" | "nothing"> {
  try {
    return (await lstat(path)).isDirectory() ? "folder" : "file"
  } catch {
    return "nothing"
  }
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
