/** Removes a folder and everything in it, even while something else removes a part of it. */

import { existsSync, rmSync } from "node:fs"

/** The runtime's own removal stops, without an error, at the first entry that vanishes under it. */
const tries = 10

export function removeFolder(path: string): void {
  for (let i = 0; i < tries; i += 1) {
    rmSync(path, { recursive: true, force: true })
    if (!existsSync(path)) return
  }
}
