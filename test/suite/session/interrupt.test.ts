/** Escape: the turn ends, nothing else is lost. */

import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { isRunning } from "../../kit/is-running.ts"
import { isEntry, openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says, write } from "../../kit/script.ts"

const interrupt = { type: "interrupt" } as const

test("an interrupt keeps the queue; the next prompt sets it going again, in order", async () => {
  await using t = await openTestSession({
    script: [calls(bash("sleep 1000")), says("To the second."), says("To the third.")],
  })
  t.say("first")
  await t.until(isEntry("intent"))
  t.say("second")
  void t.session.submit(interrupt)
  await t.settled()
  expect(t.story().at(-1)).toBe("turn_end aborted aborted_tools")
  expect(t.simulator.requests).toHaveLength(1)

  expect(await t.prompt("third")).toEqual({ reason: "completed" })
  expect(t.story().slice(-9)).toEqual([
    "queued third",
    "turn_start",
    "prompt second",
    "reply To the second.",
    "turn_end completed",
    "turn_start",
    "prompt third",
    "reply To the third.",
    "turn_end completed",
  ])
})

test("a prompt said after an interrupt, while the turn still ends, sets the queue going at once", async () => {
  await using t = await openTestSession({
    script: [calls(bash("sleep 1000")), says("To the second."), says("To the third.")],
  })
  t.say("first")
  await t.until(isEntry("intent"))
  t.say("second")
  void t.session.submit(interrupt)
  t.say("third")
  await t.settled()
  expect(t.story().filter((line) => /^(prompt|turn_end)/.test(line))).toEqual([
    "prompt first",
    "turn_end aborted aborted_tools",
    "prompt second",
    "turn_end completed",
    "prompt third",
    "turn_end completed",
  ])
})

test("what was meant to steer a turn waits when the turn is interrupted", async () => {
  await using t = await openTestSession({ script: [calls(bash("sleep 1000")), says("Steered.")] })
  t.say("first")
  await t.until(isEntry("intent"))
  t.say("steer", "steer")
  void t.session.submit(interrupt)
  await t.settled()
  expect(t.story().filter((line) => line.startsWith("prompt"))).toEqual(["prompt first"])
  expect(await t.prompt("on")).toEqual({ reason: "completed" })
  expect(t.story().filter((line) => line.startsWith("prompt"))).toEqual(["prompt first", "prompt steer", "prompt on"])
})

test("what waited at an interrupt is still there after the session was closed and resumed", async () => {
  await using t = await openTestSession({
    script: [calls(bash("sleep 1000")), says("To the second."), says("To the third.")],
  })
  t.say("first")
  await t.until(isEntry("intent"))
  t.say("second")
  void t.session.submit(interrupt)
  await t.settled()
  t.say("third")
  await using again = await t.reopen()
  expect(await again.prompt("go on")).toEqual({ reason: "completed" })
  expect(again.story().filter((line) => line.startsWith("prompt"))).toEqual([
    "prompt first",
    "prompt second",
    "prompt third",
    "prompt go on",
  ])
})

test("an interrupt while a question is open withdraws it", async () => {
  await using t = await openTestSession({
    script: [calls(write("a.ts", "x"))],
    mode: "default",
    answers: () => undefined,
  })
  t.say("write it")
  await t.until(({ type }) => type === "question_open")
  const [question] = await t.ask({ type: "questions" })
  void t.session.submit(interrupt)
  await t.settled()
  expect(await t.ask({ type: "questions" })).toEqual([])
  await t.until(({ type }) => type === "question_close")
  expect(t.story().slice(2)).toEqual([
    "reply calls Write",
    "question permission",
    "answer unanswered",
    "result error Interrupted by the user before it was permitted. Nothing was done.",
    "turn_end aborted aborted_tools",
  ])
  const late = await t.session.submit({ type: "answer", questionId: question?.id ?? "", answer: { kind: "allow" } })
  expect(late).toEqual({ ok: false, failure: { kind: "no_such_question", questionId: question?.id ?? "" } })
})

test("an interrupt during Bash ends the whole process group, and the result says what was printed", async () => {
  await using t = await openTestSession({
    script: [calls(bash("sleep 1000 & echo $! > child; echo started; wait"), bash("echo never > later"))],
  })
  t.say("run it")
  await t.until((event) => event.type === "tool_progress" && event.progress.output.includes("started"))
  void t.session.submit(interrupt)
  await t.settled()
  expect(t.results().map(({ content }) => content)).toEqual([
    "The command was interrupted by the user and ended with all its processes.\nWhat it printed until then:\nstarted",
    "Interrupted by the user before it was done.",
  ])
  expect(isRunning(Number(readFileSync(t.path("child"), "utf8")))).toBe(false)
  expect(await Bun.file(t.path("later")).exists()).toBe(false)
})

test("an interrupt while the model speaks keeps what it said", async () => {
  await using t = await openTestSession({
    script: [
      { content: "one two three four five six seven eight", timing: { tokensPerSecond: 10 } },
      says("I was at three."),
    ],
  })
  t.say("count")
  await t.until((event) => event.type === "model_delta" && event.delta.type === "text_delta")
  void t.session.submit(interrupt)
  await t.settled()
  const [, , said, end] = t.story()
  expect(said).toStartWith("reply one")
  expect(end).toBe("turn_end aborted aborted_streaming")
  expect(await t.prompt("where were you?")).toEqual({ reason: "completed" })
  expect(t.requests()[1]?.map(({ role }) => role)).toEqual(["user", "assistant", "user"])
})

test("an interrupt while waiting to try again ends the wait", async () => {
  await using t = await openTestSession({ script: [says("never")] })
  t.simulator.setFaults([{ name: "ping_stall", times: 9 }])
  t.say("hello")
  while (t.simulator.requests.length === 0) await Bun.sleep(1)
  void t.session.submit(interrupt)
  await t.settled()
  expect(t.story().at(-1)).toBe("turn_end aborted aborted_streaming")
})

test("what was said after an interrupt is not begun while the session is closed; it waits for the next start", async () => {
  await using t = await openTestSession({ script: [calls(bash("touch begun; sleep 1000")), says("Second.")] })
  t.say("one")
  await t.until(isEntry("intent"))
  void t.session.submit(interrupt)
  t.say("two")
  await t.session.close()
  expect(t.requests()).toHaveLength(1)
  expect(t.story().filter((line) => /^(prompt|queued)/.test(line))).toEqual(["prompt one", "queued two"])
  await using again = await t.reopen()
  expect(await again.prompt("three")).toEqual({ reason: "completed" })
  expect(again.story().filter((line) => line.startsWith("prompt"))).toEqual([
    "prompt one",
    "prompt two",
    "prompt three",
  ])
})
