/** Whether a scan around each command would cost too much: counted without looking at files, and only as far as needed. */

import { closeSync, openSync, readdirSync, readSync } from "node:fs"
import { join } from "node:path"

export function holdsMoreThan(most: number, roots: readonly string[]): boolean {
  let left = most
  const folders = [...roots]
  if (roots.some((root) => trackedIn(root) > most)) return true
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of entriesOf(folder)) {
      if (entry.name === ".git") continue
      if (--left < 0) return true
      if (entry.isDirectory()) folders.push(join(folder, entry.name))
    }
  }
  return false
}

/** What git's index says in its first bytes: its name, its version, and how many files it has. */
function trackedIn(root: string): number {
  let file: number | undefined
  try {
    file = openSync(join(root, ".git/index"), "r")
    const head = Buffer.alloc(12)
    return readSync(file, head) === 12 && head.toString("latin1", 0, 4) === "DIRC" ? head.readUInt32BE(8) : 0
  } catch {
    return 0
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
