/** The logs of the agents that a session started, and of those that they started. */

import type { StoredLog } from "#ground/telemetry/trace-of-log.ts"
import { agentPlace } from "#ground/transcript/agent-place.ts"
import { loadLog } from "#ground/transcript/load.ts"

/** `log`: of the session. An agent whose log is not here has none. */
export const agentLogsOf = (log: string): StoredLog["agentLog"] => agentsIn(log.replace(/\.jsonl$/, ""))

const agentsIn =
  (sessionFolder: string): StoredLog["agentLog"] =>
  (agentId) => {
    const place = agentPlace(sessionFolder, agentId)
    const loaded = place && loadLog(place.log, { torn: "leave" })
    return loaded?.ok ? { entries: loaded.value.entries, agentLog: agentsIn(place?.folder ?? "") } : undefined
  }
