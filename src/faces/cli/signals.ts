/** What the process does when it is told to stop. */

import { interrupted, terminated } from "#faces/headless/exit.ts"
import type { Clock } from "#lib/clock.ts"

/** Supervisors seldom wait longer than 2 s before they kill; the log is complete at any moment. */
const patienceMs = 1_900
/** Time for tools of a terminated run, so that it can still report how it ended. */
const graceMs = 600

export interface Signals {
  readonly code: () => number | undefined
}

/** Ends the work in order; running calls have `graceMs`. */
export type Stop = (graceMs?: number) => void

/** The first signal calls `stop`; a second one, or work that does not end, ends the process. */
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

/** The same, but leaves Ctrl+C to the user. */
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
