/** The stage of a session as programs ask for it: while it waits, after the answer, after a resume, and in the log alone. */

import { expect, test } from "bun:test"
import { stageIn } from "#session/journal/stage.ts"
import { stageOverview } from "#session/port/stage-overview.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says } from "../../kit/script.ts"

const asksAboutMake = { script: [calls(bash("make all")), says("Made.")], allow: [], answers: () => undefined }

const stageOn = async (t: TestSession): Promise<string> => (await t.ask({ type: "stage" })).stage

test("what waits is shown with its digest, and who decided is kept", async () => {
  await using t = await openTestSession(asksAboutMake)
  expect(await stageOn(t)).toBe("executing")
  t.say("Build it")
  const event = await t.until(({ type }) => type === "question_open")
  if (event.type !== "question_open") throw new Error("no question")
  const { id, digest } = event.question
  const waiting = await t.ask({ type: "stage" })
  expect(waiting).toMatchObject({
    stage: "awaiting_tool_approval",
    gates: {},
    pending: [{ id, digest, kind: "tool", action: { tool: "Bash", input: { command: "make all" } }, state: "open" }],
  })
  expect(await t.ask({ type: "completed" })).toEqual([])

  await t.session.submit({ type: "answer", questionId: id, answer: { kind: "allow" }, digest, by: "ann" })
  await t.settled()
  const over = await t.ask({ type: "stage" })
  expect(over).toEqual({ stage: "completed", gates: {}, pending: [], result: { ok: true, text: "Made." } })
  const [decided, ...others] = await t.ask({ type: "completed" })
  expect(others).toEqual([])
  expect(decided).toMatchObject({ approvalId: id, title: "Bash make all", state: "allowed", by: "ann" })
  expect(stageOverview(stageIn(t.entries()), t.id)).toEqual(over)
})

test("a session that is opened again is at the same stage, and so is its log", async () => {
  await using t = await openTestSession({ ...asksAboutMake, gates: { git: true } })
  t.say("Build it")
  await t.until(({ type }) => type === "question_open")
  const before = await t.ask({ type: "stage" })
  await using again = await t.reopen({ gates: {} })
  await again.until(({ type }) => type === "question_open")
  expect(await again.ask({ type: "stage" })).toEqual(before)
  expect(stageOverview(stageIn(again.entries()), t.id)).toEqual(before)
  expect(before.gates).toEqual({ git: true })
})

test("an interrupted turn is cancelled, and a failed one failed", async () => {
  await using t = await openTestSession(asksAboutMake)
  t.say("Build it")
  await t.until(({ type }) => type === "question_open")
  await t.session.submit({ type: "interrupt" })
  await t.settled()
  expect(await stageOn(t)).toBe("cancelled")
  await using failing = await openTestSession({ script: [{ content: "", fault: "refusal" }], limits: { repeats: 0 } })
  await failing.prompt("Go")
  expect(await failing.ask({ type: "stage" })).toMatchObject({ stage: "failed", result: { ok: false } })
})
