/** What an agent is made from: who it is, what it may use, what thinks for it. */

import type { Effort } from "#agent/words/thinking.ts"

/** Where a definition comes from; the later wins over one of the same name. */
export type AgentSource = "built-in" | "plugin" | "user" | "project" | "command line"

export interface AgentDefinition {
  readonly agentType: string
  /** For the model that chooses among agents. */
  readonly whenToUse: string
  readonly systemPrompt: string
  /** The names of its tools; all there are when absent. */
  readonly tools?: readonly string[]
  readonly disallowedTools?: readonly string[]
  /** What some of its tools may be used for at all, as rules: `Bash(git:*)`. */
  readonly limits?: readonly string[]
  /** What it may not use its tools for, as rules. */
  readonly denies?: readonly string[]
  /** `small`, `middle`, `inherit`, an alias or an id; `inherit` when absent. */
  readonly model?: string
  /** How much effort its answers take; as much as those of whoever starts it when absent. */
  readonly effort?: Effort
  /** It reads and searches and can do nothing else, whatever the mode of the session. */
  readonly onlyReads?: true
  /** What would be asked about is denied instead. */
  readonly neverAsks?: true
  /** It starts from the conversation of whoever starts it. */
  readonly forkContext?: true
  /** What it must not lose sight of: repeated with every step. */
  readonly criticalReminder?: string
  readonly color?: string
  /** Steps it may take before it is stopped. */
  readonly maxTurns?: number
  /** What it may spend, within the budget of its session. */
  readonly maxBudgetUsd?: number
  readonly maxBudgetTokens?: number
  /** It runs in the background unless the call says otherwise. */
  readonly background?: true
  /** It works in a git worktree of its own unless the call says otherwise. */
  readonly isolation?: "worktree"
  readonly source: AgentSource
  /** The file it was read from. */
  readonly path?: string
}
