/** Tools that throw, hang or are not there: each call is answered, and the turn goes on. */

import { expect, test } from "bun:test"
import { chmodSync, readFileSync, writeFileSync } from "node:fs"
import { isRunning } from "../../kit/is-running.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, read, says, use, write } from "../../kit/script.ts"

test("a tool that throws gives an error result with the message, and what is behind it is not run", async () => {
  await using t = await openTestSession({
    script: [calls(bash("touch b.txt"), write("a.txt", "x")), says("I see.")],
    place: {
      // The PATH is looked at before it is decided; the rest of it is read by the tool.
      childEnv: () =>
        new Proxy(
          { PATH: "/usr/bin:/bin" },
          {
            ownKeys() {
              throw new Error("the environment cannot be read")
            },
          },
        ),
    },
  })
  expect(await t.prompt("run")).toEqual({ reason: "completed" })
  expect(t.results().map(({ content }) => content)).toEqual([
    "Bash failed: the environment cannot be read",
    "Not run: an earlier call in this answer failed.",
  ])
  expect(await Bun.file(t.path("a.txt")).exists()).toBe(false)
})

test("a tool that is not there, and an input that is not valid, are answered and never run", async () => {
  await using t = await openTestSession({
    script: [calls(use("Wirte", { file_path: "a" }), use("Write", { path: "a" }), read("b.txt")), says("I see.")],
    files: { "b.txt": "b\n" },
  })
  expect(await t.prompt("go")).toEqual({ reason: "completed" })
  const [first, second, third] = t.results().map(({ content }) => String(content))
  expect(first).toBe("There is no tool named Wirte. Did you mean Write?")
  expect(second).toStartWith("Write was not run: its input is not valid.")
  // What cannot be understood might have been anything, so what is behind it waits for the model to look again.
  expect(third).toBe("Not run: an earlier call in this answer failed.")
  expect(t.story().filter((line) => line.startsWith("intent"))).toEqual([])
})

test("a program of ours that never ends is ended with the turn", async () => {
  await using t = await openTestSession({
    script: [calls(use("Grep", { pattern: "x" })), says("never")],
    place: { ripgrep: async () => "/nonexistent" },
  })
  const stuck = t.path("rg")
  writeFileSync(stuck, `#!/bin/sh\ntrap '' TERM\necho $$ > ${t.path("pid")}\nwhile :; do sleep 0.05; done\n`)
  chmodSync(stuck, 0o755)
  await using again = await t.reopen({ place: { ripgrep: async () => stuck } })
  again.say("find")
  while (!(await Bun.file(t.path("pid")).exists())) await Bun.sleep(5)
  void again.session.submit({ type: "interrupt" })
  await again.settled()
  expect(again.story().at(-1)).toBe("turn_end aborted aborted_tools")
  expect(again.results()).toHaveLength(1)
  await again.session.close()
  expect(isRunning(Number(readFileSync(t.path("pid"), "utf8")))).toBe(false)
})

test("a command that outlives its grace is answered without it, and the session does not wait", async () => {
  await using t = await openTestSession({
    script: [calls(bash("trap '' TERM; echo here; while :; do sleep 0.05; done")), says("never")],
    limits: { graceMs: 10 },
  })
  t.say("run")
  await t.until((event) => event.type === "tool_progress" && event.progress.output.includes("here"))
  void t.session.submit({ type: "interrupt" })
  await t.settled()
  expect(t.results()[0]?.content).toBe("Interrupted by the user before it was done.")
})

test("calls under way when an answer breaks off run to their end, and nobody is said to have interrupted them", async () => {
  await using t = await openTestSession({
    script: [
      {
        ...calls(bash("sleep 0.2; echo slept"), bash("echo then")),
        // Not reset: whatever a busy process has not read by then is lost with the connection.
        fault: { name: "truncated_event", afterEvents: 40 },
      },
      says("Both."),
    ],
  })
  expect(await t.prompt("run")).toEqual({ reason: "completed" })
  expect(t.results().map(({ content }) => content)).toEqual(["slept", "then"])
  // What was received of it was paid for.
  const ends = t.entries().flatMap((entry) => (entry.kind === "reply_end" ? [entry] : []))
  expect(ends.map(({ cut, stopReason }) => [cut, stopReason])).toEqual([
    ["broken", null],
    [undefined, "end_turn"],
  ])
  for (const { costUsd, usage } of ends)
    expect([costUsd, usage.output_tokens].every((count) => (count ?? 0) > 0)).toBe(true)
  expect((await t.ask({ type: "state" })).costUsd).toBeCloseTo(
    ends.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0),
    10,
  )
})

test("files read in an answer that was cut off are shown again when they are read again", async () => {
  await using t = await openTestSession({
    files: { "a.txt": "the content\n" },
    script: [{ ...calls(read("a.txt")), fault: "reset_after_tool_call" }, calls(read("a.txt")), says("Read.")],
  })
  expect(await t.prompt("read")).toEqual({ reason: "completed" })
  expect(t.results()).toHaveLength(2)
  expect(JSON.stringify(t.requests().at(-1))).toContain("the content")
})
