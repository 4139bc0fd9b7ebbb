/** When each piece of an answer is due. */

import type { TimedBytes } from "./answer.ts"
import type { StreamPiece } from "./spoken.ts"
import type { Timing } from "./reply.ts"

/** Without timing everything is due at once, so that it can be sent in a few large writes. */
export function pace(pieces: readonly StreamPiece[], timing: Timing = {}): readonly TimedBytes[] {
  const { ttftMs = 0, tokensPerSecond = 0, pauses = [] } = timing
  const msPerToken = tokensPerSecond > 0 ? 1000 / tokensPerSecond : 0
  let said = 0
  return pieces.map(({ bytes, tokens }) => {
    const paused = pauses.reduce((sum, { afterTokens, ms }) => (said >= afterTokens ? sum + ms : sum), 0)
    const part = { bytes, atMs: ttftMs + said * msPerToken + paused }
    said += tokens
    return part
  })
}
