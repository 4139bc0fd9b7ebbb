/** Which processes of a run are there: those that have its state folder in their environment, but for the terminal they run in. */

import { readdirSync, readFileSync } from "node:fs"
import type { Place } from "../run-codewright.ts"

/** Their pids; a process that is ending may be gone when its environment is read. */
export const processesIn = ({ state }: Pick<Place, "state">): readonly number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => !textOf(`/proc/${pid}/comm`).startsWith("tmux"))
    .filter((pid) => textOf(`/proc/${pid}/environ`).split("\0").includes(`CODEWRIGHT_HOME=${state}`))

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}
