/** Interrupts calls of a replay where the user interrupted them: after the same time, and not before the same output. */

import type { Event } from "#agent/words/event.ts"
import type { Clock } from "#lib/clock.ts"
import type { Session } from "#session/port/session.ts"
import type { Acts } from "./acts.ts"

export interface Interrupting {
  readonly onEvent: (event: Event) => void
  readonly close: () => void
}

/** The longest wait for the same output. */
const patienceMs = 10_000
const pollMs = 50

export function openInterrupting(session: Session, calls: Acts["interruptedCalls"], clock: Clock): Interrupting {
  const over = new AbortController()
  const printed = new Map<string, number>()
  const interrupt = (): void => void session.submit({ type: "interrupt" })

  async function interruptAfter(callId: string, afterMs: number, bytes: number): Promise<void> {
    await clock.sleep(afterMs, over.signal)
    const until = clock.now() + patienceMs
    while ((printed.get(callId) ?? 0) < bytes && clock.now() < until && !over.signal.aborted)
      await clock.sleep(pollMs, over.signal)
    if (!over.signal.aborted) interrupt()
  }

  return {
    close: () => over.abort(),
    onEvent(event) {
      if (event.type === "tool_progress") printed.set(event.callId, event.progress.totalBytes)
      const started = event.type === "tool_start" ? event.callId : undefined
      const meant = event.type === "entry" && event.entry.kind === "intent" ? event.entry.callId : undefined
      const callId = started ?? meant ?? ""
      const call = calls.get(callId)
      if (!call) return
      if (call.when === "before") {
        if (started !== undefined) interrupt()
      } else if ((call.since === "start") === (started !== undefined))
        void interruptAfter(callId, call.afterMs, call.printed)
    },
  }
}
