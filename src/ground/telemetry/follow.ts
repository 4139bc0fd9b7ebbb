/** Follows one session of a trace: what happens in it becomes spans, events and measurements. */

import type { Entry } from "#agent/words/entry.ts"
import type { Retry } from "#agent/words/model.ts"
import type { JsonObject } from "#lib/json.ts"
import { measureCommand, measureEntry, measureRetry, measureSpan, type Metrics } from "./metrics.ts"
import { type EventContext, eventName, eventOf, retryEvent, type TracedEvent } from "./records.ts"
import type { LogRecord, Span } from "./span.ts"
import { foldSpans, type TracedLog } from "./spans.ts"
import { callSpanId, traceparentOf } from "./trace-ids.ts"

export interface SessionTrace {
  /** `past`: it is read from the log, and was reported when it happened. */
  readonly onEntry: (entry: Entry, when: "past" | "live") => void
  readonly retried: (retry: Retry, at: number) => void
  /** For what a call, or else the work of now, starts or asks. */
  readonly traceparent: (callId?: string) => string
  /** The span of the session itself, once it is over. */
  readonly session: () => Span | undefined
}

/** Where it all goes; absent for what nobody wants. */
export interface Outlets {
  readonly span: ((span: Span) => void) | undefined
  readonly record: ((record: LogRecord) => void) | undefined
  readonly metrics: Metrics | undefined
  readonly names: "codewright" | "claude_code"
  /** Numbers the records of the process. */
  readonly sequence: () => number
}

export function followSession(log: TracedLog, isSampled: boolean, outlets: Outlets): SessionTrace {
  const { traceId, agent, sessionId, contents } = log
  const { metrics, names } = outlets
  const send = isSampled ? outlets.span : undefined
  const calls = openCalls()
  const context: EventContext = { contents, inputOf: calls.inputOf, askedAt: calls.askedAt }
  let isLive = false
  let waitedMs = 0
  let model: string | undefined
  /** Answers may be given while no process has the session open: nobody has reported those at the end of a log. */
  let unreported: (readonly [Span, Entry])[] = []

  function report(span: Span, entry: Entry): void {
    send?.(span)
    if (!metrics) return
    measureSpan(metrics, span, entry)
    const lasted = span.end - span.start
    if (span.name === "permission.wait") waitedMs += lasted
    if (span.name !== "turn") return
    metrics.add("codewright.active_time.total", Math.max(0, lasted - waitedMs) / 1000, { type: "cli" })
    waitedMs = 0
  }
  const fold = foldSpans(log, (span, entry) => {
    if (isLive) report(span, entry)
    else if (entry.kind === "answer") unreported.push([span, entry])
  })

  function wake(hadPast: boolean): void {
    isLive = true
    for (const [span, entry] of unreported) report(span, entry)
    unreported = []
    if (!agent) metrics?.add("codewright.session.count", 1, { start_type: hadPast ? "resume" : "new" })
  }

  function emit({ name, fields, severity = "info" }: TracedEvent, at: number, spanId: string | undefined): void {
    const around = fold.around()
    outlets.record?.({
      at,
      name: eventName(name, names),
      severity,
      traceId,
      spanId: spanId ?? around.spanId,
      shared: around.attributes,
      attributes: {
        "event.name": name,
        "event.timestamp": new Date(at).toISOString(),
        "event.sequence": outlets.sequence(),
        ...fields,
      },
    })
  }

  let hadPast = false
  return {
    onEntry(entry, when) {
      if (when === "past") {
        hadPast = true
        if (entry.kind !== "answer") unreported = []
      } else if (!isLive) wake(hadPast)
      if (entry.kind === "request") model = entry.model
      calls.onEntry(entry)
      if (!isLive) return fold.onEntry(entry)
      if (metrics) {
        measureEntry(metrics, entry)
        const command = entry.kind === "result" && !entry.isError ? calls.inputOf(entry.callId)?.command : undefined
        if (typeof command === "string") measureCommand(metrics, command)
      }
      // What ends a turn still belongs to it.
      if (entry.kind !== "turn_end") fold.onEntry(entry)
      const event = outlets.record && eventOf(entry, context)
      const callId = entry.kind === "result" || entry.kind === "decision" ? entry.callId : undefined
      const spanId = callId === undefined ? undefined : callSpanId(traceId, agent?.id ?? sessionId, callId)
      if (event) emit(event, entry.at, spanId)
      if (entry.kind === "turn_end") fold.onEntry(entry)
      calls.forget(entry)
    },
    retried(retry, at) {
      if (metrics) measureRetry(metrics, retry)
      if (outlets.record) emit(retryEvent(model, retry), at, undefined)
    },
    traceparent(callId) {
      const own = callId === undefined ? undefined : callSpanId(traceId, agent?.id ?? sessionId, callId)
      return traceparentOf({ traceId, spanId: own ?? fold.around().spanId, isSampled })
    },
    session: fold.session,
  }
}

/** What is known of calls and questions until they end. */
function openCalls(): EventContextSource {
  const inputs = new Map<string, JsonObject>()
  const asked = new Map<string, { readonly at: number; readonly kind: string }>()
  return {
    inputOf: (callId) => inputs.get(callId),
    askedAt: (questionId) => asked.get(questionId),
    onEntry(entry) {
      if (entry.kind === "reply" && entry.block.type === "tool_use") inputs.set(entry.block.id, entry.block.input)
      if (entry.kind === "question") asked.set(entry.question.id, { at: entry.at, kind: entry.question.ask.kind })
    },
    forget(entry) {
      if (entry.kind === "result") inputs.delete(entry.callId)
      if (entry.kind === "answer") asked.delete(entry.questionId)
    },
  }
}

interface EventContextSource extends Pick<EventContext, "inputOf" | "askedAt"> {
  readonly onEntry: (entry: Entry) => void
  readonly forget: (entry: Entry) => void
}
