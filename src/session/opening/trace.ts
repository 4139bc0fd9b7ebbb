/** Connects a session with telemetry, if there is any. */

import type { Entry } from "#agent/words/entry.ts"
import type { Moment } from "#agent/words/event.ts"
import type { Kit } from "#agent/words/kit.ts"
import type { SessionTrace } from "#ground/telemetry/follow.ts"
import type { Clock } from "#lib/clock.ts"
import type { OnConnection } from "#lib/network.ts"
import { optional } from "#lib/optional.ts"
import type { Journal } from "#session/journal/journal.ts"
import { askingOf } from "./child.ts"
import { lastOpening } from "./opening.ts"
import type { SessionOptions } from "./options.ts"

/** A session that was opened before stays in its trace. */
export function withTraceparent(options: SessionOptions, entries: readonly Entry[]): SessionOptions {
  const before = options.telemetry && lastOpening(entries)
  if (!before) return options
  const { traceparent: _now, ...rest } = options
  return { ...rest, ...optional("traceparent", before.traceparent) }
}

export function followTrace(
  { telemetry, id, child, traceparent }: SessionOptions,
  journal: Pick<Journal, "follow" | "isAwake" | "isSealed">,
  onConnection: OnConnection,
): SessionTrace | undefined {
  if (!telemetry) return undefined
  const { id: agentId, type, name } = child ? askingOf(child) : {}
  const trace = telemetry.follow({
    sessionId: child?.parent.sessionId ?? id,
    ...(child && agentId !== undefined && type !== undefined
      ? { agent: { id: agentId, type, ...optional("name", name), depth: child.depth } }
      : {}),
    ...optional("traceparent", traceparent),
    onConnection,
  })
  journal.follow({
    onEntry(entry) {
      // What is not kept is not reported either: the trace from the log is the same.
      if (!journal.isSealed()) trace.onEntry(entry, journal.isAwake() ? "live" : "past")
    },
  })
  return trace
}

export const publishTraced =
  (trace: SessionTrace, clock: Clock, publish: (moment: Moment) => void) =>
  (moment: Moment): void => {
    if (moment.type === "retry_wait") trace.retried(moment.retry, clock.now())
    publish(moment)
  }

/** Calls carry their span to whatever they start or ask. */
export const traceKit = ({ traceparent }: SessionTrace): Kit => ({
  name: "trace",
  middleware: (call, next) => next({ ...call, traceparent: traceparent(call.callId) }),
})
