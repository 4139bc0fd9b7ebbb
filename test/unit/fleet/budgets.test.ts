/** What may be spent in a day and a month, by one user, in one repository and by all. */

import { expect, test } from "bun:test"
import { budgetProblem } from "#fleet/budgets.ts"

type Rows = Record<string, readonly [day: number, month: number]>
const spentBy = (rows: Rows): ReadonlyMap<string, { day: number; month: number }> =>
  new Map(Object.entries(rows).map(([name, [day, month]]) => [name, { day, month }]))

const problem = (users: Rows, repositories: Rows, budgets: Parameters<typeof budgetProblem>[1]) => {
  const spent = async () => ({ day: "d", users: spentBy(users), repositories: spentBy(repositories) })
  return budgetProblem({ spending: { spent } as never }, budgets, { user: "ann", repository: "git.example/app" })
}

test.each<[users: Rows, there: Rows, budgets: Parameters<typeof budgetProblem>[1], says: string | undefined]>([
  [{ ann: [100, 100] }, {}, {}, undefined],
  [{ ann: [4.99, 90] }, {}, { userUsdPerDay: 5 }, undefined],
  [
    { ann: [5, 5] },
    {},
    { userUsdPerDay: 5 },
    "The budget of ann for today ($5.00) is used up. It starts again at midnight",
  ],
  [{ bob: [50, 50] }, {}, { userUsdPerDay: 5 }, undefined],
  [{ ann: [0, 50] }, {}, { userUsdPerDay: 5, userUsdPerMonth: 50 }, "The budget of ann for this month ($50.00)"],
  [{ ann: [1, 1], bob: [8.5, 8.5] }, {}, { fleetUsdPerDay: 10 }, undefined],
  [{ ann: [1, 1], bob: [9, 9] }, {}, { fleetUsdPerDay: 10 }, "The budget of all users for today"],
  [{ ann: [1, 60], bob: [0, 60] }, {}, { fleetUsdPerMonth: 100 }, "The budget of all users for this month"],
  [
    { bob: [9, 9] },
    { "git.example/app": [9, 9] },
    { repositoryUsdPerDay: 9 },
    "The budget of git.example/app for today",
  ],
  [{}, { "git.example/app": [1, 20] }, { repositoryUsdPerMonth: 20 }, "The budget of git.example/app for this month"],
  [{}, { "git.example/other": [99, 99] }, { repositoryUsdPerDay: 9 }, undefined],
])("%j and %j with %j: %p", async (users, there, budgets, says) => {
  const said = await problem(users, there, budgets)
  if (says === undefined) expect(said).toBeUndefined()
  else expect(said).toStartWith(says)
})
