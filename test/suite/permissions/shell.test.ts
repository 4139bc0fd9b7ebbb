/** Commands that only read: they run unasked, beside each other, and so that a repository cannot make them do more. */

import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says } from "../../kit/script.ts"

test("reading runs unasked; what is not understood, writes or reads outside is denied where nobody can be asked", async () => {
  const commands = ["cat a.txt | wc -l", "ls $X", "echo x > b.txt", "cat /etc/passwd", "cat < a.txt"]
  await using t = await openTestSession({
    files: { "a.txt": "one\n" },
    script: [...commands.map((command) => calls(bash(command))), says("Done.")],
    mode: "default",
    allow: [],
  })
  await t.prompt("go")
  expect(t.story().filter((line) => line.startsWith("decision"))).toEqual([
    "decision allow Bash by read_only",
    "decision deny Bash by no_one_to_ask",
    "decision deny Bash by no_one_to_ask",
    "decision deny Bash by no_one_to_ask",
    "decision allow Bash by read_only",
  ])
  expect(existsSync(t.path("b.txt"))).toBe(false)
})

test("what only reads is no side effect, from the first command of a session on", async () => {
  await using t = await openTestSession({
    files: { "a.txt": "one\n" },
    script: [calls(bash("ls")), calls(bash("cat a.txt"), bash("wc -l a.txt"), bash("head -1 a.txt")), says("Done.")],
    mode: "default",
    allow: [],
  })
  await t.prompt("go")
  // No intent is written before it, and it runs beside others like it.
  expect(t.story().filter((line) => line.startsWith("intent"))).toEqual([])
  expect(t.results().every(({ isError }) => !isError)).toBe(true)
})

test("commands that only read run beside each other: the second ends while the first still waits", async () => {
  await using t = await openTestSession({
    files: { "a.txt": "one\n" },
    script: [calls(bash("ls")), says("Ready."), calls(bash("cat first"), bash("cat second")), says("Done.")],
    mode: "default",
    allow: [],
  })
  await t.prompt("look")
  for (const name of ["first", "second"]) Bun.spawnSync(["/usr/bin/mkfifo", t.path(name)])
  const say = (name: string): Promise<number> =>
    Bun.spawn(["/bin/sh", "-c", 'echo "$1" > "$1"', "sh", name], { cwd: t.root }).exited
  const end = t.prompt("go")
  // A pipe takes nothing until somebody reads it: this would wait for ever behind the first.
  await say("second")
  await say("first")
  await end
  expect(t.story().filter((line) => line.startsWith("decision"))).toEqual(
    Array(3).fill("decision allow Bash by read_only"),
  )
  expect(
    t
      .results()
      .slice(1)
      .map(({ content }) => content),
  ).toEqual(["first", "second"])
})

test("git that only shows runs without hooks, monitors and pagers of the repository", async () => {
  await using t = await openTestSession({
    files: { "a.txt": "one\n", "evil.sh": '#!/bin/sh\ntouch "$(dirname "$0")/ran"\n' },
    script: [
      calls(bash("git init -q . && chmod +x evil.sh && git add a.txt")),
      calls(bash("git status --short")),
      says("Done."),
      calls(bash('git config core.fsmonitor "$PWD/evil.sh"')),
      says("Set."),
      calls(bash("git status --short")),
      says("Again."),
    ],
    allow: ["Bash"],
  })
  await t.prompt("begin")
  await t.prompt("set")
  // The bare rule would run it as it is; only what nobody allowed is hardened.
  await using hardened = await t.reopen({ allow: [], mode: "default" })
  await hardened.prompt("look")
  const last = hardened.results().at(-1)
  expect(existsSync(hardened.path("ran"))).toBe(false)
  expect(JSON.stringify(last?.content)).toContain(last?.isError ? "Not permitted" : "a.txt")
})
