/** The budget of a session that its members share, wherever they run: each request is reserved in the database before it is sent. */

import type { Budget } from "#agent/words/budget.ts"
import type { Lease } from "#fleet/records.ts"
import type { FleetStore } from "#fleet/store.ts"
import type { SharedBudget } from "#kits/budget/ledger.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Persist } from "./persist.ts"

export interface SharedBudgetParts {
  readonly store: Pick<FleetStore, "spending">
  readonly lease: Lease
  /** The session whose budget it is. */
  readonly lead: string
  readonly persist: Persist
}

const nobody = { costUsd: 0, tokens: 0 }

export function sharedBudget({ store, lease, lead, persist }: SharedBudgetParts, budget: () => Budget): SharedBudget {
  let last: Promise<unknown> = Promise.resolve()

  async function ask(work: Parameters<SharedBudget["inTurn"]>[0]): Promise<Result<void, string>> {
    try {
      const asked = await persist(() => store.spending.inTurn(lease, lead, work))
      return asked.ok ? asked : failed("Another worker has taken over the session.")
    } catch (error) {
      return failed(`What the others of the team have spent cannot be read: ${String(error)}`)
    }
  }

  /** One at a time, so that what is written last is what is so. */
  function inTurn(work: Parameters<SharedBudget["inTurn"]>[0]): Promise<Result<void, string>> {
    const { usd, tokens } = budget()
    if (usd === undefined && tokens === undefined) {
      work(nobody)
      return Promise.resolve(ok(undefined))
    }
    const next = last.then(() => ask(work))
    last = next
    return next
  }
  return { inTurn, settled: (now) => void inTurn(now) }
}
