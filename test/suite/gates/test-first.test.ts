/** The test-first gate: a failing test comes before the implementation, and passing ones before the end. */

import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { openTestSession, type TestSession, type TestSessionOptions } from "../../kit/open-test-session.ts"
import { bash, calls, edit, says, write } from "../../kit/script.ts"
import { cast, task } from "../subagents/cast.ts"

/** A test that passes as soon as src/a.txt says yes. */
const check = "#!/bin/sh\ngrep -q yes src/a.txt\n"
const base: Omit<TestSessionOptions, "script"> = {
  gates: { testFirst: true },
  mode: "bypassPermissions",
  bypassAvailable: true,
  files: { "src/a.txt": "no\n", Makefile: ".PHONY: test\ntest:\n\t@sh test/a.sh\n" },
  answers: () => ({ kind: "allow" }),
}
const states = (t: TestSession): readonly string[] =>
  t.entries().flatMap((entry) => (entry.kind === "gate" && entry.gate === "testFirst" ? [entry.state] : []))
const sentBack = (t: TestSession): number =>
  t.entries().filter((entry) => entry.kind === "attachment" && entry.name === "gate_tests").length
const errors = (t: TestSession): readonly boolean[] => t.results().map(({ isError }) => isError)

test("from a refused change to a passing test", async () => {
  await using t = await openTestSession({
    ...base,
    script: [
      calls(write("src/b.txt", "x\n")),
      calls(bash("echo yes > src/a.txt")),
      calls(bash("make test")),
      calls(write("test/a.sh", check)),
      calls(write("src/b.txt", "x\n")),
      calls(bash("make test")),
      calls(bash("echo yes > src/a.txt")),
      calls(bash("make test")),
      says("Done."),
    ],
  })
  await t.prompt("Say yes")
  // The test that does not exist yet fails too, but nothing was written before it.
  expect(errors(t)).toEqual([true, true, true, false, true, true, false, false])
  expect(states(t)).toEqual(["written", "failing", "changed", "passing"])
  expect(String(t.results()[0]?.content)).toContain("Tests come first in this session")
  expect(sentBack(t)).toBe(0)
  expect(existsSync(t.path("src/b.txt"))).toBe(false)
})

test("the end is sent back once if the tests were not seen passing", async () => {
  await using t = await openTestSession({
    ...base,
    script: [
      calls(write("test/a.sh", check)),
      calls(bash("make test")),
      calls(bash("echo maybe > src/a.txt")),
      says("Done."),
      says("It cannot pass."),
    ],
  })
  await t.prompt("Say yes")
  expect(sentBack(t)).toBe(1)
  expect((await t.ask({ type: "stage" })).result).toEqual({ ok: true, text: "It cannot pass." })
})

test("a pipe, another command or a test that passes at once shows no failure", async () => {
  await using t = await openTestSession({
    ...base,
    script: [
      calls(write("test/a.sh", check)),
      calls(bash("make test | cat")),
      calls(bash("false")),
      calls(bash("false && make test")),
      calls(bash("make test; true")),
      calls(bash("echo yes > src/a.txt")),
      says("Nothing."),
    ],
  })
  await t.prompt("Say yes")
  expect(states(t)).toEqual(["written"])
  expect(t.read("src/a.txt")).toBe("no\n")
})

test("the next turn begins with a test of its own", async () => {
  await using t = await openTestSession({
    ...base,
    script: [
      calls(write("test/a.sh", check)),
      calls(bash("make test")),
      calls(bash("echo yes > src/a.txt")),
      calls(bash("make test")),
      says("Done."),
      calls(bash("echo more > src/c.txt")),
      says("Not yet."),
    ],
  })
  await t.prompt("Say yes")
  await t.prompt("And more")
  expect(errors(t)).toEqual([false, true, false, false, true])
})

test("it is remembered by another process", async () => {
  await using t = await openTestSession({
    ...base,
    script: [
      calls(write("test/a.sh", check)),
      says("A test."),
      calls(bash("make test")),
      says("It fails."),
      calls(edit("src/a.txt", "no", "yes")),
      calls(bash("echo yes > src/a.txt")),
      calls(bash("make test")),
      says("Done."),
    ],
  })
  await t.prompt("A test")
  await using again = await t.reopen({ gates: {} })
  await again.prompt("Run it")
  await using last = await again.reopen({ gates: {} })
  await last.prompt("Now do it")
  expect(states(last)).toEqual(["written", "failing", "changed", "passing"])
})

test("agents stay within it, and what they do counts for all", async () => {
  await using t = await openTestSession({
    ...base,
    script: cast({
      main: [calls(task("alpha")), calls(bash("echo yes > src/a.txt")), calls(bash("make test")), says("Done.")],
      alpha: [
        calls(bash("echo yes > src/a.txt")),
        calls(write("test/a.sh", check)),
        calls(bash("make test")),
        says("alpha wrote a failing test"),
      ],
    }),
  })
  await t.prompt("go")
  expect(states(t)).toEqual(["written", "failing", "changed", "passing"])
  expect(t.read("src/a.txt")).toBe("yes\n")
})

test("a project says what its tests are", async () => {
  await using t = await openTestSession({
    ...base,
    files: { "src/a.txt": "no\n", "verify.sh": check },
    testing: { files: ["verify.sh"], commands: ["sh verify.sh"] },
    script: [
      calls(write("test/a.sh", check)),
      calls(bash("echo '# more' >> verify.sh")),
      calls(bash("sh verify.sh")),
      calls(bash("echo yes > src/a.txt")),
      calls(bash("sh verify.sh")),
      says("Done."),
    ],
  })
  await t.prompt("Say yes")
  expect(errors(t)).toEqual([true, false, true, false, false])
  expect(states(t)).toEqual(["written", "failing", "changed", "passing"])
})
