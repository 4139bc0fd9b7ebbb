/** Agents and changed files beside the conversation, as the rows around the prompt show them. */

import type { Answers } from "#session/port/query.ts"

export interface BesideAgent {
  readonly id: string
  readonly type: string
  readonly description: string
  readonly color: string | undefined
  /** Undefined while it thinks. */
  readonly doing: string | undefined
  readonly toolUses: number
  readonly tokens: number
  /** Milliseconds since the epoch. */
  readonly since: number
}

/** `before`: as they were known, so that nobody's time jumps. */
export function besideAgents(
  agents: Answers["agents"],
  before: readonly BesideAgent[],
  now: number,
): readonly BesideAgent[] {
  return agents.flatMap(({ fact, usage, doing, idle }) => {
    const { agentId: id, agentType: type, description, color, state, member } = fact
    if (state !== "background" || idle || member !== undefined) return []
    const since = before.find((known) => known.id === id)?.since ?? now - usage.durationMs
    return [{ id, type, description, color, doing, toolUses: usage.toolUses, tokens: usage.tokens, since }]
  })
}

export interface FileChange {
  readonly path: string
  readonly change: "created" | "modified" | "removed"
  readonly added: number
  readonly removed: number
}

export const fileChanges = (changes: Answers["changes"]): readonly FileChange[] =>
  changes.ok
    ? changes.value.map(({ path, change, added, removed }) => ({
        path,
        change: change === "mode" ? "modified" : change,
        added,
        removed,
      }))
    : []
