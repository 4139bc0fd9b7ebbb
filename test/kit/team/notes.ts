/** What processes of a test write down, for the test to read. */

import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** One write each, so that lines of several processes do not mix. */
export const note = (folder: string, file: string, line: string): void =>
  appendFileSync(join(folder, file), `${line}\n`)

export function notesIn(folder: string, file: string): readonly string[] {
  const path = join(folder, file)
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : []
}
