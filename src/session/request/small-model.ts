/** Questions to the small, fast model: one request, one answer. */

import { failed, ok, type Result } from "#lib/result.ts"
import { openSideRequests, type SideParts } from "./side-request.ts"

export interface SmallQuestion {
  readonly system: string
  readonly user: string
}

export type AskSmall = (question: SmallQuestion, signal: AbortSignal) => Promise<Result<string, string>>

export function openSmallModel({ model, ...side }: SideParts & { readonly model: string }): AskSmall {
  const ask = openSideRequests(side)
  return async (question, signal) => {
    const { reply, failure } = await ask({ who: "side requests", model, ...question }, signal)
    if (failure) return failed(failure.message)
    return ok(
      reply
        .passages()
        .map(({ text }) => text)
        .join(""),
    )
  }
}
