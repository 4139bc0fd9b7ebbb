/** `codewright sessions export --otlp`: the trace of a session from its log, as a collector takes it. */

import { processEnvironment, readEnvironment } from "#ground/settings/environment.ts"
import { configure } from "#ground/telemetry/configure.ts"
import { encodeRequest, encodeSpan, openMask } from "#ground/telemetry/otlp.ts"
import { traceOfLog } from "#ground/telemetry/trace-of-log.ts"
import { agentLogsOf } from "#faces/cli/sessions/agent-logs.ts"
import type { ReadSession } from "#faces/cli/sessions/read-session.ts"
import { version } from "#lib/version.ts"

export function exportTrace({ row, entries }: Pick<ReadSession, "row" | "entries">): string {
  const { choice } = configure(readEnvironment(processEnvironment()), {}, version)
  const spans = traceOfLog(row.id, { entries, agentLog: agentLogsOf(row.path) }, choice.contents)
  const mask = openMask()
  const encoded = spans.map((span) => encodeSpan(span, mask))
  return `${encodeRequest("traces", choice.resource, encoded, mask)}\n`
}
