/** Commands in the background: what they print, how they end, and that the end is told once. */

import { expect, test } from "bun:test"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says, use } from "../../kit/script.ts"
import { runningWith } from "../../kit/survivors.ts"
import { displays, type Given, given, play } from "./played.ts"

const start = (command: string) => use("Bash", { command, run_in_background: true })
const started = (id: string) =>
  expect.stringMatching(
    new RegExp(
      `^Started in the background as ${id}\\. BashOutput gives what it prints, KillShell ends it; you will be told when it ends\\.\\nAll of its output goes to \\S+\\.$`,
    ),
  )

test("a background command is asked for what is new, and its end is announced with the next request, once", async () => {
  await using t = await openTestSession({
    script: [
      calls(start("echo one; while [ ! -e go ]; do sleep 0.02; done; echo two; exit 4")),
      // The foreground waits until the first line is there, which no sleep could promise.
      calls(bash("until grep -q one ../state/projects/project/*/*/* 2>/dev/null; do sleep 0.02; done")),
      calls(use("BashOutput", { bash_id: "bash_1" })),
      // Waiting for the end tells it, so it is not announced again; in one answer, so that it cannot end in between.
      calls(bash("touch go"), use("TaskOutput", { task_id: "bash_1", block: true, timeout: 30_000 })),
      says("Ended."),
    ],
  })
  await play(t)
  const times = (words: Given | undefined): unknown => JSON.parse(JSON.stringify(words).replace(/\d+\.\d s/g, "0.0 s"))
  const [begun, , first, last] = given(t).map((all) => all.map(times))
  expect(begun).toEqual([started("bash_1")])
  expect(first).toEqual(["bash_1 is running, for 0.0 s so far.\none"])
  expect(last?.slice(1)).toEqual(["bash_1 failed with exit code 4 after 0.0 s.\ntwo"])
  const [shown, , running, , ended] = displays(t)
  const command = "echo one; while [ ! -e go ]; do sleep 0.02; done; echo two; exit 4"
  expect([shown, running, ended]).toEqual([
    { kind: "terminal", command, output: "(runs in the background as bash_1)", exitCode: null },
    { kind: "terminal", command, output: "one", exitCode: null },
    { kind: "terminal", command, output: "two", exitCode: 4 },
  ])
  expect(t.story().filter((line) => line.startsWith("attachment"))).toEqual([])
})

test("the end of a command that nobody asked about is a reminder in the next request, and only there", async () => {
  await using t = await openTestSession({
    script: [
      calls(start("echo done > made")),
      {
        when: { lastUserText: "Background command bash_1" },
        content: [use("BashOutput", { bash_id: "bash_1", filter: "x" }), use("BashOutput", { bash_id: "bash_7" })],
      },
      { when: { lastToolResult: "bash_1 completed" }, content: "Told." },
      // However long it takes to end, nothing but its end goes on from here.
      { times: "always", content: [bash("sleep 0.05")] },
    ],
  })
  await play(t)
  const steps = given(t)
  const told = {
    added: expect.stringMatching(
      /^<system-reminder>\nBackground command bash_1 completed with exit code 0 after \d+\.\d s\. It was `echo done > made`\. BashOutput gives what it printed since you last looked; all of it is in \S+\.\n<\/system-reminder>$/,
    ),
  }
  expect(steps.at(-2)?.slice(1)).toEqual([told])
  expect(steps.at(-1)).toEqual([
    expect.stringMatching(/^bash_1 completed with exit code 0 after \d+\.\d s\.\nIt printed nothing new\.$/),
    {
      error:
        "There is no background command bash_7. There are bash_1 (completed). Those of before the session was resumed have ended.",
    },
  ])
  expect(t.story().filter((line) => line.startsWith("attachment"))).toEqual(["attachment background_end"])
  expect(t.read("made")).toBe("done\n")
})

test("a killed command is gone with its children, under either name of the tool, and at the end none is left", async () => {
  // Told apart by how long they sleep: the numbers of processes in a sandbox are others outside.
  const sleeper = (part: number) => `sleep ${600 + process.pid}.${part}`
  const sleeping = (part: number) => runningWith(sleeper(part)).length > 0
  const t = await openTestSession({
    script: [
      calls(
        start(`${sleeper(1)} & echo begun > child; wait`),
        start(`${sleeper(2)} & echo begun > left; wait`),
        start(sleeper(3)),
      ),
      calls(bash("until [ -s child -a -s left ]; do sleep 0.02; done")),
      calls(use("KillShell", { shell_id: "bash_1" }), use("TaskStop", { task_id: "bash_3" })),
      calls(use("KillShell", { shell_id: "bash_1" })),
      says("Killed."),
    ],
  })
  await using _ = t
  await play(t)
  const [, , killed, again] = given(t)
  const words = (id: string) =>
    expect.stringMatching(
      new RegExp(`^${id} was killed after \\d+\\.\\d s\\. What it printed last can still be read with BashOutput\\.$`),
    )
  expect(killed).toEqual([words("bash_1"), words("bash_3")])
  expect(again).toEqual([words("bash_1")])
  expect(displays(t)[4]).toEqual({ kind: "text", text: "bash_1: killed" })
  expect([sleeping(1), sleeping(2), sleeping(3)]).toEqual([false, true, false])
  await t.session.close()
  expect(sleeping(2)).toBe(false)
})
