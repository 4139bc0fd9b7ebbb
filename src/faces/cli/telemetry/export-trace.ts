/** `codewright sessions export --otlp`: the trace of a session from its log, as a collector takes it. */

import { processEnvironment, readEnvironment } from "#ground/settings/environment.ts"
import { configure } from "#ground/telemetry/configure.ts"
import { encodeRequest, encodeSpan, openEncoder } from "#ground/telemetry/otlp.ts"
import { traceOfLog } from "#ground/telemetry/trace-of-log.ts"
import { agentLogsOf } from "#faces/cli/sessions/agent-logs.ts"
import type { StoredSession } from "#faces/cli/sessions/read-session.ts"
import { version } from "#lib/version.ts"

/** One request, written span by span. */
export function* exportTrace({ row, log }: StoredSession): Generator<string> {
  const { choice } = configure(readEnvironment(processEnvironment()), {}, version)
  const encoder = openEncoder()
  const [head = "", foot = ""] = encodeRequest("traces", choice.resource, [], encoder).split(noSpans)
  yield `${head}"spans":[`
  let isFirst = true
  for (const span of traceOfLog(row.id, { entries: log.entries, agentLog: agentLogsOf(row.path) }, choice.contents)) {
    yield `${isFirst ? "" : ","}${encodeSpan(span, encoder)}`
    isFirst = false
  }
  yield `]${foot}\n`
}

/** Inside a text of the resource, the quotation marks would be escaped. */
const noSpans = '"spans":[]'
