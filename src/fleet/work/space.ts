/** Whether a worker has space for sessions, and what it says when it has not. */

import { existsSync, statfsSync } from "node:fs"
import { dirname } from "node:path"

/** The logs of sessions are small, but other things share the disk. */
const leastFreeBytes = 64 * 1024 * 1024

export interface Space {
  /** Whoever cannot write takes nothing: others may have space. */
  readonly isLeft: () => boolean
  /** Says it once, until all is well again. */
  readonly warn: (text: string) => void
  readonly isWell: () => void
}

/** Some of the folders may not have been made yet. */
export function openSpace(folders: readonly string[], report: (text: string) => void): Space {
  const warned = new Set<string>()
  function warn(text: string): void {
    if (!warned.has(text)) report(text)
    warned.add(text)
  }
  return {
    warn,
    isWell: () => warned.clear(),
    isLeft() {
      const full = [...new Set(folders)].filter((folder) => freeBytes(folder) < leastFreeBytes)
      for (const folder of full)
        warn(
          `The disk of ${folder} is full, so this worker takes no sessions. Free some space; it then continues by itself.`,
        )
      return full.length === 0
    },
  }
}

function freeBytes(folder: string): number {
  if (!existsSync(folder)) return freeBytes(dirname(folder))
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}
