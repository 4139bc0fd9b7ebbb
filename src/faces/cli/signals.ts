/** What the process does when it is told to stop. */

import type { InterruptCause } from "#agent/words/interruption.ts"
import type { Op } from "#agent/words/op.ts"
import { hungUp, interrupted, terminated } from "#faces/headless/exit.ts"
import type { Clock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"

/** Supervisors seldom wait longer than 2 s before they kill; the log is complete at any moment. */
const patienceMs = 1_900
/** Time for tools of a terminated run, so that it can still report how it ended. */
const graceMs = 600

export interface Signals {
  readonly code: () => number | undefined
}

/** Running calls have `graceMs`; without a cause it was the user. */
export interface StopRequest {
  readonly graceMs?: number
  readonly cause?: InterruptCause
}

/** Ends the work in order. */
export type Stop = (how: StopRequest) => void

export const interruptOp = ({ graceMs: ms, cause }: StopRequest): Op => ({
  type: "interrupt",
  ...optional("graceMs", ms),
  ...optional("cause", cause),
})

/** The first signal calls `stop`; a second one, or work that does not end, ends the process. */
export function onSignals(stop: Stop, clock: Clock): Signals {
  let code: number | undefined
  process.on("SIGINT", () => {
    if (code !== undefined) process.exit(interrupted)
    code = interrupted
    stop({})
  })
  const termination = onTermination(stop, clock)
  return { code: () => code ?? termination.code() }
}

const codes = { SIGTERM: terminated, SIGHUP: hungUp } as const

/** The same, but leaves Ctrl+C to the user. */
export function onTermination(stop: Stop, clock: Clock): Signals {
  let code: number | undefined
  const handle = (signal: keyof typeof codes): void => {
    if (code !== undefined) process.exit(code)
    const now = codes[signal]
    code = now
    clock.after(patienceMs, () => process.exit(now))
    stop({ graceMs, cause: signal })
  }
  process.on("SIGTERM", () => handle("SIGTERM"))
  process.on("SIGHUP", () => handle("SIGHUP"))
  return { code: () => code }
}
