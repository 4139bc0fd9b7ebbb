/** The logs of the agents that a session started, and of those that they started. */

import { agentPlace } from "#ground/transcript/agent-place.ts"
import { openStoredLog, type StoredLog } from "#ground/transcript/stored-log.ts"

export interface AgentLog extends Pick<StoredLog, "entries" | "conversation"> {
  readonly agentLog: (agentId: string) => AgentLog | undefined
}

/** `log`: of the session. An agent whose log is not here has none. */
export const agentLogsOf = (log: string): AgentLog["agentLog"] => agentsIn(log.replace(/\.jsonl$/, ""))

const agentsIn =
  (sessionFolder: string): AgentLog["agentLog"] =>
  (agentId) => {
    const place = agentPlace(sessionFolder, agentId)
    const opened = place && openStoredLog(place.log)
    if (!opened?.ok) return undefined
    const { entries, conversation } = opened.value
    return { entries, conversation, agentLog: agentsIn(place?.folder ?? "") }
  }
