/** The mounts of this machine. */

import { readFileSync } from "node:fs"
import { type Mount, mountsIn } from "#lib/pseudo-mounts.ts"

export function readMounts(): readonly Mount[] {
  try {
    return mountsIn(readFileSync("/proc/self/mountinfo", "utf8"))
  } catch {
    return mountsIn(undefined)
  }
}
