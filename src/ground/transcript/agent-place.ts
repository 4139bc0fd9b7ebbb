/** Where an agent is kept: its log and its own folder, both in the folder of the session that started it. */

import { existsSync } from "node:fs"
import { join } from "node:path"
import { foldersIn } from "#lib/quietly.ts"

export interface AgentPlace {
  readonly log: string
  readonly folder: string
}

/** Undefined if it is not an id: ids also come from logs and faces, and must not lead anywhere else. */
export function agentPlace(sessionFolder: string, agentId: string): AgentPlace | undefined {
  if (!/^[0-9a-f]{8}$/.test(agentId)) return undefined
  const folder = join(sessionFolder, "subagents", `agent-${agentId}`)
  return { log: `${folder}.jsonl`, folder }
}

/** Also finds agents started by other agents, however deep. */
export function findAgentPlace(sessionFolder: string, agentId: string): AgentPlace | undefined {
  const place = agentPlace(sessionFolder, agentId)
  if (!place || existsSync(place.log)) return place
  for (const name of foldersIn(join(sessionFolder, "subagents"))) {
    const deeper = findAgentPlace(join(sessionFolder, "subagents", name), agentId)
    if (deeper && existsSync(deeper.log)) return deeper
  }
  return place
}

export const hasAgents = (folder: string): boolean => existsSync(join(folder, "subagents"))
