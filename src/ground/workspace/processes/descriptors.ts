/** How many calls may work side by side, where the system gives this process few descriptors for files. */

import { readFileSync } from "node:fs"

/** The program's own: its terminal, log, connections, watchers, the watchdog, and what the runtime keeps open. */
const own = 16
/** The most that one call has open at a time: a command with its pipes, its sandbox and the file of its output. */
const ofCall = 8

/** At least one; undefined where it is not known how many descriptors there are. */
export function mostCalls(limit: number | undefined): number {
  return limit === undefined ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor((limit - own) / ofCall))
}

/** Undefined where the system does not tell, or sets no limit. */
export function descriptorLimit(): number | undefined {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1"))?.[1]
    return soft === undefined ? undefined : Number(soft)
  } catch {
    return undefined
  }
}
