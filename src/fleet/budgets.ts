/** How much may be spent in a day or a month, by a person, in a repository and by all: beyond that nothing is begun, and what runs is interrupted. */

import type { Clock } from "#lib/clock.ts"
import { DatabaseLost } from "#lib/database.ts"
import { programNames } from "./records.ts"
import type { FleetRecords, FleetStore } from "./store.ts"
import type { Spent, SpentUsd } from "./store/people.ts"

export interface FleetBudgets {
  readonly userUsdPerDay?: number | undefined
  readonly userUsdPerMonth?: number | undefined
  readonly repositoryUsdPerDay?: number | undefined
  readonly repositoryUsdPerMonth?: number | undefined
  readonly fleetUsdPerDay?: number | undefined
  readonly fleetUsdPerMonth?: number | undefined
}

/** Who spends, and in which repository. */
export interface Spender {
  readonly user: string
  readonly repository: string
}

/** Why nothing more may be spent by this user in this repository now, as a sentence; undefined if something may. */
export async function budgetProblem(
  { spending }: Pick<FleetRecords, "spending">,
  budgets: FleetBudgets,
  spender: Spender,
): Promise<string | undefined> {
  return isLimited(budgets) ? problemOf(await spending.spent(), budgets, spender) : undefined
}

/** One budget, and what was spent of it. */
export interface BudgetUse {
  readonly of: "user" | "repository" | "fleet"
  readonly name: string
  readonly per: "day" | "month"
  readonly usd: number
  readonly mostUsd: number
  readonly setting: keyof FleetBudgets
}

export function budgetUses(
  { users, repositories }: Pick<Spent, "users" | "repositories">,
  budgets: FleetBudgets,
  { user, repository }: Spender,
): readonly BudgetUse[] {
  const fleet = [...users.values()].reduce(
    (sum, { day, month }) => ({ day: sum.day + day, month: sum.month + month }),
    {
      day: 0,
      month: 0,
    },
  )
  const rows: readonly (readonly [BudgetUse["of"], string, SpentUsd | undefined])[] = [
    ["fleet", "all users", fleet],
    ["repository", repository, repositories.get(repository)],
    ["user", user, users.get(user)],
  ]
  return rows.flatMap(([of, name, spent]) =>
    (["day", "month"] as const).flatMap((per): readonly BudgetUse[] => {
      const setting = `${of}UsdPer${per === "day" ? "Day" : "Month"}` as const
      const mostUsd = budgets[setting]
      return mostUsd === undefined ? [] : [{ of, name, per, usd: spent?.[per] ?? 0, mostUsd, setting }]
    }),
  )
}

function problemOf(spent: Spent, budgets: FleetBudgets, spender: Spender): string | undefined {
  const used = budgetUses(spent, budgets, spender).find(({ usd, mostUsd }) => usd >= mostUsd)
  if (!used) return undefined
  const { name, per, mostUsd, setting } = used
  const time = per === "day" ? "today" : "this month"
  const again = per === "day" ? "at midnight UTC" : "on the first of the next month (UTC)"
  return `The budget of ${name} for ${time} ($${mostUsd.toFixed(2)}) is used up. It starts again ${again}; server.budgets.${setting} raises it.`
}

const isLimited = (budgets: FleetBudgets): boolean => Object.values(budgets).some((each) => each !== undefined)

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
    const spent = await store.spending.spent()
    for (const { id, createdBy, repository } of await store.spending.running()) {
      if (problemOf(spent, budgets, { user: createdBy, repository }) === undefined) continue
      // One interrupt for each day and budget: whoever raises the budget may continue.
      const opId = `budget-${spent.day}-${Object.values(budgets).join("-")}`
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
