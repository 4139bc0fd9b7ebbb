/** What is left of programs that should have ended. */

import { readdirSync, readFileSync } from "node:fs"
import { isRunning } from "./is-running.ts"

/** Command lines of the processes that have a mark in them, in whatever namespace they run. */
export function runningWith(mark: string): readonly string[] {
  return readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid) && isRunning(Number(pid)))
    .map(commandOf)
    .filter((line) => line.includes(mark))
}

/** Processes with a mark in their command line; asked again as long as some are still ending, for five seconds. */
export async function survivors(mark: string): Promise<readonly string[]> {
  for (let tries = 0; ; tries++) {
    const found = runningWith(mark)
    if (found.length === 0 || tries === 50) return found
    await Bun.sleep(100)
  }
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ")
  } catch {
    return ""
  }
}
