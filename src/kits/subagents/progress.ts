/** How far agents in the background are, told now and then while the model works on something else. */

import { byKind, type OnEntry } from "#agent/words/follower.ts"
import type { Attachment } from "#agent/words/kit.ts"
import type { AgentState } from "./agent-state.ts"
import { progressName, progressWords } from "./words.ts"

/** So many answers lie between two reports about the same agent. */
const patience = 5
const mostAtOnce = 5

export interface AgentReports {
  readonly onEntry: OnEntry
  readonly news: () => readonly Attachment[]
}

export function openProgress(list: () => readonly AgentState[]): AgentReports {
  let answers = 0
  const lastReports = new Map<string, { readonly at: number; readonly toolUses: number }>()
  return {
    onEntry: byKind({
      reply_end: () => void answers++,
      child({ agentId, state }) {
        if (state === "background" && !lastReports.has(agentId)) lastReports.set(agentId, { at: answers, toolUses: 0 })
        if (state === "ended") lastReports.delete(agentId)
      },
      // Only what is in the log counts as told.
      attachment({ name, data }) {
        if (name !== progressName || typeof data?.agentId !== "string" || typeof data.toolUses !== "number") return
        lastReports.set(data.agentId, { at: answers, toolUses: data.toolUses })
      },
    }),
    news: () =>
      lastReports.size === 0
        ? []
        : list()
            .filter(({ fact: { agentId, state, member }, usage }) => {
              const last = lastReports.get(agentId)
              // Members report by themselves.
              if (state !== "background" || member !== undefined || !last) return false
              return answers - last.at >= patience && usage.toolUses > last.toolUses
            })
            .slice(0, mostAtOnce)
            .map(({ fact, usage, doing }) => ({
              name: progressName,
              text: progressWords(fact, usage, doing),
              data: { agentId: fact.agentId, toolUses: usage.toolUses },
            })),
  }
}
