/** Answers calls to the network or to other models with recorded results, so that a replay makes no requests. */

import type { Middleware } from "#agent/words/middleware.ts"
import type { Outcome } from "#agent/words/tool.ts"

export const answerRecorded =
  (recorded: (callId: string) => Outcome): Middleware =>
  (call, next) =>
    call.footprint.reaches.length > 0 || call.tool.delegates ? Promise.resolve(recorded(call.callId)) : next(call)
