/** How much may be spent in a day: beyond that nothing is begun, and what runs is interrupted. */

import type { Clock } from "#lib/clock.ts"
import { DatabaseLost } from "#lib/database.ts"
import { programNames } from "./records.ts"
import type { FleetRecords, FleetStore } from "./store.ts"

export interface FleetBudgets {
  readonly userUsdPerDay?: number | undefined
  readonly fleetUsdPerDay?: number | undefined
}

/** Why nothing more may be spent for this user today, as a sentence; undefined if something may. */
export async function budgetProblem(
  { spending }: Pick<FleetRecords, "spending">,
  budgets: FleetBudgets,
  user: string,
): Promise<string | undefined> {
  if (!isLimited(budgets)) return undefined
  return problemOf((await spending.today()).byUser, budgets, user)
}

function problemOf(
  byUser: ReadonlyMap<string, number>,
  { userUsdPerDay, fleetUsdPerDay }: FleetBudgets,
  user: string,
): string | undefined {
  const all = [...byUser.values()].reduce((sum, usd) => sum + usd, 0)
  if (fleetUsdPerDay !== undefined && all >= fleetUsdPerDay)
    return `The budget of all users for today ($${fleetUsdPerDay.toFixed(2)}) is used up. It starts again at midnight UTC; server.budgets.fleetUsdPerDay raises it.`
  if (userUsdPerDay !== undefined && (byUser.get(user) ?? 0) >= userUsdPerDay)
    return `The budget of ${user} for today ($${userUsdPerDay.toFixed(2)}) is used up. It starts again at midnight UTC; server.budgets.userUsdPerDay raises it.`
  return undefined
}

const isLimited = ({ userUsdPerDay, fleetUsdPerDay }: FleetBudgets): boolean =>
  userUsdPerDay !== undefined || fleetUsdPerDay !== undefined

/** What was spent is told as a change of lists; between two looks is a pause, and without news a longer one. */
const [pauseMs, refreshMs] = [2_000, 30_000]

/** Interrupts what runs once its budget is used up, on whichever machine. The returned function ends it. */
export function watchBudgets(parts: {
  readonly store: FleetStore
  readonly budgets: FleetBudgets
  readonly clock: Clock
  readonly report: (text: string) => void
}): () => Promise<void> {
  const { store, budgets, clock } = parts
  const ending = new AbortController()
  let wake = (): void => undefined

  async function refresh(): Promise<void> {
    const { day, byUser } = await store.spending.today()
    for (const { id, createdBy } of await store.spending.running()) {
      if (problemOf(byUser, budgets, createdBy) === undefined) continue
      // One interrupt for each day and budget: whoever raises the budget may continue.
      const opId = `budget-${day}-${budgets.userUsdPerDay ?? 0}-${budgets.fleetUsdPerDay ?? 0}`
      await store.ops.add(id, opId, { type: "interrupt" }, programNames.budget)
    }
  }

  async function run(): Promise<void> {
    while (!ending.signal.aborted) {
      const news = new AbortController()
      wake = () => news.abort()
      await refresh().catch((error: unknown) => {
        if (!(error instanceof DatabaseLost)) parts.report(`Budgets: ${String(error)}`)
      })
      await clock.sleep(pauseMs, ending.signal)
      await clock.sleep(refreshMs - pauseMs, AbortSignal.any([news.signal, ending.signal]))
    }
  }

  if (!isLimited(budgets)) return async () => undefined
  const unwatch = store.watchChanges((change) => {
    if (change === undefined || change.what === "sessions") wake()
  })
  const over = run()
  return async () => {
    ending.abort()
    unwatch()
    await over
  }
}
