/** Which agents can be started now, and what the model knows of them: their files may change while a session is open. */

import type { EntryBody } from "#agent/words/entry.ts"
import { type ConversationFollower, type Follower, byKind } from "#agent/words/follower.ts"
import type { Attachment } from "#agent/words/kit.ts"
import { escapeImitations } from "#agent/words/reminder.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { onceFor } from "#lib/once-each.ts"
import type { AgentDefinition } from "./definition.ts"

/** What reading the files again gives. */
export interface AgentsRead {
  readonly definitions: readonly AgentDefinition[]
  /** What was left out, and why, as sentences. */
  readonly problems: readonly string[]
}

export interface Roster {
  readonly now: () => readonly AgentDefinition[]
  /** What the model does not know yet. */
  readonly news: () => readonly Attachment[]
  readonly onEntry: NonNullable<Follower["onEntry"]>
  readonly conversation: ConversationFollower
}

const rosterName = "agent_types"

export interface RosterPorts {
  /** Those of the start. */
  readonly agents: readonly AgentDefinition[]
  /** As their files are now; the same value while nothing changes. Asked at most once a turn. */
  readonly agentsNow?: () => AgentsRead
  readonly record: (body: EntryBody) => void
}

export function openRoster({ agents: first, agentsNow, record }: RosterPorts): Roster {
  /** What the description of the tool says, which stays as it is for the sake of the cache. */
  const described = linesOf(first)
  let agents = first
  let last: AgentsRead | undefined
  let known = new Map(described)
  let isDue = false

  function now(): readonly AgentDefinition[] {
    if (!isDue) return agents
    isDue = false
    const read = agentsNow?.()
    if (!read || read === last) return agents
    last = read
    agents = read.definitions
    for (const text of read.problems) record({ kind: "notice", level: "warning", text })
    return agents
  }

  function takeTold(data: JsonObject | undefined): void {
    if (isObject(data?.agents))
      for (const [name, line] of Object.entries(data.agents)) if (typeof line === "string") known.set(name, line)
    if (Array.isArray(data?.gone)) for (const name of data.gone) known.delete(String(name))
  }

  return {
    now,
    news() {
      const lines = linesOf(now())
      const changed = [...lines].filter(([name, line]) => known.get(name) !== line)
      const gone = [...known.keys()].filter((name) => !lines.has(name))
      if (changed.length === 0 && gone.length === 0) return []
      const text = newsWords(
        changed.map(([, line]) => line),
        gone,
      )
      return [{ name: rosterName, text, data: { agents: Object.fromEntries(changed), gone } }]
    },
    onEntry: byKind({ turn_start: () => void (isDue = true) }),
    conversation: {
      reset: () => void (known = new Map(described)),
      onEntry: byKind({
        // Of what came before, only the description of the tool is left.
        compaction: () => void (known = new Map(described)),
        attachment: ({ name, data }) => void (name === rosterName && takeTold(data)),
      }),
    },
  }
}

export const agentLine = (agent: AgentDefinition): string =>
  `- ${agent.agentType}: ${escapeImitations(agent.whenToUse)} ${toolsOf(agent)}`

const linesOf = onceFor(
  (agents: readonly AgentDefinition[]): ReadonlyMap<string, string> =>
    new Map(agents.map((agent) => [agent.agentType, agentLine(agent)])),
)

function newsWords(changed: readonly string[], gone: readonly string[]): string {
  const parts = [
    ...(changed.length === 0 ? [] : [`New, or described otherwise than before:\n${changed.join("\n")}`]),
    ...(gone.length === 0 ? [] : [`No longer there: ${gone.join(", ")}.`]),
  ]
  return `The agents that Task can start have changed.\n${parts.join("\n")}`
}

function toolsOf({ tools, disallowedTools = [], onlyReads }: AgentDefinition): string {
  if (tools) return `(Tools: ${tools.join(", ") || "none"})`
  if (onlyReads) return "(Tools: all that read)"
  return disallowedTools.length === 0 ? "(Tools: all)" : `(Tools: all but ${disallowedTools.join(", ")})`
}
