/** One ledger for a whole tree of agents: the worst-case cost of a request is reserved before it is sent, so the cap holds however many agents ask at once. */

import type { AgentSpending, Budget, OthersSpending, ProcessSpending } from "#agent/words/budget.ts"
import { allTokens, type Usage } from "#agent/words/model.ts"
import { tokensText } from "#lib/figures.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { dollars } from "./amount.ts"
import { affordableOutput, costOf, worstCost, type Prices } from "./prices.ts"

/** A request about to be sent, at its largest. */
export interface BudgetAsk {
  /** Which agent asks, by the name the user knows. */
  readonly who: string
  readonly model: string
  readonly inputTokens: number
  readonly maxOutput: number
  /** How far its output may be lowered to fit what is left; not at all when absent. */
  readonly leastOutput?: number
  /** Searches that the provider may make for it. */
  readonly searches?: number
}

/** Settling or releasing returns it, once; later calls do nothing. */
export interface Reservation {
  /** The output that it covers. */
  readonly maxOutput: number
  /** Books what was really used instead, and returns its cost where the model has a price. */
  readonly settle: (usage: Usage) => number | undefined
  readonly release: () => void
}

/** Why a request may not be sent, with a message for the user. */
export type BudgetRefusal = { readonly message: string } &
  /** `enough`: the smallest budget that would cover it at its largest. `held`: it fits once requests under way are paid, in this process or in others. */
  (
    | { readonly kind: "over_cap"; readonly enough: Budget; readonly held?: ReservedBy }
    | { readonly kind: "no_price"; readonly model: string }
    | { readonly kind: "agent_cap" }
  )

export type ReservedBy = "here" | "others"

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
  /** Resolves when a reservation of this process is settled or released, or at the signal. */
  readonly returned: (signal: AbortSignal) => Promise<void>
  /** From now on, the budget is shared with other processes; undefined ends that. */
  readonly share: (shared: SharedBudget | undefined) => void
}

/** The budget as several processes share it. */
export interface SharedBudget {
  /**
   * Nobody else reserves meanwhile. `work` gets what all others have spent and reserved, and returns what is reserved and spent here now. It may be
   * called again, and the last time counts. The failure is a sentence: nothing is known about the others.
   */
  readonly inTurn: (work: (others: OthersSpending) => ProcessSpending | undefined) => Promise<Result<void, string>>
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
  const waiting = new Set<() => void>()
  let spent = nothing
  let shared = sharedBefore
  const reserved = (): AgentSpending => [...open].reduce(plus, nothing)
  const now = (): ProcessSpending => ({ spent, reserved: reserved() })
  const reportSpending = (): void => void shared?.inTurn(now)

  function add({ who, costUsd = 0, tokens = 0 }: Spent): void {
    spent = plus(spent, { costUsd, tokens })
    byAgent.set(who, plus(byAgent.get(who) ?? nothing, { costUsd, tokens }))
  }

  /** The output a request may have, or why it may not be sent. */
  function admitted(ask: BudgetAsk, others: OthersSpending): Result<number, BudgetRefusal> {
    const cap = budget()
    const { model, maxOutput, leastOutput = maxOutput } = ask
    if (cap.usd === undefined && cap.tokens === undefined) return ok(maxOutput)
    if (cap.usd !== undefined && !prices(model)) return failed(noPrice(model))
    const used = plus(plus(spent, reserved()), others)
    const left = leftOf(cap, used)
    const output = outputWithin(left, ask, prices)
    if (output >= maxOutput && isFinite(maxOutput)) return ok(maxOutput)
    // None of several processes takes all that is left, so that the others need not wait.
    const share = shared ? Math.max(leastOutput, Math.floor(output / 2)) : output
    if (output >= leastOutput && isFinite(share)) return ok(share)
    const fits = (withUsed: AgentSpending): boolean => outputWithin(leftOf(cap, withUsed), ask, prices) >= leastOutput
    const reservedBy = fits(plus(spent, others))
      ? "here"
      : fits(minus(plus(spent, others), others.reserved ?? nothing))
        ? "others"
        : undefined
    return failed(
      overCap({
        ask,
        worst: (most) => worstOf({ ...ask, maxOutput: most }, prices),
        cap,
        used,
        left,
        byAgent,
        held: reservedBy,
      }),
    )
  }

  const close = (worst: AgentSpending | undefined): boolean => {
    if (!worst || !open.delete(worst)) return false
    for (const wake of waiting) wake()
    waiting.clear()
    return true
  }

  async function reserve(ask: BudgetAsk): Promise<Result<Reservation, BudgetRefusal>> {
    const { who, model } = ask
    const price = prices(model)
    let worst: AgentSpending | undefined
    let answer: Result<number, BudgetRefusal> | undefined
    const admit = (others: OthersSpending): ProcessSpending | undefined => {
      if (worst) open.delete(worst)
      answer = admitted(ask, others)
      if (!answer.ok) return undefined
      worst = worstOf({ ...ask, maxOutput: answer.value }, prices)
      open.add(worst)
      return now()
    }
    if (shared) {
      const asked = await shared.inTurn(admit)
      if (!asked.ok) {
        close(worst)
        return failed({ kind: "agent_cap", message: asked.failure })
      }
    } else admit(nothing)
    if (!answer) return failed({ kind: "agent_cap", message: "What others have spent is not known." })
    if (!answer.ok) return answer

    return ok({
      maxOutput: answer.value,
      release: () => void (close(worst) && reportSpending()),
      settle(usage) {
        const cost = price && costOf(usage, price)
        const paid = { costUsd: cost ?? 0, tokens: allTokens(usage) }
        // Booked first: whoever waits for the reservation must find it spent.
        if (!worst || !open.has(worst)) return cost
        add({ who, ...paid })
        close(worst)
        shared?.settled(now, { who, model, usage, hasPrice: price !== undefined, ...paid })
        return cost
      },
    })
  }

  return {
    reserve,
    returned: (signal) =>
      new Promise((resolve) => {
        if (signal.aborted || open.size === 0) return resolve()
        waiting.add(resolve)
        signal.addEventListener("abort", () => resolve(), { once: true })
      }),
    book(more) {
      add(more)
      reportSpending()
    },
    share(next) {
      shared = next
      reportSpending()
    },
  }
}

/** What a request costs if it uses all that it may. */
function worstOf({ model, inputTokens, maxOutput, searches }: BudgetAsk, prices: LedgerParts["prices"]): AgentSpending {
  const price = prices(model)
  return {
    costUsd: price ? worstCost(inputTokens, maxOutput, price, searches) : 0,
    tokens: inputTokens + maxOutput,
  }
}

/** The most output that fits the budget. */
function outputWithin(
  left: Budget,
  { model, inputTokens, maxOutput, searches }: BudgetAsk,
  prices: LedgerParts["prices"],
): number {
  const price = prices(model)
  const paid = left.usd === undefined || !price ? maxOutput : affordableOutput(left.usd, inputTokens, price, searches)
  const counted = left.tokens === undefined ? maxOutput : left.tokens - inputTokens
  return Math.min(maxOutput, paid, counted)
}

const plus = (a: AgentSpending, b: AgentSpending): AgentSpending => ({
  costUsd: a.costUsd + b.costUsd,
  tokens: a.tokens + b.tokens,
})

const minus = (a: AgentSpending, b: AgentSpending): AgentSpending => ({
  costUsd: a.costUsd - b.costUsd,
  tokens: a.tokens - b.tokens,
})

const leftOf = ({ usd, tokens }: Budget, used: AgentSpending): Budget => ({
  ...(usd !== undefined && { usd: usd - used.costUsd }),
  ...(tokens !== undefined && { tokens: tokens - used.tokens }),
})

function overCap(parts: {
  readonly ask: BudgetAsk
  readonly worst: (maxOutput: number) => AgentSpending
  readonly cap: Budget
  readonly used: AgentSpending
  readonly left: Budget
  readonly byAgent: ReadonlyMap<string, AgentSpending>
  readonly held: ReservedBy | undefined
}): BudgetRefusal {
  const { ask, worst, cap, used, left, byAgent, held } = parts
  const { maxOutput, leastOutput = maxOutput } = ask
  const most = worst(maxOutput)
  const least = worst(leastOutput)
  const isMoney = left.usd !== undefined && !(least.costUsd <= left.usd)
  const enough: Budget = isMoney
    ? { ...cap, usd: used.costUsd + most.costUsd }
    : { ...cap, tokens: used.tokens + most.tokens }
  const could = isMoney ? `cost ${dollars(least.costUsd)}` : `take ${tokensText(least.tokens)}`
  const short = leastOutput < maxOutput ? " even with a short answer" : ""
  const rest = isMoney
    ? `${dollars(Math.max(0, left.usd ?? 0))} is`
    : `${tokensText(Math.max(0, left.tokens ?? 0))} are`
  return {
    kind: "over_cap",
    enough,
    ...(held && { held }),
    message: `The budget does not cover the next request: it could ${could}${short}, and ${rest} left. ${whoSpent(byAgent, enough)} Raise it with /budget, or resume with a larger ${isMoney ? "--max-budget-usd" : "--max-budget-tokens"}.`,
  }
}

const noPrice = (model: string): BudgetRefusal => ({
  kind: "no_price",
  model,
  message: `No price is known for ${model}, so a budget in dollars cannot be kept. Set a budget in tokens instead (/budget 500k tokens, or --max-budget-tokens), or the model's price in the setting providers.prices.`,
})

function whoSpent(byAgent: ReadonlyMap<string, AgentSpending>, { usd }: Budget): string {
  const unit = usd === undefined ? "tokens" : "costUsd"
  const most = [...byAgent].sort(([, a], [, b]) => b[unit] - a[unit])
  if (most.length === 0) return "No usage yet."
  const named = most
    .slice(0, mostNamed)
    .map(([who, own]) => `${who} ${unit === "tokens" ? tokensText(own.tokens) : dollars(own.costUsd)}`)
  const others = most.length - named.length
  return `Spent so far: ${named.join(", ")}${others > 0 ? ` and ${others} more` : ""}.`
}

const mostNamed = 8
