/** The first request of every member was spent on saying that it is ready, and each end of a turn woke the lead. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { calls, says } from "../kit/script.ts"
import { workers } from "../kit/team/team-run.ts"
import { cast, requestsOf } from "../suite/subagents/cast.ts"
import { add, allIdle, attached, create, heard, look, member, openTeamSession, send } from "../suite/team/crew.ts"
import { until } from "../kit/until.ts"

setDefaultTimeout(300_000)

const oks = Array.from({ length: 300 }, () => heard)

test("a task comes with the first request", async () => {
  await using t = await openTeamSession({
    script: cast({ main: [calls(create), calls(add("one")), calls(member("ann")), ...oks], ann: workers(9) }),
  })
  await t.prompt("go")
  await until(async () => (await look(t))?.tasks.every(({ status }) => status === "completed"))
  await allIdle(t, 2)
  await t.settled()
  const [first] = requestsOf(t, "ann: do it.")
  expect(JSON.stringify(first?.messages)).toContain("Task #1 of the team is yours now")
  expect(requestsOf(t, "ann: do it.")).toHaveLength(2)
})

test("two members and one message: the lead is asked again once, when both are idle", async () => {
  await using t = await openTeamSession({
    script: cast({
      main: [calls(create), calls(member("ann"), member("bob")), says("They talk."), ...oks],
      ann: [calls(send("bob", "Which port?")), says("I asked bob.")],
      bob: [says("Waiting."), says("Noted.")],
    }),
  })
  await t.prompt("go")
  await until(async () => (await look(t))?.mail.every(({ deliveredAt }) => deliveredAt !== undefined))
  await until(() => attached(t.entries(), "teammate_message").length >= 2)
  await allIdle(t, 3)
  await t.settled()
  expect(t.entries().filter(({ kind }) => kind === "turn_start")).toHaveLength(2)
  // The message may come with bob's first request already.
  expect(requestsOf(t, "ann: do it.")).toHaveLength(2)
  expect([1, 2]).toContain(requestsOf(t, "bob: do it.").length)
})

test("what the lead is asked does not grow with each task that is completed", async () => {
  const count = 100
  await using t = await openTeamSession({
    script: cast({
      main: [
        calls(create),
        calls(...Array.from({ length: count }, (_, n) => add(`work ${n}`))),
        calls(member("ann"), member("bob")),
        ...oks,
      ],
      ann: workers(1_000),
      bob: workers(1_000),
    }),
  })
  await t.prompt("go")
  const before = JSON.stringify(requestsOf(t, "go").at(-1)).length
  await until(async () => (await look(t))?.tasks.every(({ status }) => status === "completed"))
  await allIdle(t, 3)
  await until(async () => (await look(t))?.mail.every(({ deliveredAt }) => deliveredAt !== undefined))
  await t.settled()
  const lead = requestsOf(t, "go")
  expect(JSON.stringify(lead.at(-1)).length - before).toBeLessThan(count * 25)
  const told = attached(t.entries(), "task_notification").join("\n")
  expect(told).toMatch(/tasks completed: .*#\d+ to #\d+/)
  expect(told).toContain("ann: Done.")
})
