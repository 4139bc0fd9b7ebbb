/** Questions to the small fast model: one request, one text. */

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
    const parts: string[] = []
    const asked = await ask(
      { who: "small model", model, ...question },
      (event) => {
        if (event.type === "text_delta") parts.push(event.text)
      },
      signal,
    )
    return asked.ok ? ok(parts.join("")) : failed(asked.failure.message)
  }
}
