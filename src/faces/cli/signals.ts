/** What the process does when it is told to stop. */

import { interrupted, terminated } from "#faces/headless/exit.ts"
import type { Clock } from "#lib/clock.ts"

/** Whoever ends a process seldom waits longer than 2 s; the log is whole at any moment. */
const patienceMs = 1_900
/** What a terminated run leaves its tools, so that it can still say how it ended. */
const graceMs = 600

export interface Signals {
  /** The exit code that a signal asked for, if one came. */
  readonly code: () => number | undefined
}

/** Ends the work in order; what runs may take so long, or as long as usual. */
export type Stop = (graceMs?: number) => void

/** The first signal ends the work in order, by `stop`; a second one, or work that does not end, ends the process. */
export function onSignals(stop: Stop, clock: Clock): Signals {
  let code: number | undefined
  process.on("SIGINT", () => {
    if (code !== undefined) process.exit(interrupted)
    code = interrupted
    stop()
  })
  const termination = onTermination(stop, clock)
  return { code: () => code ?? termination.code() }
}

/** The same for those who leave Ctrl+C to the user. */
export function onTermination(stop: Stop, clock: Clock): Signals {
  let code: number | undefined
  const handle = (): void => {
    if (code !== undefined) process.exit(terminated)
    code = terminated
    clock.after(patienceMs, () => process.exit(terminated))
    stop(graceMs)
  }
  process.on("SIGTERM", handle)
  process.on("SIGHUP", handle)
  return { code: () => code }
}
