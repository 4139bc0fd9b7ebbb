/** The trace of a session from its log and the logs of its agents: the same spans that were sent while it ran. */

import type { ChildFact } from "#agent/words/child.ts"
import type { Entry } from "#agent/words/entry.ts"
import { optional } from "#lib/optional.ts"
import type { Contents, Span } from "./span.ts"
import { foldSpans, type TracedLog } from "./spans.ts"
import { readTraceparent, traceIdOf } from "./trace-ids.ts"

/** A log, and how to read those of the agents that it started; undefined for one that is not here. */
export interface StoredLog {
  readonly entries: readonly Entry[]
  readonly agentLog: (agentId: string) => StoredLog | undefined
}

export function traceOfLog(sessionId: string, log: StoredLog, contents: Contents): readonly Span[] {
  const parent = readTraceparent(recordedParent(log.entries))
  const root: TracedLog = {
    traceId: parent?.traceId ?? traceIdOf(sessionId),
    sessionId,
    ...optional("parentSpanId", parent?.spanId),
    contents,
    chains: new Map(),
  }
  return spansOf(root, log)
}

function spansOf(traced: TracedLog, { entries, agentLog }: StoredLog): readonly Span[] {
  const spans: Span[] = []
  const fold = foldSpans(traced, (span) => spans.push(span))
  const children = new Map<string, ChildFact>()
  for (const entry of entries) {
    fold.onEntry(entry)
    if (entry.kind === "child") children.set(entry.agentId, entry)
  }
  spans.push(...fold.rest())
  const depth = (traced.agent?.depth ?? 0) + 1
  for (const { agentId, agentType, member } of children.values()) {
    const log = agentLog(agentId)
    const agent = { id: agentId, type: agentType, ...optional("name", member), depth }
    if (log) spans.push(...spansOf({ ...traced, agent }, log))
  }
  return spans
}

/** The span of another program that the session was started in. */
function recordedParent(entries: readonly Entry[]): string | undefined {
  for (const entry of entries)
    if (entry.kind === "begun")
      return typeof entry.opening.traceparent === "string" ? entry.opening.traceparent : undefined
  return undefined
}
