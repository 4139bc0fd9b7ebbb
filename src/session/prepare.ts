/** Assembles the next request from the log. What does not change between steps is made once and keeps its identity. */

import type { Prepared, Wish } from "#agent/agent.ts"
import type { Entry, EntryBody, ShrinkRung } from "#agent/words/entry.ts"
import type { ModelFacts, Request, SystemPart, Thinking, ToolSpec, Usage } from "#agent/words/model.ts"
import type { AnyTool } from "#agent/words/tool.ts"
import type { Ledger, Reservation } from "#kits/budget/ledger.ts"
import type { Conversation } from "#kits/context/assemble.ts"
import type { SessionState } from "./state.ts"
import { entryWeight, messagesWeight, plus, textWeight, weightless } from "./weight.ts"

export interface Preparation {
  readonly prepare: (wish: Wish) => Promise<Prepared>
  /** Watches what was added since the last answer, for the estimate of the next input. */
  readonly take: (entry: Entry) => void
  /** Books what the request under way used, and gives its cost where the model has a price. */
  readonly settle: (usage: Usage) => number | undefined
}

/** Providers take at most 100 images, and refuse bodies beyond 32 MB. */
const mostMedia = 90
const mostBodyChars = 28_000_000

export function openPreparation(parts: {
  readonly conversation: Conversation
  readonly system: readonly SystemPart[]
  readonly tools: readonly AnyTool[]
  readonly state: () => SessionState
  readonly factsOf: (model: string) => ModelFacts
  readonly ledger: Ledger
  readonly who: string
  readonly maxOutputTokens: number | undefined
  readonly thinking: Thinking
  readonly record: (body: EntryBody) => void
}): Preparation {
  const specs: readonly ToolSpec[] = parts.tools.map(({ name, description, schema }) => ({
    name,
    description,
    input_schema: schema,
  }))
  const fixed = textWeight([...parts.system.map(({ text }) => text), JSON.stringify(specs)].join("\n"))
  let since = weightless
  let all = weightless
  let reserved: Reservation | undefined

  const shrink = (rung: ShrinkRung, why: string): void => {
    parts.record({ kind: "shrink", rung, why })
    all = messagesWeight(parts.conversation.messages())
  }

  return {
    settle: (usage) => reserved?.settle(usage),
    take(entry) {
      if (entry.kind === "reply_end") since = weightless
      const weight = entryWeight(entry)
      since = plus(since, weight)
      all = plus(all, weight)
    },
    prepare(wish) {
      if (all.media > mostMedia) shrink("old_media", `there were more than ${mostMedia} images and documents`)
      if (all.chars > mostBodyChars) shrink("results", "the request grew too large")
      const { model, contextTokens } = parts.state()
      const facts = parts.factsOf(model)
      const most = Math.min(parts.maxOutputTokens ?? facts.maxOutput, facts.maxOutput)
      const maxTokens = wish.output === "raised" ? most : Math.min(usualOutput, most)
      // What the last answer said it was, and what came since; without one, everything.
      const inputTokens = contextTokens === 0 ? fixed.tokens + all.tokens : contextTokens + since.tokens
      // A request that came to nothing gives back what was set aside for it; a settled one has already.
      reserved?.release()
      const reservation = parts.ledger.reserve({
        who: parts.who,
        model,
        inputTokens,
        maxOutput: maxTokens,
      })
      if (!reservation.ok)
        return Promise.resolve({
          kind: "stop",
          end: { reason: "max_budget", message: reservation.failure.message },
        })
      reserved = reservation.value
      const request: Request = {
        model,
        system: parts.system,
        tools: specs,
        messages: parts.conversation.messages(),
        maxTokens,
        thinking:
          parts.thinking.type === "budget" && parts.thinking.tokens < maxTokens ? parts.thinking : { type: "off" },
        delivery: wish.delivery,
        repeat: wish.repeat,
      }
      return Promise.resolve({ kind: "request", request, tools: parts.tools })
    },
  }
}

/** Enough for long answers; more is asked for only when an answer was cut off. */
const usualOutput = 32_000
