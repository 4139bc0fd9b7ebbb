/** Why a run did not begin. */

import { failed, type Result } from "#lib/result.ts"

export interface StartFailure {
  /** A mistake in how the program was called, in contrast to something that went wrong. */
  readonly kind: "usage" | "error"
  readonly message: string
}

export const usage = (message: string): Result<never, StartFailure> => failed({ kind: "usage", message })
export const wrong = (message: string): Result<never, StartFailure> => failed({ kind: "error", message })
