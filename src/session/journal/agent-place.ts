/** Where an agent is kept: its log, and the folder for what belongs to it, both in the folder of whoever started it. */

import { join } from "node:path"

export interface AgentPlace {
  readonly log: string
  readonly folder: string
}

/** Nothing for what is not an id: ids also come from logs and from faces, and must not lead anywhere else. */
export function agentPlace(sessionFolder: string, agentId: string): AgentPlace | undefined {
  if (!/^[0-9a-f]{8}$/.test(agentId)) return undefined
  const folder = join(sessionFolder, "subagents", `agent-${agentId}`)
  return { log: `${folder}.jsonl`, folder }
}
