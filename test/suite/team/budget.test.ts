/** One budget for the whole team. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { bash, calls } from "../../kit/script.ts"
import { cast } from "../subagents/cast.ts"
import { create, heard, look, member, openTeamSession } from "./crew.ts"
import { until } from "../../kit/until.ts"

setDefaultTimeout(300_000)

test("members stop when it is used up, and it is never exceeded", async () => {
  const maxBudgetUsd = 0.3
  // Long replies, so that few use it up.
  const usage = { output_tokens: 400 }
  const busy = Array.from({ length: 200 }, (_, n) => ({ ...calls(bash(`echo ${n}`)), usage }))
  await using t = await openTeamSession({
    answers: undefined,
    limits: { maxBudgetUsd, maxOutputTokens: 4_000 },
    script: cast({
      main: [
        calls(create),
        calls(member("ann"), member("bob"), member("cid")),
        ...Array.from({ length: 20 }, () => heard),
      ],
      ann: busy,
      bob: busy,
      cid: busy,
    }),
  })
  await t.prompt("go")
  const members = await until(async () => {
    const all = (await look(t))?.members.filter(({ name }) => name !== "lead") ?? []
    return all.length === 3 && all.every(({ state }) => state === "gone") && all
  })
  const { costUsd } = await t.ask({ type: "state" })
  expect(costUsd).toBeGreaterThan(maxBudgetUsd / 2)
  expect(costUsd).toBeLessThanOrEqual(maxBudgetUsd)
  expect(members.every((each) => each.costUsd > 0)).toBe(true)
  const left = (await look(t))?.mail.filter(({ summary }) => summary?.endsWith("has left")) ?? []
  expect(left.map(({ text }) => /max_budget/.test(text))).toEqual([true, true, true])
})
