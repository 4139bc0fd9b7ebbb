/** Assembles the next request from the log. What does not change between steps is made once and keeps its identity. */

import type { Prepared, Wish } from "#agent/agent.ts"
import type { Entry, EntryBody } from "#agent/words/entry.ts"
import type { ModelFacts, Request, SystemPart, Thinking, ToolSpec, Usage } from "#agent/words/model.ts"
import type { AnyTool } from "#agent/words/tool.ts"
import type { Ledger, Reservation } from "#kits/budget/ledger.ts"
import type { Conversation } from "#kits/context/assemble.ts"
import type { SessionState } from "./state.ts"

export interface Preparation {
  readonly prepare: (wish: Wish) => Promise<Prepared>
  /** Watches what was added since the last answer, for the estimate of the next input. */
  readonly take: (entry: Entry) => void
  /** Books what the request under way used, and gives its cost where the model has a price. */
  readonly settle: (usage: Usage) => number | undefined
}

/** Providers take at most this many images, and refuse bodies beyond 32 MB. */
const mostImages = 90
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
  const fixedChars =
    parts.system.reduce((chars, { text }) => chars + text.length, 0) +
    specs.reduce((chars, spec) => chars + JSON.stringify(spec).length, 0)
  let sinceChars = 0
  let allChars = 0
  let images = 0
  let reserved: Reservation | undefined

  return {
    settle: (usage) => reserved?.settle(usage),
    take(entry) {
      if (entry.kind === "reply_end") sinceChars = 0
      if (entry.kind === "shrink") images = allChars = 0
      const size = sizeOf(entry)
      sinceChars += size.chars
      allChars += size.chars
      images += size.images
    },
    prepare(wish) {
      if (images > mostImages) parts.record({ kind: "shrink", rung: "media", why: `more than ${mostImages} images` })
      if (allChars > mostBodyChars) parts.record({ kind: "shrink", rung: "results", why: "the request grew too large" })
      const { model, contextTokens } = parts.state()
      const facts = parts.factsOf(model)
      const usual = Math.min(parts.maxOutputTokens ?? usualOutput, facts.maxOutput)
      const maxTokens = wish.output === "raised" ? facts.maxOutput : usual
      const inputTokens = contextTokens === 0 ? (fixedChars + allChars) / 4 : contextTokens + sinceChars / 4
      // A request that came to nothing gives back what was set aside for it; a settled one has already.
      reserved?.release()
      const reservation = parts.ledger.reserve({
        who: parts.who,
        model,
        inputTokens: Math.ceil(inputTokens),
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

function sizeOf(entry: Entry): { chars: number; images: number } {
  switch (entry.kind) {
    case "prompt":
      return sizeOfBlocks(entry.content)
    case "attachment":
      return { chars: entry.text.length, images: 0 }
    case "reply":
      return { chars: JSON.stringify(entry.block).length, images: 0 }
    case "result":
      return typeof entry.content === "string"
        ? { chars: entry.content.length, images: 0 }
        : sizeOfBlocks(entry.content)
    default:
      return { chars: 0, images: 0 }
  }
}

function sizeOfBlocks(blocks: readonly { readonly type: string }[]): { chars: number; images: number } {
  return {
    chars: blocks.reduce((total, block) => total + JSON.stringify(block).length, 0),
    images: blocks.filter(({ type }) => type === "image").length,
  }
}
