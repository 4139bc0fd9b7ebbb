/** A refusal as the Responses API words it. */

import type { ErrorAnswer } from "#sim/answer.ts"

export const bad = (message: string, more: Partial<ErrorAnswer> = {}): ErrorAnswer => ({
  status: 400,
  type: "invalid_request_error",
  message,
  ...more,
})
