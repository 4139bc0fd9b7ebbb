/** How much output of commands a session keeps in files: so much of each command, and so much of all together. */

import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"

export interface OutputFileLimits {
  readonly commandBytes: number
  readonly sessionBytes: number
}

export const mebibyte: number = 1024 * 1024

export const defaultOutputFiles: OutputFileLimits = { commandBytes: 64 * mebibyte, sessionBytes: 1024 * mebibyte }

/** What one file may have. It counts as used until it is settled. */
export interface OutputReservation {
  readonly bytes: number
  /** What set the limit. */
  readonly by: keyof OutputFileLimits
  readonly settle: (used: number) => void
}

export interface OutputRoom extends OutputFileLimits {
  readonly reserve: () => OutputReservation
}

/** Less than this is not worth a file. */
const leastBytes = mebibyte

export function openOutputRoom(folder: string, limits: OutputFileLimits): OutputRoom {
  /** Unknown until the first long output. */
  let used: number | undefined
  return {
    ...limits,
    reserve() {
      used ??= sizeOf(folder)
      const left = limits.sessionBytes - used
      const by = left < limits.commandBytes ? "sessionBytes" : "commandBytes"
      const bytes = by === "commandBytes" ? limits.commandBytes : left < leastBytes ? 0 : left
      used += bytes
      let isSettled = false
      return {
        bytes,
        by,
        settle(really) {
          if (!isSettled) used = Math.max(0, (used ?? 0) - bytes + really)
          isSettled = true
        },
      }
    },
  }
}

function sizeOf(folder: string): number {
  try {
    return readdirSync(folder).reduce(
      (sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    )
  } catch {
    return 0
  }
}
