/** What to do when the provider refuses a request: use another model, or a smaller conversation. Never the same request again. */

import { type EntryBody, type ShrinkRung, shrinkRungs } from "#agent/words/entry.ts"
import { type OnEntry, byKind } from "#agent/words/follower.ts"
import type { ModelFailure } from "#agent/words/model.ts"

export interface Recovery {
  readonly recover: (failure: ModelFailure) => "again" | "give_up"
  /** An answer means that the conversation fits again, and a new turn is a new attempt: the ladder starts over. */
  readonly onEntry: OnEntry
}

export function openRecovery(parts: {
  readonly model: () => string
  /** In the order they are tried. */
  readonly fallbackModels: readonly string[]
  readonly record: (body: EntryBody) => void
  /** Asks for a compaction before the next request; returns whether there will be one. */
  readonly demandCompaction?: () => boolean
}): Recovery {
  let rung = 0
  let hasResults = false
  const startOver = (): void => void (rung = 0)

  function shrinkFrom(first: (typeof shrinkRungs)[number], why: string): "again" | "give_up" {
    rung = Math.max(rung, shrinkRungs.indexOf(first))
    const next = shrinkRungs[rung++]
    if (next === undefined) return "give_up"
    // Nobody waits for a request that would be the same again.
    if (next === "results" && !hasResults) return shrinkFrom(first, why)
    parts.record({ kind: "notice", level: "warning", text: shrinkWords(next, why) })
    parts.record({ kind: "shrink", rung: next, why })
    return "again"
  }

  return {
    onEntry: byKind({ reply_end: startOver, turn_start: startOver, result: () => void (hasResults = true) }),
    recover(failure) {
      switch (failure.kind) {
        case "overloaded": {
          const model = parts.model()
          const next = nextModel(model, parts.fallbackModels)
          if (next === undefined) return "give_up"
          parts.record({ kind: "model", model: next, why: "fallback" })
          parts.record({
            kind: "notice",
            level: "warning",
            text: `${model} is overloaded; continuing with ${next} for the rest of the session.`,
          })
          return "again"
        }
        case "too_large":
          return shrinkFrom("media", "The request is too large for the provider")
        case "too_long":
          if (parts.demandCompaction?.()) return "again"
          return shrinkFrom("results", "The conversation is too long for the model")
        case "malformed":
          return shrinkFrom("media", "The provider refused the request")
        default:
          return "give_up"
      }
    },
  }
}

/** The one after this model, or the first one for a model that is none of them. */
export const nextModel = (model: string, fallbacks: readonly string[]): string | undefined =>
  fallbacks[fallbacks.indexOf(model) + 1]

export const shrinkWords = (rung: ShrinkRung, why: string): string => `${why}; ${rungWords[rung]}.`

const rungWords: { readonly [rung in ShrinkRung]: string } = {
  media: "leaving out images and documents",
  old_media: "leaving out the older ones",
  results: "leaving out old tool results",
  turns: "leaving out the older half",
  summary: "keeping only a summary",
}
