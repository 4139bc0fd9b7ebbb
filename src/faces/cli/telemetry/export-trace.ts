/** `codewright sessions export --otlp`: the trace of a session from its log, as a collector takes it. */

import { processEnvironment, readEnvironment } from "#ground/settings/environment.ts"
import { configure } from "#ground/telemetry/configure.ts"
import { encodeRequest, encodeSpan, openMask } from "#ground/telemetry/otlp.ts"
import { type StoredLog, traceOfLog } from "#ground/telemetry/trace-of-log.ts"
import { agentPlace } from "#ground/transcript/agent-place.ts"
import { loadLog } from "#ground/transcript/load.ts"
import type { ReadSession } from "#faces/cli/sessions/read-session.ts"
import { version } from "#lib/version.ts"

export function exportTrace({ row, entries }: Pick<ReadSession, "row" | "entries">): string {
  const { choice } = configure(readEnvironment(processEnvironment()), {}, version)
  const log: StoredLog = { entries, agentLog: agentsIn(row.path.replace(/\.jsonl$/, "")) }
  const spans = traceOfLog(row.id, log, choice.contents)
  const mask = openMask()
  const encoded = spans.map((span) => encodeSpan(span, mask))
  return `${encodeRequest("traces", choice.resource, encoded, mask)}\n`
}

const agentsIn =
  (sessionFolder: string) =>
  (agentId: string): StoredLog | undefined => {
    const place = agentPlace(sessionFolder, agentId)
    const loaded = place && loadLog(place.log, { torn: "leave" })
    return loaded?.ok ? { entries: loaded.value.entries, agentLog: agentsIn(place?.folder ?? "") } : undefined
  }
