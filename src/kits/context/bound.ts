/** Limits what the model is told: a result beyond its tool's limit is stored in a file and cut. */

import type { Middleware } from "#agent/words/middleware.ts"
import type { Outcome } from "#agent/words/tool.ts"
import { headAndTail } from "#lib/head-and-tail.ts"
import type { Result } from "#lib/result.ts"

export type KeepResult = (callId: string, text: string) => Promise<Result<string, string>>

/** `most`: in characters, where the model has little room. */
export function boundResults(keep: KeepResult, most: () => number | undefined = () => undefined): Middleware {
  return async (call, next) => {
    const outcome = await next(call)
    const limit = Math.min(call.tool.maxResultChars, most() ?? Number.POSITIVE_INFINITY)
    if (typeof outcome.content === "string")
      return outcome.content.length <= limit ? outcome : bounded(outcome, outcome.content, limit, call.callId, keep)
    const texts = outcome.content.flatMap((block) => (block.type === "text" ? [block.text] : []))
    const size = texts.reduce((sum, text) => sum + text.length, 0)
    return size <= limit ? outcome : bounded(outcome, texts.join("\n"), limit, call.callId, keep)
  }
}

async function bounded(
  outcome: Outcome,
  whole: string,
  limit: number,
  callId: string,
  keep: KeepResult,
): Promise<Outcome> {
  const kept = await keep(callId, whole)
  const where = kept.ok
    ? `The whole result is in ${kept.value}; Read it in parts.`
    : `It could not be kept (${kept.failure}).`
  const note = `[cut: of ${whole.length} characters only the beginning and the end are shown. ${where}]`
  return { ...outcome, content: headAndTail(whole, whole, limit, note) }
}
