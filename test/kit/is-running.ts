/** Whether a process still does something: one that has ended and only waits to be reaped does not. */

import { readFileSync } from "node:fs"

export function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2))
  } catch {
    return false
  }
}
