/** Bash: the folder stays, nothing else does; how a command ended is told. */

import { expect, test } from "bun:test"
import { mkdirSync } from "node:fs"
import type { JsonObject } from "#lib/json.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says, use } from "../../kit/script.ts"
import { displays, given, play } from "./played.ts"

test("the working folder is kept from command to command, the environment is not, and it stays in its bounds", async () => {
  await using t = await openTestSession({
    script: [
      calls(bash("cd sub && export A=1 && pwd")),
      calls(bash('pwd; echo "[$A]"'), use("Read", { file_path: "in-sub.txt" })),
      calls(bash("cd /")),
      calls(bash("pwd")),
      says("Moved."),
    ],
  })
  mkdirSync(t.path("sub"))
  await Bun.write(t.path("sub/in-sub.txt"), "here\n")
  await play(t)
  expect(given(t)).toEqual([
    ["/p/sub"],
    ["/p/sub\n[]", "1\there"],
    [
      "The command succeeded and printed nothing.\n[The working folder is /p/sub again: / is outside the folders you may work in.]",
    ],
    ["/p/sub"],
  ])
  expect((await t.ask({ type: "state" })).cwd).toBe(t.path("sub"))
  expect(t.story().slice(0, 8)).toEqual([
    "turn_start",
    "prompt go",
    "reply calls Bash",
    "decision allow Bash by rule",
    "intent Bash cd sub && export A=1 && pwd",
    `cwd ${t.path("sub")}`,
    `result ${t.path("sub")}`,
    "reply calls Bash",
  ])
})

test("the first commands of a session already run beside each other, when they only read", async () => {
  const five = Array.from({ length: 5 }, () => bash("sleep 0.2"))
  await using t = await openTestSession({ script: [calls(...five), says("Rested.")] })
  await play(t)
  const order: string[] = []
  void t.until((event) => {
    if (event.type === "tool_start") order.push("start")
    if (event.type === "entry" && event.entry.kind === "result") order.push("result")
    return false
  })
  expect(order).toEqual([...five.map(() => "start"), ...five.map(() => "result")])
})

test("an exit code, an end by a signal and a time limit are told, with what was printed", async () => {
  const slow = { command: "echo begun; sleep 30", timeout: 400 }
  await using t = await openTestSession({
    script: [
      calls(bash("echo out; echo err >&2; exit 3")),
      calls(bash("echo last words; kill -9 $$")),
      calls(use("Bash", slow)),
      calls(bash("cat")),
      says("Seen."),
    ],
  })
  await play(t)
  expect(given(t)).toEqual([
    [{ error: "Exit code 3\nout\nerr" }],
    [
      {
        error:
          "Exit code 137\nThe command was ended by SIGKILL, as the system does when memory runs out. If that may be why, do less at once before you run it again.\nlast words",
      },
    ],
    [
      {
        error:
          "The command did not end within 400 ms and was ended with all its processes. Give it more time with timeout (at most 60000 ms), or do less at once.\nWhat it printed until then:\nbegun",
      },
    ],
    // Nobody can type: standard input is at its end.
    ["The command succeeded and printed nothing."],
  ])
  expect(displays(t)).toEqual([
    { kind: "terminal", command: "echo out; echo err >&2; exit 3", output: "out\nerr", exitCode: 3 },
    { kind: "terminal", command: "echo last words; kill -9 $$", output: "last words", exitCode: 137 },
    { kind: "terminal", command: slow.command, output: "begun", exitCode: null },
    { kind: "terminal", command: "cat", output: "", exitCode: 0 },
  ])
  expect(t.results()[2]?.data).toMatchObject({ stdout: "begun", interrupted: true } satisfies JsonObject)
})
