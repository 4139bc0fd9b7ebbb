/** Requests outside the conversation: one question, one answer, paid from the same ledger. */

import type { Model, ModelFailure, Request, ServerSearch, Usage } from "#agent/words/model.ts"
import { openReply, type Reply } from "#agent/words/reply.ts"
import { textWeight } from "#agent/words/weight.ts"
import type { Ledger } from "#kits/budget/ledger.ts"

export interface SideRequest {
  readonly who: string
  readonly model: string
  readonly system: string
  readonly user: string
  readonly search?: ServerSearch
}

/** Why there is no complete answer; `budget` if nothing was sent. */
export type SideFailure = Pick<ModelFailure, "message"> & { readonly kind: ModelFailure["kind"] | "budget" }

export interface SideParts {
  readonly port: Model
  readonly ledger: Ledger
  /** Called with the cost of each request, to record it beyond the ledger. */
  readonly onSpent?: (spent: SideSpent) => void
}

export interface SideSpent {
  readonly who: string
  readonly model: string
  readonly usage: Usage
  /** Absent where the model has no price. */
  readonly costUsd?: number
}

/** The result of a request; after a failure, the answer as far as it came. */
export interface SideAnswer {
  readonly reply: Reply
  readonly failure?: SideFailure
}

/** Books what was used, however the request ends. */
type AskAside = (question: SideRequest, signal: AbortSignal) => Promise<SideAnswer>

const mostOutput = 4_096
const leastOutput = 1_000
/** Estimated upper limit of what one search adds to the prompt: a page of results with excerpts. */
const tokensOfSearch = 20_000

export function openSideRequests({ port, ledger, onSpent }: SideParts): AskAside {
  return async ({ who, model, system, user, search }, signal) => {
    const reply = openReply()
    const searches = search?.maxUses ?? 0
    const inputTokens = textWeight(system).most + textWeight(user).most + searches * tokensOfSearch
    const reserved = await ledger.reserve({ who, model, inputTokens, maxOutput: mostOutput, leastOutput, searches })
    if (!reserved.ok) return { reply, failure: { kind: "budget", message: reserved.failure.message } }
    const request: Request = {
      model,
      system: [{ text: system }],
      tools: [],
      purpose: "aside",
      ...(search && { serverTools: [search] }),
      messages: [{ role: "user", content: [{ type: "text", text: user }] }],
      maxTokens: reserved.value.maxOutput,
      thinking: { type: "off" },
      delivery: "stream",
      repeat: 0,
    }
    for await (const event of port.stream(request, signal)) reply.onEvent(event)
    const usage = reply.usage()
    const failure = reply.failure()
    const made = reply.searches().filter(({ error }) => error === undefined).length
    // An answer that is cut off does not report its searches, but they were paid for too.
    const counted = Math.max(usage.web_search_requests ?? 0, failure ? made : 0)
    const used: Usage = { ...usage, ...(counted > 0 && { web_search_requests: counted }) }
    const costUsd = reserved.value.settle(used)
    if (reply.begun()) onSpent?.({ who, model, usage: used, ...(costUsd !== undefined && { costUsd }) })
    return { reply, ...(failure && { failure }) }
  }
}
