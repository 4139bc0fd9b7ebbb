/** Whether a worker has space for sessions, and what it says when it has not. */

import { statfsSync } from "node:fs"

/** The logs of sessions are small, but other things share the disk. */
const leastFreeBytes = 64 * 1024 * 1024

export interface Space {
  /** Whoever cannot write takes nothing: others may have space. */
  readonly isLeft: () => boolean
  /** Says it once, until all is well again. */
  readonly warn: (text: string) => void
  readonly isWell: () => void
}

export function openSpace(folder: string, report: (text: string) => void): Space {
  const warned = new Set<string>()
  function warn(text: string): void {
    if (!warned.has(text)) report(text)
    warned.add(text)
  }
  return {
    warn,
    isWell: () => warned.clear(),
    isLeft() {
      const { bavail, bsize } = statfsSync(folder)
      if (bavail * bsize >= leastFreeBytes) return true
      warn(
        `The disk of ${folder} is full, so this worker takes no sessions. Free some space; it then continues by itself.`,
      )
      return false
    },
  }
}
