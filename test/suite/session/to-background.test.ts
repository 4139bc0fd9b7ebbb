/** A running command is moved to the background by the person; its end is told before the turn ends, or with the next one. */

import { expect, test } from "bun:test"
import { textOf } from "#agent/words/message.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says, use } from "../../kit/script.ts"

test("the call is answered at once, and the command goes on", async () => {
  await using t = await openTestSession({
    script: [calls(bash("echo begun; until [ -e go ]; do sleep 0.02; done; echo over")), says("Moved."), says("Seen.")],
  })
  t.say("run it")
  await t.until((event) => event.type === "tool_progress" && event.progress.output.includes("begun"))
  expect(await t.session.submit({ type: "background" })).toEqual({ ok: true, value: undefined })
  await t.settled()
  expect(textOf(t.results()[0]?.content ?? "")).toStartWith("The user moved this command to the background")
  expect(t.story().at(-1)).toBe("turn_end completed")
})

test("without a command that runs there is nothing to move", async () => {
  await using t = await openTestSession({ script: [says("hi")] })
  await t.prompt("hello")
  expect(await t.session.submit({ type: "background" })).toEqual({ ok: false, failure: { kind: "nothing_runs" } })
})

test("a background command that ended meanwhile makes the model go on before the turn ends", async () => {
  await using t = await openTestSession({
    script: [
      calls(use("Bash", { command: "echo quick", run_in_background: true })),
      // Long enough for the command to end while the model speaks its last word.
      { ...says("I think I am done."), timing: { ttftMs: 400 } },
      says("It ended, so now I am."),
    ],
  })
  expect(await t.prompt("start it")).toMatchObject({ reason: "completed" })
  expect(t.story().filter((line) => /^(attachment|reply I|reply It)/.test(line))).toEqual([
    "reply I think I am done.",
    "attachment background_end",
    "reply It ended, so now I am.",
  ])
})

test("the end of a command is told to whoever watches, and its output can be read in whole lines", async () => {
  await using t = await openTestSession({
    script: [calls(use("Bash", { command: "seq 20000; exit 3", run_in_background: true })), says("Started.")],
  })
  t.say("start it")
  const end = await t.until((event) => event.type === "background_end")
  expect(end).toMatchObject({ type: "background_end", commandId: "bash_1", status: "failed", exitCode: 3 })
  await t.settled()
  expect(await t.ask({ type: "background" })).toEqual([])
  expect(await t.ask({ type: "background", which: "all" })).toMatchObject([
    { id: "bash_1", command: "seq 20000; exit 3", end: { status: "failed", exitCode: 3 } },
  ])
  const output = await t.ask({ type: "command_output", commandId: "bash_1" })
  const lines = output?.text.trimEnd().split("\n").map(Number) ?? []
  expect(output?.isCut).toBe(true)
  expect(lines).toEqual(Array.from({ length: lines.length }, (_, i) => 20_000 - lines.length + 1 + i))
  expect(lines.length).toBeGreaterThan(1000)
  expect(await t.ask({ type: "command_output", commandId: "bash_9" })).toBeNull()
})
