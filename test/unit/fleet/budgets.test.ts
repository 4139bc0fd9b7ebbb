/** What may be spent in a day, by one user and by all. */

import { expect, test } from "bun:test"
import { budgetProblem } from "#fleet/budgets.ts"

const problem = (byUser: Record<string, number>, budgets: Parameters<typeof budgetProblem>[1]) =>
  budgetProblem(
    { spending: { today: async () => ({ day: "d", byUser: new Map(Object.entries(byUser)) }) } as never },
    budgets,
    "ann",
  )

test.each<[spent: Record<string, number>, budgets: Parameters<typeof budgetProblem>[1], says: string | undefined]>([
  [{ ann: 100 }, {}, undefined],
  [{ ann: 4.99 }, { userUsdPerDay: 5 }, undefined],
  [{ ann: 5 }, { userUsdPerDay: 5 }, "The budget of ann"],
  [{ bob: 50 }, { userUsdPerDay: 5 }, undefined],
  [{ ann: 1, bob: 8.5 }, { fleetUsdPerDay: 10 }, undefined],
  [{ ann: 1, bob: 9 }, { fleetUsdPerDay: 10 }, "The budget of all users"],
])("%j with %j: %p", async (spent, budgets, says) => {
  const said = await problem(spent, budgets)
  if (says === undefined) expect(said).toBeUndefined()
  else expect(said).toStartWith(says)
})
