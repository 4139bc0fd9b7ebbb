/** The plan gate: the session stays in plan mode until a plan is approved, whoever wants otherwise. */

import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { permissionModes } from "#agent/words/permission.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says, write } from "../../kit/script.ts"
import { cast, task } from "../subagents/cast.ts"
import { approve, exit, planAnswers, plainChance, writePlan } from "../plan/plan.ts"

const text = "# Plan\n\n## Files to create\n- `a.txt`\n\n## Commands\n- `make`\n\n## Tests\n- `bun test`\n"
const look = (t: TestSession) => t.ask({ type: "stage" })
const modeOf = async (t: TestSession) => (await t.ask({ type: "state" })).mode

for (const mode of permissionModes.filter((one) => one !== "plan" && one !== "delegate" && one !== "dontAsk"))
  test(`${mode}: begins in plan mode, and the work begins with the approval`, async () => {
    await using t = await openTestSession({
      ...plainChance,
      gates: { plan: true },
      mode,
      bypassAvailable: true,
      allow: ["Bash", "Edit"],
      script: [
        calls(write("a.txt", "early\n")),
        calls(bash("touch b.txt")),
        calls(writePlan(text)),
        calls(exit),
        calls(write("a.txt", "planned\n")),
        says("Done."),
        says("Done."),
      ],
      answers: planAnswers(approve()),
    })
    expect((await look(t)).stage).toBe("planning")
    expect(await modeOf(t)).toBe("plan")
    await t.prompt("Do it")
    expect(t.results().map(({ isError }) => isError)).toEqual([true, true, false, false, false])
    expect(existsSync(t.path("b.txt"))).toBe(false)
    expect(t.read("a.txt")).toBe("planned\n")
    expect(await modeOf(t)).toBe("acceptEdits")
    expect(await look(t)).toMatchObject({
      stage: "completed",
      plan: { markdown: text, filesToCreate: ["a.txt"], filesToModify: [], commands: ["make"], tests: ["bun test"] },
    })
  })

test("nobody can switch it off: not by mode, not by an answer, not by resuming", async () => {
  await using t = await openTestSession({
    ...plainChance,
    gates: { plan: true },
    bypassAvailable: true,
    script: [calls(write("a.txt", "x\n")), says("No."), calls(write("a.txt", "y\n")), says("No.")],
    answers: () => ({ kind: "allow", mode: "bypassPermissions" }),
  })
  for (const mode of ["acceptEdits", "bypassPermissions", "default"] as const)
    expect(await t.session.submit({ type: "set_mode", mode })).toEqual({ ok: false, failure: { kind: "plan_gate" } })
  await t.prompt("Do it")
  await using again = await t.reopen({ gates: {}, mode: "bypassPermissions" })
  await again.prompt("Do it now")
  expect(again.results().map(({ isError }) => isError)).toEqual([true, true])
  expect(existsSync(again.path("a.txt"))).toBe(false)
  expect((await look(again)).gates).toEqual({ plan: true })
})

test("agents stay within it", async () => {
  await using t = await openTestSession({
    ...plainChance,
    gates: { plan: true },
    mode: "bypassPermissions",
    bypassAvailable: true,
    script: cast({
      main: [calls(task("alpha")), says("Done.")],
      alpha: [calls(write("a.txt", "x\n")), calls(bash("touch b.txt")), says("alpha could not.")],
    }),
    answers: () => undefined,
  })
  await t.prompt("go")
  expect([existsSync(t.path("a.txt")), existsSync(t.path("b.txt"))]).toEqual([false, false])
})

test("rejected with words: it goes on planning; approved as changed: the change counts", async () => {
  const changed = text.replace("a.txt", "b.txt")
  await using t = await openTestSession({
    ...plainChance,
    gates: { plan: true },
    script: [
      calls(writePlan(text)),
      calls(exit),
      calls(exit),
      calls(write("b.txt", "b\n")),
      says("Done."),
      says("Done."),
    ],
    answers: planAnswers(
      { kind: "deny", words: "Name it b.txt.", interrupt: false },
      { ...approve("default"), plan: changed, wishes: [] },
    ),
    mode: "acceptEdits",
    allow: ["Edit"],
  })
  await t.prompt("Do it")
  const { plan } = await look(t)
  expect(plan).toMatchObject({ markdown: changed, filesToCreate: ["b.txt"] })
  const asked = t.entries().flatMap((entry) => (entry.kind === "question" ? [entry.question] : []))
  expect(asked.map(({ ask }) => ask.kind === "plan" && ask.scope?.filesToCreate)).toEqual([["a.txt"], ["a.txt"]])
  expect(plan?.digest).toBe(asked[1]?.digest ?? "")
  expect(t.read("b.txt")).toBe("b\n")
})

test("closed while the plan is shown: the same question again, and what was approved counts", async () => {
  await using t = await openTestSession({
    ...plainChance,
    gates: { plan: true },
    script: [calls(writePlan(text)), calls(exit), calls(write("a.txt", "x\n")), says("Done."), says("Done.")],
    answers: ({ ask }) => (ask.kind === "plan" ? undefined : { kind: "allow" }),
  })
  t.say("Do it")
  await t.until(({ type }) => type === "question_open")
  const before = await look(t)
  expect(before.stage).toBe("awaiting_plan_approval")
  await using again = await t.reopen({ gates: {}, answers: planAnswers(approve()) })
  await again.settled()
  expect(again.entries().filter(({ kind }) => kind === "question")).toHaveLength(1)
  expect((await again.ask({ type: "completed" }))[0]?.approvalId).toBe(before.pending[0]?.id ?? "")
  expect(again.read("a.txt")).toBe("x\n")
})

test("a conversation that starts over needs a plan of its own", async () => {
  await using t = await openTestSession({
    ...plainChance,
    gates: { plan: true },
    script: [calls(writePlan(text)), calls(exit), says("Done."), calls(write("a.txt", "x\n")), says("No.")],
    answers: planAnswers(approve()),
  })
  await t.prompt("Do it")
  expect(await modeOf(t)).toBe("acceptEdits")
  await t.session.submit({ type: "clear" })
  await t.settled()
  expect(await modeOf(t)).toBe("plan")
  await t.prompt("And now something else")
  expect(t.results().at(-1)?.isError).toBe(true)
  expect(existsSync(t.path("a.txt"))).toBe(false)
})

test("approved with a fresh start, the new conversation may work", async () => {
  await using t = await openTestSession({
    ...plainChance,
    gates: { plan: true },
    script: [calls(writePlan(text)), calls(exit), calls(write("a.txt", "x\n")), says("Done."), says("Done.")],
    answers: planAnswers({ ...approve(), fresh: true }),
  })
  await t.prompt("Do it")
  await t.settled()
  expect(t.read("a.txt")).toBe("x\n")
})
