/** How Task starts members of a team, for whoever keeps the team. */

import type { JsonObject } from "#lib/json.ts"
import type { Result } from "#lib/result.ts"
import type { AgentDefinition } from "./definition.ts"

export interface MemberAsk {
  readonly team: string | undefined
  readonly name: string | undefined
  readonly definition: AgentDefinition
  readonly description: string
  readonly prompt: string
  readonly model: string | undefined
  /** A worktree if it can have one, when absent. */
  readonly isolation: "worktree" | "shared" | undefined
  /** It may only read until its plan is approved. */
  readonly plans: boolean
  readonly callId: string
  readonly within: string | undefined
  readonly signal: AbortSignal
}

export interface StartedMember {
  /** For the model. */
  readonly text: string
  /** For the screen. */
  readonly shown: string
  readonly data: JsonObject
}

export interface Members {
  /** The failure is a sentence for the model. */
  readonly start: (ask: MemberAsk) => Promise<Result<StartedMember, string>>
}
