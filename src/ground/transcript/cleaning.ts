/** When old sessions were last cleaned up: known without loading what cleans. */

import { statSync } from "node:fs"
import { join } from "node:path"

const dayMs = 24 * 60 * 60 * 1000

/** Where the mark of the last cleaning is kept. */
export const cleaningMark = (state: string): string => join(state, "cache", "last-cleaning")

/** Whether a day has passed since the mark was made. */
export function isCleaningDue(mark: string, now: number): boolean {
  const last = statSync(mark, { throwIfNoEntry: false })?.mtimeMs
  // A mark from the future is that of a clock that was wrong.
  return last === undefined || last > now || now - last >= dayMs
}
