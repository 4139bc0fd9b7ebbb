/** Agents as others see them: the state of each, with the agents it started. */

import type { ChildFact, ChildUsage } from "#agent/words/child.ts"
import type { PromptBlock } from "#agent/words/message.ts"

export interface AgentState {
  readonly fact: ChildFact
  readonly usage: ChildUsage
  readonly doing?: string
  /** A member of a team with nothing to do now. */
  readonly idle?: true
  /** Agents it started, oldest first; absent if there are none. */
  readonly agents?: readonly AgentState[]
}

export interface AgentTree {
  /** Oldest first. */
  readonly list: () => readonly AgentState[]
  /** Returns whether such an agent is running anywhere in the tree. */
  readonly stop: (agentId: string) => boolean
  readonly steer: (agentId: string, content: readonly PromptBlock[]) => boolean
  /** Stops a background command of an agent anywhere in the tree; whether it ran. */
  readonly stopCommand: (agentId: string, commandId: string) => Promise<boolean>
}

export const noAgents: AgentTree = {
  list: () => [],
  stop: () => false,
  steer: () => false,
  stopCommand: async () => false,
}

export const noUsage: ChildUsage = { tokens: 0, toolUses: 0, durationMs: 0 }
