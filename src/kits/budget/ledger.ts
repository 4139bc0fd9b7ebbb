/** One ledger for a whole tree of agents: the worst-case cost of a request is reserved before it is sent, so the cap holds however many agents ask at once. */

import type { AgentSpending, Budget } from "#agent/words/budget.ts"
import type { Usage } from "#agent/words/model.ts"
import type { ProcessSpending } from "#agent/words/relay.ts"
import { tokensText } from "#lib/figures.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { dollars } from "./amount.ts"
import { costOf, worstCost, type Prices } from "./prices.ts"

/** A request about to be sent, at its largest. */
export interface BudgetAsk {
  /** Which agent asks, by the name the user knows. */
  readonly who: string
  readonly model: string
  readonly inputTokens: number
  readonly maxOutput: number
  /** Searches that the provider may make for it. */
  readonly searches?: number
}

/** Settling or releasing returns it, once; later calls do nothing. */
export interface Reservation {
  /** Books what was really used instead, and returns its cost where the model has a price. */
  readonly settle: (usage: Usage) => number | undefined
  readonly release: () => void
}

/** Why a request may not be sent, with a message for the user. */
export type BudgetRefusal = { readonly message: string } &
  /** `enough`: the smallest budget that would cover it. */
  (
    | { readonly kind: "over_cap"; readonly enough: Budget }
    | { readonly kind: "no_price"; readonly model: string }
    | { readonly kind: "agent_cap" }
  )

/** Earlier spending, such as by a previous run of the session. */
export interface Spent {
  readonly who: string
  /** Absent where the model has no price. */
  readonly costUsd?: number
  readonly tokens?: number
}

export interface Ledger {
  /** Nobody else's request comes in between, in whichever process. */
  readonly reserve: (ask: BudgetAsk) => Promise<Result<Reservation, BudgetRefusal>>
  readonly book: (spent: Spent) => void
  /** From now on, the budget is shared with other processes; undefined ends that. */
  readonly share: (shared: SharedBudget | undefined) => void
}

/** The budget as several processes share it. */
export interface SharedBudget {
  /**
   * Nobody else reserves meanwhile. `work` gets what all others have spent and reserved, and returns what is reserved and spent here now. It may be
   * called again, and the last time counts. The failure is a sentence: nothing is known about the others.
   */
  readonly inTurn: (work: (others: AgentSpending) => ProcessSpending | undefined) => Promise<Result<void, string>>
  /** A request was paid. */
  readonly settled: (now: () => ProcessSpending, paid: Paid) => void
}

export interface Paid extends AgentSpending {
  readonly who: string
  readonly model: string
  readonly usage: Usage
  readonly hasPrice: boolean
}

export interface LedgerParts {
  readonly prices: Prices
  /** Can be raised while the session runs. */
  readonly budget?: () => Budget
  /** If it is shared from the beginning. Others know what was spent here before, and are told only once that is booked. */
  readonly shared?: SharedBudget | undefined
}

const nothing: AgentSpending = { costUsd: 0, tokens: 0 }

export function openLedger({ prices, budget = () => ({}), shared: sharedBefore }: LedgerParts): Ledger {
  const byAgent = new Map<string, AgentSpending>()
  const open = new Set<AgentSpending>()
  let spent = nothing
  let shared = sharedBefore
  const reserved = (): AgentSpending => [...open].reduce(plus, nothing)
  const now = (): ProcessSpending => ({ spent, reserved: reserved() })
  const tell = (): void => void shared?.inTurn(now)

  function add({ who, costUsd = 0, tokens = 0 }: Spent): void {
    spent = plus(spent, { costUsd, tokens })
    byAgent.set(who, plus(byAgent.get(who) ?? nothing, { costUsd, tokens }))
  }

  function refusalOf(ask: BudgetAsk, worst: AgentSpending, others: AgentSpending): BudgetRefusal | undefined {
    const cap = budget()
    if (cap.usd === undefined && cap.tokens === undefined) return undefined
    const used = plus(plus(spent, reserved()), others)
    if (cap.usd !== undefined) {
      if (!prices(ask.model)) return noPrice(ask.model)
      const left = cap.usd - used.costUsd
      if (!(worst.costUsd <= left)) {
        const enough = { ...cap, usd: used.costUsd + worst.costUsd }
        return overCap(`cost ${dollars(worst.costUsd)}`, `${dollars(Math.max(0, left))} is`, byAgent, enough)
      }
    }
    if (cap.tokens === undefined) return undefined
    const left = cap.tokens - used.tokens
    if (worst.tokens <= left) return undefined
    const enough = { ...cap, tokens: used.tokens + worst.tokens }
    return overCap(`take ${tokensText(worst.tokens)}`, `${tokensText(Math.max(0, left))} are`, byAgent, enough)
  }

  async function reserve(ask: BudgetAsk): Promise<Result<Reservation, BudgetRefusal>> {
    const { who, model, inputTokens, maxOutput, searches } = ask
    const price = prices(model)
    const worst = {
      costUsd: price ? worstCost(inputTokens, maxOutput, price, searches) : 0,
      tokens: inputTokens + maxOutput,
    }
    let refusal: BudgetRefusal | undefined
    const admit = (others: AgentSpending): ProcessSpending | undefined => {
      open.delete(worst)
      refusal = refusalOf(ask, worst, others)
      if (refusal) return undefined
      open.add(worst)
      return now()
    }
    if (shared) {
      const asked = await shared.inTurn(admit)
      if (!asked.ok) {
        open.delete(worst)
        return failed({ kind: "agent_cap", message: asked.failure })
      }
    } else admit(nothing)
    if (refusal) return failed(refusal)

    return ok({
      release: () => void (open.delete(worst) && tell()),
      settle(usage) {
        const cost = price && costOf(usage, price)
        if (!open.delete(worst)) return cost
        const paid = { costUsd: cost ?? 0, tokens: tokensIn(usage) }
        add({ who, ...paid })
        shared?.settled(now, { who, model, usage, hasPrice: price !== undefined, ...paid })
        return cost
      },
    })
  }

  return {
    reserve,
    book(more) {
      add(more)
      tell()
    },
    share(next) {
      shared = next
      tell()
    },
  }
}

/** A budget that is shared without waiting. */
export const inOneGo =
  (inTurn: (work: Parameters<SharedBudget["inTurn"]>[0]) => void): SharedBudget["inTurn"] =>
  async (work) => {
    try {
      return ok(inTurn(work))
    } catch (error) {
      return failed(`What others have spent cannot be read: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

const plus = (a: AgentSpending, b: AgentSpending): AgentSpending => ({
  costUsd: a.costUsd + b.costUsd,
  tokens: a.tokens + b.tokens,
})

const tokensIn = (usage: Usage): number =>
  usage.input_tokens + usage.output_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens

const overCap = (
  could: string,
  left: string,
  byAgent: ReadonlyMap<string, AgentSpending>,
  enough: Budget,
): BudgetRefusal => ({
  kind: "over_cap",
  enough,
  message: `The budget does not cover the next request: it could ${could}, and ${left} left. ${whoSpent(byAgent, enough)} Raise it with /budget, or resume with a larger ${enough.usd === undefined ? "--max-budget-tokens" : "--max-budget-usd"}.`,
})

const noPrice = (model: string): BudgetRefusal => ({
  kind: "no_price",
  model,
  message: `No price is known for ${model}, so a budget in dollars cannot be kept. Set a budget in tokens instead (/budget 500k tokens, or --max-budget-tokens), or the model's price in the setting providers.prices.`,
})

function whoSpent(byAgent: ReadonlyMap<string, AgentSpending>, { usd }: Budget): string {
  const unit = usd === undefined ? "tokens" : "costUsd"
  const most = [...byAgent].sort(([, a], [, b]) => b[unit] - a[unit])
  if (most.length === 0) return "Nothing was spent yet."
  const named = most
    .slice(0, mostNamed)
    .map(([who, own]) => `${who} ${unit === "tokens" ? tokensText(own.tokens) : dollars(own.costUsd)}`)
  const others = most.length - named.length
  return `Spent so far: ${named.join(", ")}${others > 0 ? ` and ${others} more` : ""}.`
}

const mostNamed = 8
