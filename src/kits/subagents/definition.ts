/** The definition of an agent: its purpose, its tools, its model. */

import type { Effort } from "#agent/words/thinking.ts"
import type { JsonObject, JsonValue } from "#lib/json.ts"

/** Where a definition comes from; a later source overrides one of the same name. */
export type AgentSource = "built-in" | "plugin" | "user" | "project" | "command line"

/** Notes for the user in every project, for everyone in this project, or for the user in this project. */
export type AgentMemory = "user" | "project" | "local"

/** A server that runs only while its agent does, as written. */
export interface AgentServer {
  readonly name: string
  readonly value: JsonValue
  /** Variables that it would send away without the user's approval. */
  readonly withheld?: readonly string[]
}

export interface AgentDefinition {
  readonly agentType: string
  /** For the model that chooses among agents. */
  readonly whenToUse: string
  readonly systemPrompt: string
  /** All available tools when absent. */
  readonly tools?: readonly string[]
  readonly disallowedTools?: readonly string[]
  /** What some of its tools are limited to, as rules: `Bash(git:*)`. */
  readonly limits?: readonly string[]
  /** What it may not use its tools for, as rules. */
  readonly denies?: readonly string[]
  /** `small`, `middle`, `inherit`, an alias or an id; `inherit` when absent. */
  readonly model?: string
  /** The same as its parent's when absent. */
  readonly effort?: Effort
  /** It is read-only, whatever the mode of the session. */
  readonly onlyReads?: true
  /** What would be asked is denied instead. */
  readonly neverAsks?: true
  /** It starts with its parent's conversation. */
  readonly forkContext?: true
  readonly criticalReminder?: string
  readonly color?: string
  readonly maxTurns?: number
  /** Within the budget of its session. */
  readonly maxBudgetUsd?: number
  readonly maxBudgetTokens?: number
  /** Servers whose tools it has besides `tools`: configured ones, and its own. */
  readonly mcpServers?: readonly string[]
  readonly ownServers?: readonly AgentServer[]
  /** Run at its own moments only; written as in settings. */
  readonly hooks?: JsonObject
  /** The skills that its first message contains. */
  readonly skills?: readonly string[]
  readonly memory?: AgentMemory
  /** It works without the memory files of the user and the project; those of the managed policy stay. */
  readonly omitsMemory?: true
  /** Its conversation is compacted at this many tokens, if not before. */
  readonly compactsAt?: number
  /** Sent first where a session plays this agent. */
  readonly initialPrompt?: string
  /** It runs in the background unless the call says otherwise. */
  readonly background?: true
  /** It works in a git worktree of its own unless the call says otherwise. */
  readonly isolation?: "worktree"
  readonly source: AgentSource
  readonly path?: string
}
