/** Why a run did not begin. */

import { failed, type Result } from "#lib/result.ts"

export interface StartFailure {
  readonly kind: "usage" | "no_model" | "error"
  readonly message: string
}

export const usage = (message: string): Result<never, StartFailure> => failed({ kind: "usage", message })
export const noModel = (message: string): Result<never, StartFailure> => failed({ kind: "no_model", message })
export const wrong = (message: string): Result<never, StartFailure> => failed({ kind: "error", message })
