/** A member needed TeamCreate first, and a task for somebody who is not there was accepted without a word. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { calls, says, use } from "../kit/script.ts"
import { cast, resultsOf, task } from "../suite/subagents/cast.ts"
import { add, create, member, openTeamSession } from "../suite/team/crew.ts"
import { until } from "../kit/until.ts"

setDefaultTimeout(300_000)

test("names without a team make one, once, and its members report", async () => {
  await using t = await openTeamSession({
    script: cast({
      main: [
        calls(task("ann", { name: "ann" }), task("bob", { name: "bob" })),
        ...Array.from({ length: 9 }, () => says("ok")),
      ],
      ann: [says("The one.")],
      bob: [says("The other.")],
    }),
  })
  await t.prompt("go")
  const team = await until(async () => {
    const shown = await t.ask({ type: "team" })
    const reports = shown?.mail.filter(({ to, deliveredAt }) => to === "lead" && deliveredAt !== undefined)
    return (reports?.length === 2 && shown) || undefined
  })
  expect(team.name).toMatch(/^session-[0-9a-f]{8}$/)
  expect(team.members.map(({ name }) => name).toSorted()).toEqual(["ann", "bob", "lead"])
  expect(resultsOf(t, "Task").map((text) => /is in the team session-/.test(text))).toEqual([true, true])
  expect(resultsOf(t, "Task")[0]).toContain(`You lead the team ${team.name}; your name in it is lead.`)
  expect(t.entries().filter(({ kind }) => kind === "team")).toHaveLength(1)
})

test("owners who are not in the team are named in the answer", async () => {
  await using t = await openTeamSession({
    script: cast({
      main: [
        calls(create),
        calls(member("ann", { mode: "plan" })),
        calls(
          add("one", { owner: "ann" }),
          add("two", { owner: "dan" }),
          use("TaskUpdate", { taskId: "1", owner: "eve" }),
          use("TaskUpdate", { taskId: "1", owner: "" }),
        ),
        ...Array.from({ length: 9 }, () => says("ok")),
      ],
      ann: [says("A plan.")],
    }),
  })
  await t.prompt("go")
  const unknown = (name: string): string =>
    `Nobody in the team is called ${name}, and nobody else takes the task. In the team: lead, ann. Start ${name}, or give the task to one of them.`
  expect(resultsOf(t, "TaskCreate")).toEqual(["Created #1: one", `Created #2: two\n${unknown("dan")}`])
  expect(resultsOf(t, "TaskUpdate")).toEqual([`Changed #1: one\n${unknown("eve")}`, "Changed #1: one"])
})
