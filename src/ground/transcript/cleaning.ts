/** When old sessions were last cleaned up: known without loading the clean-up itself. */

import { statSync } from "node:fs"
import { join } from "node:path"

const dayMs = 24 * 60 * 60 * 1000

export const cleaningMark = (state: string): string => join(state, "cache", "last-cleaning")

export function isCleaningDue(mark: string, now: number): boolean {
  const last = lastCleaning(mark)
  // Where there is no state folder there is nothing to clean.
  if (last === "unreachable") return false
  // A mark from the future is that of a clock that was wrong.
  return last === undefined || last > now || now - last >= dayMs
}

function lastCleaning(mark: string): number | "unreachable" | undefined {
  try {
    return statSync(mark, { throwIfNoEntry: false })?.mtimeMs
  } catch {
    return "unreachable"
  }
}
