/** One ledger for a whole tree of agents: what a request could cost is set aside before it is sent, so the cap holds however many ask at once. */

import { addUsage, noUsage, type Usage } from "#agent/words/model.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { costOf, worstCost, type Prices } from "./prices.ts"

/** What may be spent; absent means no limit. */
export interface Caps {
  readonly usd?: number
  readonly tokens?: number
}

/** A request about to be sent, at its largest. */
export interface Ask {
  /** Which agent asks, in words a person knows it by. */
  readonly who: string
  readonly model: string
  /** The estimated size of the prompt. */
  readonly inputTokens: number
  readonly maxOutput: number
  /** Searches that the provider may make for it. */
  readonly searches?: number
}

/** What was set aside for a request. It is given back by settling, once; later calls do nothing. */
export interface Reservation {
  /** Puts what was really used in its place, and gives its cost where the model has a price. */
  readonly settle: (usage: Usage) => number | undefined
  /** The request used nothing. */
  readonly release: () => void
}

/** Why a request may not be sent, and the words for a person. */
export type BudgetRefusal = { readonly message: string } & (
  { readonly kind: "over_cap"; readonly cap: "usd" | "tokens" } | { readonly kind: "no_price"; readonly model: string }
)

/** What came together under one name. */
export interface Total {
  readonly usage: Usage
  /** Dollars, as far as prices are known. */
  readonly costUsd: number
  readonly requests: number
  /** Requests to models without a price: their cost is in no sum. */
  readonly unpriced: number
}

/** Everything together, and by name. */
export interface Totals extends Total {
  readonly byModel: ReadonlyMap<string, Total>
  readonly byAgent: ReadonlyMap<string, Total>
}

/** What was spent before: by an earlier run of the session, say. */
export interface Spent {
  readonly who: string
  readonly model: string
  readonly usage: Usage
  readonly costUsd?: number
}

/** Where all agents of a session book what they spend. */
export interface Ledger {
  /** Sets the worst case of a request aside, or says why it may not be sent. */
  readonly reserve: (ask: Ask) => Result<Reservation, BudgetRefusal>
  /** Books what was spent without being asked for first. */
  readonly book: (spent: Spent) => void
  readonly totals: () => Totals
  /** Replaces the caps: how a paused turn goes on. */
  readonly setCaps: (caps: Caps) => void
  readonly caps: () => Caps
}

/** What a ledger begins with. */
export interface LedgerParts {
  readonly prices: Prices
  readonly caps?: Caps
  readonly spent?: readonly Spent[]
}

/** A ledger with its caps, and with what was spent before. */
export function openLedger({ prices, caps: first = {}, spent = [] }: LedgerParts): Ledger {
  const byModel = new Map<string, Total>()
  const byAgent = new Map<string, Total>()
  let all = nothing
  let caps = first
  let reservedUsd = 0
  let reservedTokens = 0

  const book = ({ who, model, usage, costUsd }: Spent): void => {
    all = plus(all, usage, costUsd)
    byModel.set(model, plus(byModel.get(model) ?? nothing, usage, costUsd))
    byAgent.set(who, plus(byAgent.get(who) ?? nothing, usage, costUsd))
  }

  const refusal = (cap: "usd" | "tokens", needs: string, left: string): BudgetRefusal => ({
    kind: "over_cap",
    cap,
    message: `The budget does not cover the next request: it could take ${needs}, and ${left} is left. ${whoSpent(byAgent, cap)} Raise the budget to go on.`,
  })

  const reserve = ({ who, model, inputTokens, maxOutput, searches }: Ask): Result<Reservation, BudgetRefusal> => {
    const price = prices(model)
    const tokens = inputTokens + maxOutput
    const usd = price ? worstCost(inputTokens, maxOutput, price, searches) : 0
    if (caps.usd !== undefined) {
      if (!price) return failed(noPrice(model))
      const left = caps.usd - all.costUsd - reservedUsd
      if (!(usd <= left)) return failed(refusal("usd", dollars(usd), dollars(Math.max(0, left))))
    }
    if (caps.tokens !== undefined) {
      const left = caps.tokens - tokensIn(all.usage) - reservedTokens
      if (!(tokens <= left)) return failed(refusal("tokens", count(tokens), count(Math.max(0, left))))
    }

    reservedUsd += usd
    reservedTokens += tokens
    let open = true
    const release = (): boolean => {
      if (!open) return false
      open = false
      reservedUsd -= usd
      reservedTokens -= tokens
      return true
    }
    return ok({
      release,
      settle(usage) {
        const costUsd = price && costOf(usage, price)
        if (release()) book({ who, model, usage, ...(costUsd !== undefined && { costUsd }) })
        return costUsd
      },
    })
  }

  for (const earlier of spent) book(earlier)
  return {
    reserve,
    book,
    totals: () => ({ ...all, byModel: new Map(byModel), byAgent: new Map(byAgent) }),
    caps: () => caps,
    setCaps(next) {
      caps = next
    },
  }
}

const nothing: Total = { usage: noUsage, costUsd: 0, requests: 0, unpriced: 0 }

function plus(total: Total, usage: Usage, costUsd: number | undefined): Total {
  return {
    usage: addUsage(total.usage, usage),
    costUsd: total.costUsd + (costUsd ?? 0),
    requests: total.requests + 1,
    unpriced: total.unpriced + (costUsd === undefined ? 1 : 0),
  }
}

const tokensIn = (usage: Usage): number =>
  usage.input_tokens + usage.output_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens

function noPrice(model: string): BudgetRefusal {
  return {
    kind: "no_price",
    model,
    message: `No price is known for ${model}, so a budget in dollars cannot be kept. Set its price in the settings, or set a budget in tokens instead.`,
  }
}

function whoSpent(byAgent: ReadonlyMap<string, Total>, cap: "usd" | "tokens"): string {
  const share = (total: Total): number => (cap === "usd" ? total.costUsd : tokensIn(total.usage))
  const most = [...byAgent].sort(([, a], [, b]) => share(b) - share(a))
  if (most.length === 0) return "Nothing was spent yet."
  const named = most
    .slice(0, mostNamed)
    .map(([who, total]) => `${who} ${(cap === "usd" ? dollars : count)(share(total))}`)
  const others = most.length - named.length
  return `Spent so far: ${named.join(", ")}${others > 0 ? ` and ${others} more` : ""}.`
}

const mostNamed = 8

const dollars = (usd: number): string => `$${usd < 1 ? usd.toFixed(4) : usd.toFixed(2)}`
const count = (tokens: number): string => `${Math.ceil(tokens).toLocaleString("en")} tokens`
