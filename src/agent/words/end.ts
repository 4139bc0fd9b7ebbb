/** Why a turn ended. */

import type { JsonObject } from "#lib/json.ts"

export const endReasons = [
  "completed",
  "max_turns",
  "max_budget",
  "aborted",
  "blocked_by_hook",
  "structured_output_retry_exhausted",
  "error",
] as const
export type EndReason = (typeof endReasons)[number]

export interface End {
  readonly reason: EndReason
  /** For the user, when the reason alone does not say it. */
  readonly message?: string
  /** The kind of model failure or stop that ended it, if any. */
  readonly cause?: string
  readonly status?: number
  /** The answer as data, where structured output was asked for. */
  readonly output?: JsonObject
}
