/** How a program of the tests is started: as part of the one that `npm test` builds of them all, and otherwise from source. */

import { relative } from "node:path"

/** Those that are started often enough to be built, and load much. */
export const built = [
  "fleet/fleet-process.ts",
  "fleet/hand.ts",
  "fleet/preparing.ts",
  "fleet/short-worker.ts",
  "team/hands-process.ts",
  "team/post.ts",
  "waiting-session.ts",
  "drive-session.ts",
] as const

/** What comes before the arguments of the program in this file. A start from source costs ten times the processor time. */
export function helper(file: string): readonly string[] {
  const name = relative(import.meta.dir, file)
  const all = process.env["CODEWRIGHT_TEST_HELPERS"]
  return all !== undefined && built.some((each) => each === name) ? [all, name] : [process.execPath, file]
}
