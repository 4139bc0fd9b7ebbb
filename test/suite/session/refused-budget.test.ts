/** What is set aside for a request that comes to nothing is given back. */

import { expect, test } from "bun:test"
import { openTestSession } from "../../kit/open-test-session.ts"
import { says } from "../../kit/script.ts"

test("refused requests do not eat the budget, within a turn or over turns", async () => {
  await using t = await openTestSession({
    script: [says("One."), says("Two."), says("Three.")],
    // Covers the worst case of one request, and not of two.
    limits: { maxBudgetUsd: 0.5 },
  })
  t.simulator.setFaults([{ name: "too_long", times: 2 }])
  expect(await t.prompt("first")).toEqual({ reason: "completed" })
  t.simulator.setFaults(["unauthorized"])
  expect(await t.prompt("second")).toMatchObject({ reason: "error", cause: "unauthorized" })
  expect(await t.prompt("third")).toEqual({ reason: "completed" })
  await using poor = await t.reopen({ limits: { maxBudgetUsd: 0.01 } })
  expect(await poor.prompt("fourth")).toMatchObject({ reason: "max_budget" })
})
