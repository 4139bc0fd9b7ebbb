/** Limits on the number of calls hold for a session, its agents and each turn; what is beyond them does not run. */

import { expect, test } from "bun:test"
import { openCallAllowance } from "#kits/budget/call-limit.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says } from "../../kit/script.ts"
import { cast, resultsOf, task } from "../subagents/cast.ts"

const touch = (name: string) => calls(bash(`touch ${name}`))
const over = (most: number, of: string) => ({
  reason: "max_turns",
  cause: "max_tool_calls",
  message: `Stopped after ${most} calls of tools, the limit set for this ${of}.`,
})

test("a call beyond the limit of a turn does not run; the next turn has its own", async () => {
  await using t = await openTestSession({
    script: [touch("a"), touch("b"), touch("c"), touch("d"), says("Done.")],
    limits: { calls: openCallAllowance({ turn: 2 }) },
    answers: () => ({ kind: "allow" }),
  })
  expect(await t.prompt("go")).toMatchObject(over(2, "turn"))
  expect(await t.prompt("on")).toEqual({ reason: "completed" })
  expect(t.entries().flatMap((entry) => (entry.kind === "result" ? [entry.isError] : []))).toEqual([
    false,
    false,
    true,
    false,
  ])
})

test("an agent's calls count, and starting one gains nothing", async () => {
  await using t = await openTestSession({
    script: cast({
      main: [calls(task("digger")), touch("after"), says("Done.")],
      digger: [touch("a"), touch("b"), touch("c"), says("Dug.")],
    }),
    limits: { calls: openCallAllowance({ session: 3 }) },
    answers: () => ({ kind: "allow" }),
  })
  expect(await t.prompt("go")).toMatchObject(over(3, "session"))
  expect(resultsOf(t, "Task")[0]).toContain("Stopped after 3 calls")
  expect(t.results().map(({ tool, isError }) => [tool, isError])).toEqual([
    ["Task", expect.any(Boolean)],
    ["Bash", true],
  ])
})
