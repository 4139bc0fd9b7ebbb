/** What to do when the provider refuses a request: use another model, or a smaller conversation. Never the same request again. */

import { type EntryBody, shrinkRungs } from "#agent/words/entry.ts"
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
  const startOver = (): void => void (rung = 0)

  function shrinkFrom(first: (typeof shrinkRungs)[number], why: string): "again" | "give_up" {
    rung = Math.max(rung, shrinkRungs.indexOf(first))
    const next = shrinkRungs[rung++]
    if (next === undefined) return "give_up"
    parts.record({
      kind: "notice",
      level: "warning",
      text: `${why} Making the conversation smaller: ${rungWords[next]}.`,
    })
    parts.record({ kind: "shrink", rung: next, why })
    return "again"
  }

  return {
    onEntry: byKind({ reply_end: startOver, turn_start: startOver }),
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
            text: `${model} is overloaded; going on with ${next} for the rest of the session.`,
          })
          return "again"
        }
        case "too_large":
          return shrinkFrom("media", "The provider found the request too large.")
        case "too_long":
          if (parts.demandCompaction?.()) return "again"
          return shrinkFrom("results", "The conversation is longer than the model's window.")
        case "malformed":
          return shrinkFrom("media", "The provider refused the conversation.")
        default:
          return "give_up"
      }
    },
  }
}

/** The one after this model, or the first one for a model that is none of them. */
export const nextModel = (model: string, fallbacks: readonly string[]): string | undefined =>
  fallbacks[fallbacks.indexOf(model) + 1]

const rungWords: { readonly [rung in (typeof shrinkRungs)[number]]: string } = {
  media: "images and documents are left out",
  results: "old tool results are cut",
  turns: "the older half is left out",
  summary: "it is replaced by an extract",
}
