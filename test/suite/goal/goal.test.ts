/** Goals: the session goes on until the check holds, within its limits, and says how it ended. */

import { expect, setDefaultTimeout, test } from "bun:test"
import type { Goal } from "#agent/words/goal.ts"
import type { Answer } from "#agent/words/question.ts"
import type { Scenario } from "#sim/scenario.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says, write } from "../../kit/script.ts"

setDefaultTimeout(300_000)

const goals = (t: TestSession): readonly Pick<Goal, "state" | "checks">[] =>
  t.entries().flatMap((entry) => (entry.kind === "goal" ? [{ state: entry.state, checks: entry.checks }] : []))

const told = (t: TestSession): readonly string[] =>
  t.entries().flatMap((entry) => (entry.kind === "attachment" && entry.name === "goal" ? [entry.text] : []))

const check = { kind: "command", command: "test -f one && test -f two" } as const
const yes = (): Answer => ({ kind: "allow" })

test("a command that fails twice makes the model continue until it succeeds", async () => {
  await using t = await openTestSession({
    goal: { check },
    script: [
      says("Done, I think."),
      calls(write("one", "1\n")),
      says("Now."),
      calls(write("two", "2\n")),
      says("Yes."),
    ],
  })
  expect(await t.prompt("Make the files")).toEqual({ reason: "completed" })
  expect(goals(t)).toEqual([
    { state: "open", checks: 0 },
    { state: "open", checks: 1 },
    { state: "open", checks: 2 },
    { state: "held", checks: 3 },
  ])
  expect(told(t)).toEqual([
    expect.stringContaining("must succeed"),
    expect.stringContaining("exit code 1"),
    expect.stringContaining("exit code 1"),
  ])
  // What runs is judged and recorded like any call.
  expect(t.entries().filter((entry) => entry.kind === "decision" && entry.tool === "Bash")).toHaveLength(3)
})

test("one that cannot hold ends after its checks and says so", async () => {
  await using t = await openTestSession({
    goal: { check, limits: { checks: 3 } },
    script: [says("Done."), says("Really."), says("Honestly.")],
  })
  const end = await t.prompt("Make the files")
  expect(end).toMatchObject({ reason: "error", cause: "goal" })
  expect(end.message).toStartWith("The goal was not reached in 3 checks: $ test -f one && test -f two")
  expect(goals(t).at(-1)).toEqual({ state: "missed", checks: 3 })
  // Nothing is checked any more.
  await using again = await t.reopen({ goal: {} })
  expect(goals(again).at(-1)).toEqual({ state: "missed", checks: 3 })
})

test("steps and time end it before the next request", async () => {
  await using steps = await openTestSession({
    goal: { check, limits: { steps: 2 } },
    script: [calls(bash("true")), calls(bash("true")), calls(bash("true"))],
  })
  expect((await steps.prompt("Go")).message).toStartWith("The goal was not reached within 2 steps")
  expect(steps.requests()).toHaveLength(2)

  await using time = await openTestSession({ goal: { check, limits: { ms: 0 } }, script: [says("never asked")] })
  expect((await time.prompt("Go")).message).toStartWith("The goal was not reached within 0 minutes")
  expect(time.requests()).toHaveLength(0)
})

test("the budget of the session ends it, too", async () => {
  await using t = await openTestSession({
    goal: { check },
    limits: { maxBudgetUsd: 0.05 },
    script: () => says("word ".repeat(400)),
  })
  const end = await t.prompt("Make the files")
  expect(end.reason).toBe("max_budget")
  expect(end.message).toContain("The goal was not reached within the budget")
  expect(goals(t).at(-1)?.state).toBe("missed")
})

const judging =
  (verdicts: readonly (string | undefined)[]): Scenario =>
  (request) => {
    const system = JSON.stringify(request.system ?? "")
    if (!system.includes("works until a goal of its user holds")) return says("I did something.")
    const asked = judged++
    return says(verdicts[asked] ?? "no idea")
  }
let judged = 0

test("a sentence is judged by a small model against the conversation", async () => {
  judged = 0
  await using t = await openTestSession({
    goal: { check: { kind: "sentence", text: "The readme mentions the port." } },
    script: judging([
      '{"holds": false, "reason": "No result shows the readme."}',
      'Well: {"holds": true, "reason": "The last Read shows port 80."}',
    ]),
  })
  expect(await t.prompt("Write it")).toEqual({ reason: "completed" })
  expect(goals(t).map(({ state }) => state)).toEqual(["open", "open", "held"])
  expect(told(t).at(-1)).toContain("No result shows the readme.")
  const asked = t.simulator.requests
    .map(({ body }) => JSON.stringify(body))
    .filter((body) => body.includes("end_of_conversation"))
  expect(asked).toHaveLength(2)
  expect(asked[0]).toContain("I did something.")
})

test("a judge without a clear answer leaves the goal open and says so", async () => {
  judged = 0
  await using t = await openTestSession({
    goal: { check: { kind: "sentence", text: "It works." } },
    script: judging([undefined, undefined]),
  })
  const end = await t.prompt("Write it")
  expect(end).toMatchObject({ reason: "error", cause: "goal" })
  expect(end.message).toContain("gave no clear answer")
  expect(goals(t)).toEqual([{ state: "open", checks: 0 }])
})

test("a command that is not allowed is not run", async () => {
  await using t = await openTestSession({
    goal: { check: { kind: "command", command: "touch proof" } },
    allow: [],
    deny: ["Bash(touch:*)"],
    script: [says("Done.")],
  })
  const end = await t.prompt("Go")
  expect(end).toMatchObject({ reason: "error", cause: "goal" })
  expect(end.message).toContain("was not allowed to run")
  expect(await Bun.file(t.path("proof")).exists()).toBe(false)
})

test("/goal sets, shows and ends it", async () => {
  await using t = await openTestSession({
    answers: yes,
    extensions: { claudeFolder: "/nonexistent", bundled: false },
    script: [calls(write("one", "1\n"), write("two", "2\n")), says("There."), says("Hello.")],
  })
  await t.prompt(`/goal $ ${check.command}`)
  expect(goals(t).at(-1)).toEqual({ state: "held", checks: 1 })
  await t.prompt("/goal")
  expect(t.entries().findLast((entry) => entry.kind === "command")).toMatchObject({
    text: expect.stringContaining(`Goal reached: $ ${check.command}`),
  })
  await t.prompt("/goal clear")
  expect(goals(t).at(-1)?.state).toBe("cleared")
  await t.prompt("Hello")
  expect(told(t).at(-1)).toContain("ended the goal")
})

test("it survives a compaction, and a rewind takes it back", async () => {
  await using t = await openTestSession({
    goal: { check, limits: { checks: 2 } },
    answers: yes,
    script: (request) =>
      JSON.stringify(request.messages.at(-1)).includes("summary")
        ? says("<summary>We made files.</summary>")
        : says("Hm."),
  })
  await t.prompt("Make the files")
  expect(goals(t).at(-1)).toEqual({ state: "missed", checks: 2 })
  await t.session.submit({ type: "set_goal", goal: check })
  await t.session.submit({ type: "compact" })
  await t.settled()
  await using again = await t.reopen({ goal: { limits: { checks: 2 } } })
  expect((await again.ask({ type: "goal" }))?.state).toBe("open")
  await again.prompt("More")
  expect(told(again).filter((text) => text.startsWith("The user set a goal"))).toHaveLength(2)
  expect(goals(again).at(-1)?.state).toBe("missed")
  await again.session.submit({ type: "clear" })
  await again.settled()
  expect((await again.ask({ type: "goal" }))?.state).toBe("cleared")
})

test("its command runs where it was set, wherever the model has gone since", async () => {
  await using t = await openTestSession({
    goal: { check: { kind: "command", command: "test -f here" } },
    files: { here: "", "inner/there": "" },
    script: [calls(bash("cd inner && pwd")), says("Done.")],
  })
  expect(await t.prompt("Go")).toEqual({ reason: "completed" })
  expect((await t.ask({ type: "state" })).cwd).toEndWith("/inner")
})

test("a session whose program ended continues by itself when it is opened again", async () => {
  const made = Promise.withResolvers<void>()
  await using t = await openTestSession({
    goal: { check },
    answers: yes,
    script(request) {
      const said = JSON.stringify(request.messages)
      if (said.includes("was started again"))
        return said.includes("touch two") ? says("Both.") : calls(bash("touch two"))
      made.resolve()
      return calls(bash("touch one; sleep 60"))
    },
  })
  t.say("Make the files")
  await made.promise
  while (!(await Bun.file(t.path("one")).exists())) await Bun.sleep(10)
  await t.session.close("handing over")
  await using again = await t.reopen({ goal: {} })
  await again.until((event) => event.type === "entry" && event.entry.kind === "goal" && event.entry.state === "held")
  await again.settled()
  expect(goals(again)).toEqual([
    { state: "open", checks: 0 },
    { state: "held", checks: 1 },
  ])
})

test("one that the user interrupted waits for the next prompt", async () => {
  const begun = Promise.withResolvers<void>()
  await using t = await openTestSession({
    goal: { check },
    answers: yes,
    script(request) {
      if (JSON.stringify(request.messages).includes("And now")) return calls(bash("touch one two"))
      begun.resolve()
      return calls(bash("sleep 60"))
    },
  })
  t.say("Make the files")
  await begun.promise
  await t.session.submit({ type: "interrupt" })
  await t.settled()
  await using again = await t.reopen({ goal: {} })
  await again.settled()
  expect(again.requests()).toHaveLength(1)
  expect((await again.ask({ type: "goal" }))?.state).toBe("open")
})
