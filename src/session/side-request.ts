/** Requests beside the conversation: one question, one answer, paid from the same ledger. */

import type { Model, ModelEvent, ModelFailure, Request, ServerSearch, Usage } from "#agent/words/model.ts"
import { noUsage } from "#agent/words/model.ts"
import type { Ledger } from "#kits/budget/ledger.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { textWeight } from "./weight.ts"

export interface SideRequest {
  /** Under which name the cost is booked. */
  readonly who: string
  readonly model: string
  readonly system: string
  readonly user: string
  readonly search?: ServerSearch
}

/** Why there is no whole answer; `budget` when nothing was sent. */
export type SideFailure = Pick<ModelFailure, "message"> & { readonly kind: ModelFailure["kind"] | "budget" }

/** Who answers, and who pays. */
export interface SideParts {
  readonly port: Model
  readonly ledger: Ledger
  /** Hears what each request came to, where that is to be remembered beyond the ledger. */
  readonly onSpent?: (spent: SideSpent) => void
}

export interface SideSpent {
  readonly model: string
  readonly usage: Usage
  /** Absent where the model has no price. */
  readonly costUsd?: number
}

/** Asks, and tells each event of the answer as it comes. What was used is booked however it ends. */
type AskAside = (
  question: SideRequest,
  hear: (event: ModelEvent) => void,
  signal: AbortSignal,
) => Promise<Result<void, SideFailure>>

const maxTokens = 4_096
/** What one search may bring into the prompt at most, for all we know: a page of results with their excerpts. */
const tokensOfSearch = 20_000

export function openSideRequests({ port, ledger, onSpent }: SideParts): AskAside {
  return async ({ who, model, system, user, search }, hear, signal) => {
    const searches = search?.maxUses ?? 0
    const inputTokens = textWeight(system).tokens + textWeight(user).tokens + searches * tokensOfSearch
    const reserved = ledger.reserve({ who, model, inputTokens, maxOutput: maxTokens, searches })
    if (!reserved.ok) return failed({ kind: "budget", message: reserved.failure.message })
    const request: Request = {
      model,
      system: [{ text: system }],
      tools: [],
      ...(search && { serverTools: [search] }),
      messages: [{ role: "user", content: [{ type: "text", text: user }] }],
      maxTokens,
      thinking: { type: "off" },
      delivery: "stream",
      repeat: 0,
    }
    let usage: Usage = noUsage
    let made = 0
    let failure: ModelFailure | undefined
    for await (const event of port.stream(request, signal)) {
      if (event.type === "message_start") usage = event.usage
      if (event.type === "message_delta") usage = { ...usage, ...event.usage }
      if (event.type === "search_result" && event.error === undefined) made++
      if (event.type === "error") failure = event.failure
      hear(event)
    }
    // An answer that is cut off does not say what it searched for, but that was paid for too.
    const counted = Math.max(usage.web_search_requests ?? 0, failure ? made : 0)
    const used: Usage = { ...usage, ...(counted > 0 && { web_search_requests: counted }) }
    const costUsd = reserved.value.settle(used)
    if (usage !== noUsage) onSpent?.({ model, usage: used, ...(costUsd !== undefined && { costUsd }) })
    return failure ? failed(failure) : ok(undefined)
  }
}
