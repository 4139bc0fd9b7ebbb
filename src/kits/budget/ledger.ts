/** One ledger for a whole tree of agents: what a request could cost is set aside before it is sent, so the cap holds however many ask at once. */

import type { Usage } from "#agent/words/model.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { costOf, worstCost, type Prices } from "./prices.ts"

/** A request about to be sent, at its largest. */
export interface Ask {
  /** Which agent asks, in words a person knows it by. */
  readonly who: string
  readonly model: string
  /** The most the prompt can be. */
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
  { readonly kind: "over_cap" } | { readonly kind: "no_price"; readonly model: string }
)

/** What was spent before: by an earlier run of the session, say. */
export interface Spent {
  readonly who: string
  /** Absent where the model has no price. */
  readonly costUsd?: number
}

/** Where all agents of a session book what they spend. */
export interface Ledger {
  /** Sets the worst case of a request aside, or says why it may not be sent. */
  readonly reserve: (ask: Ask) => Result<Reservation, BudgetRefusal>
  /** Books what was spent without being asked for first. */
  readonly book: (spent: Spent) => void
}

export interface LedgerParts {
  readonly prices: Prices
  /** Dollars that may be spent; absent means no limit. */
  readonly capUsd?: number
}

export function openLedger({ prices, capUsd }: LedgerParts): Ledger {
  const byAgent = new Map<string, number>()
  let spentUsd = 0
  let reservedUsd = 0

  const book = ({ who, costUsd = 0 }: Spent): void => {
    spentUsd += costUsd
    byAgent.set(who, (byAgent.get(who) ?? 0) + costUsd)
  }

  const reserve = ({ who, model, inputTokens, maxOutput, searches }: Ask): Result<Reservation, BudgetRefusal> => {
    const price = prices(model)
    const usd = price ? worstCost(inputTokens, maxOutput, price, searches) : 0
    if (capUsd !== undefined) {
      if (!price) return failed(noPrice(model))
      const left = capUsd - spentUsd - reservedUsd
      if (!(usd <= left)) return failed(overCap(usd, Math.max(0, left), byAgent))
    }

    reservedUsd += usd
    let open = true
    const release = (): boolean => {
      if (!open) return false
      open = false
      reservedUsd -= usd
      return true
    }
    return ok({
      release,
      settle(usage) {
        const costUsd = price && costOf(usage, price)
        if (release()) book({ who, ...(costUsd !== undefined && { costUsd }) })
        return costUsd
      },
    })
  }

  return { reserve, book }
}

const overCap = (usd: number, left: number, byAgent: ReadonlyMap<string, number>): BudgetRefusal => ({
  kind: "over_cap",
  message: `The budget does not cover the next request: it could cost ${dollars(usd)}, and ${dollars(left)} is left. ${whoSpent(byAgent)} Resume with a larger --max-budget-usd to continue.`,
})

const noPrice = (model: string): BudgetRefusal => ({
  kind: "no_price",
  model,
  message: `No price is known for ${model}, so a budget in dollars cannot be kept. Set its price in the setting providers.prices, or leave out --max-budget-usd.`,
})

function whoSpent(byAgent: ReadonlyMap<string, number>): string {
  const most = [...byAgent].sort(([, a], [, b]) => b - a)
  if (most.length === 0) return "Nothing was spent yet."
  const named = most.slice(0, mostNamed).map(([who, usd]) => `${who} ${dollars(usd)}`)
  const others = most.length - named.length
  return `Spent so far: ${named.join(", ")}${others > 0 ? ` and ${others} more` : ""}.`
}

const mostNamed = 8

const dollars = (usd: number): string => `$${usd < 1 ? usd.toFixed(4) : usd.toFixed(2)}`
