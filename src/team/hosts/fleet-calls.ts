/**
 * What a member of a fleet can ask of its lead, which may run nowhere: the budget, which all sessions of the team share in the database. Rules that its
 * user gives it are its own, its questions are asked where it is shown, and a budget that is used up stays so.
 */

import type { AgentSpending, Budget } from "#agent/words/budget.ts"
import { openLedger, type SharedBudget } from "#kits/budget/ledger.ts"
import type { Prices } from "#kits/budget/prices.ts"
import type { Upward } from "#session/opening/upward.ts"

/** A budget that several sessions share, and what this one has spent of it before. */
export interface KeptBudget {
  readonly budget: SharedBudget
  readonly spent: AgentSpending
}

export function fleetCalls(parts: {
  readonly member: string
  readonly prices: Prices
  readonly budget: () => Budget
  readonly kept: KeptBudget
}): Upward {
  const ledger = openLedger(parts)
  ledger.book({ who: parts.member, ...parts.kept.spent })
  ledger.share(parts.kept.budget)
  return {
    ledger,
    ask: () => new Promise(() => {}),
    overBudget: async () => "stop",
    grants: { remember: () => {} },
    update: async () => {},
    gates: { note: () => {} },
    warn: () => {},
  }
}
