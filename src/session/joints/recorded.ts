/** Answers calls that reach the network, or a model of their own, with what they got before, so that a replay goes nowhere. */

import type { Middleware } from "#agent/words/middleware.ts"
import type { Outcome } from "#agent/words/tool.ts"

export const answerRecorded =
  (recorded: (callId: string) => Outcome): Middleware =>
  (call, next) =>
    call.footprint.reaches.length > 0 || call.tool.delegates ? Promise.resolve(recorded(call.callId)) : next(call)
