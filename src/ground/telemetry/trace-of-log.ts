/** The trace of a session from its log and the logs of its agents: the same spans that were sent while it ran. */

import type { ChildFact } from "#agent/words/child.ts"
import type { Entry } from "#agent/words/entry.ts"
import { optional } from "#lib/optional.ts"
import type { Contents, Span } from "./span.ts"
import { foldSpans, type TracedLog } from "./spans.ts"
import { readTraceparent, traceIdOf } from "./trace-ids.ts"

/** A log, and how to read those of the agents that it started; undefined for one that is not here. */
export interface StoredLog {
  readonly entries: Iterable<Entry>
  readonly agentLog: (agentId: string) => StoredLog | undefined
}

/** Each as soon as it has ended. */
export function* traceOfLog(sessionId: string, log: StoredLog, contents: Contents): Generator<Span> {
  const parent = readTraceparent(recordedParent(log.entries))
  const root: TracedLog = {
    traceId: parent?.traceId ?? traceIdOf(sessionId),
    sessionId,
    ...optional("parentSpanId", parent?.spanId),
    contents,
    chains: new Map(),
  }
  yield* spansOf(root, log)
}

function* spansOf(traced: TracedLog, { entries, agentLog }: StoredLog): Generator<Span> {
  let spans: Span[] = []
  const fold = foldSpans(traced, (span) => spans.push(span))
  const children = new Map<string, ChildFact>()
  for (const entry of entries) {
    fold.onEntry(entry)
    if (entry.kind === "child") children.set(entry.agentId, entry)
    yield* spans
    spans = []
  }
  yield* fold.rest()
  const depth = (traced.agent?.depth ?? 0) + 1
  for (const { agentId, agentType, member } of children.values()) {
    const log = agentLog(agentId)
    const agent = { id: agentId, type: agentType, ...optional("name", member), depth }
    if (log) yield* spansOf({ ...traced, agent }, log)
  }
}

/** The span of another program that the session was started in. */
function recordedParent(entries: Iterable<Entry>): string | undefined {
  for (const entry of entries)
    if (entry.kind === "begun")
      return typeof entry.opening.traceparent === "string" ? entry.opening.traceparent : undefined
  return undefined
}
