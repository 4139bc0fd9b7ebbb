/** Agents as others see them: how each is now, with those that it started itself. */

import type { ChildFact, ChildUsage } from "#agent/words/child.ts"
import type { PromptBlock } from "#agent/words/message.ts"

/** An agent as it is now. */
export interface AgentState {
  readonly fact: ChildFact
  readonly usage: ChildUsage
  /** The call it has under way. */
  readonly doing?: string
  /** The agents that it started itself, oldest first; absent where there are none. */
  readonly agents?: readonly AgentState[]
}

/** The agents that one agent started, and theirs. */
export interface AgentTree {
  /** Everything that is known, oldest first. */
  readonly list: () => readonly AgentState[]
  /** Whether such an agent is at work anywhere in the tree. */
  readonly stop: (agentId: string) => boolean
  readonly steer: (agentId: string, content: readonly PromptBlock[]) => boolean
}

export const noAgents: AgentTree = { list: () => [], stop: () => false, steer: () => false }

export const noUsage: ChildUsage = { tokens: 0, toolUses: 0, durationMs: 0 }
