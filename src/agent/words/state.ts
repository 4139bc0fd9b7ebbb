/** The current state of a session, for everyone who watches it. */

import type { AgentSpending, Budget } from "./budget.ts"
import type { EndReason } from "./end.ts"
import type { Usage } from "./model.ts"
import type { PermissionMode } from "./permission.ts"
import type { Thinking } from "./thinking.ts"

export interface ModelSpending {
  readonly usage: Usage
  readonly costUsd: number
}

export interface SessionState {
  readonly mode: PermissionMode
  readonly model: string
  readonly thinking: Thinking
  readonly cwd: string
  readonly budget: Budget
  readonly costUsd: number
  /** By agent and kind of work, main included. */
  readonly agents: { readonly [who: string]: AgentSpending }
  readonly spending: { readonly [model: string]: ModelSpending }
  /** Input and output of the last request: the size of the context. */
  readonly contextTokens: number
  readonly turns: number
  /** Absent before the first turn ends, and while one runs. */
  readonly lastEnd?: EndReason | undefined
}
