/** Gates that are switched while a session is open: each takes effect at once, is in the log, and counts in every process after that. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { existsSync } from "node:fs"
import type { GateName } from "#agent/words/gates.ts"
import type { Op } from "#agent/words/op.ts"
import type { Answer, Question } from "#agent/words/question.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says, use, write } from "../../kit/script.ts"
import { cast, task } from "../subagents/cast.ts"

setDefaultTimeout(300_000)

const init = bash("git init -q && git config user.name t && git config user.email t@example.com")
const commit = bash("git commit --allow-empty -qm x")
const free = { mode: "bypassPermissions", bypassAvailable: true } as const
const no: Answer = { kind: "deny", words: "No.", interrupt: false }

const turn = (t: TestSession, gate: GateName, on: boolean, more: Partial<Op & { type: "set_gate" }> = {}) =>
  t.session.submit({ type: "set_gate", gate, on, ...more })
const isOn = async (t: TestSession): Promise<readonly GateName[]> =>
  (await t.ask({ type: "gates" })).flatMap(({ gate, on }) => (on ? [gate] : []))
const refused = (message: string): { ok: false; failure: { kind: "gate"; message: string } } => ({
  ok: false,
  failure: { kind: "gate", message: expect.stringContaining(message) },
})
const said = (t: TestSession): string => JSON.stringify(t.requests().at(-1))
const errors = (t: TestSession): readonly boolean[] => t.results().map(({ isError }) => isError)

test("git: on and off again, for agents too, and the model is told", async () => {
  const asked: string[] = []
  await using t = await openTestSession({
    ...free,
    script: cast({
      main: [
        calls(init),
        calls(commit),
        says("One."),
        calls(commit),
        calls(task("alpha")),
        says("Two."),
        calls(commit),
        says("Three."),
      ],
      alpha: [calls(commit), says("alpha could not.")],
    }),
    answers: ({ ask }: Question) => {
      if (ask.kind === "permission") asked.push(ask.title)
      return no
    },
  })
  await t.prompt("first")
  expect(asked).toEqual([])
  expect(await turn(t, "git", true)).toEqual({ ok: true, value: undefined })
  await t.prompt("second")
  expect(asked).toHaveLength(2)
  expect(said(t)).toContain("The user is asked before every git operation")
  expect(await turn(t, "git", false)).toEqual({ ok: true, value: undefined })
  await t.prompt("third")
  expect(asked).toHaveLength(2)
  expect(said(t)).toContain("The user switched the git gate off")
  expect(t.entries().flatMap((entry) => (entry.kind === "gates" ? [entry.switched] : []))).toEqual([
    { git: { on: true } },
    { git: { on: false } },
  ])
})

test("it stays switched when the session is opened again, compacted or copied, until somebody names it", async () => {
  await using t = await openTestSession({ script: [says("Hello."), says("Hello.")], gates: { git: true, files: true } })
  await t.prompt("go")
  await turn(t, "git", false, { by: "ann" })
  await turn(t, "testFirst", true)
  const settings = { gates: { git: true, files: true }, gateSources: { git: "settings", files: "project" } } as const
  await using again = await t.reopen(settings)
  expect(await again.ask({ type: "gates" })).toEqual([
    { gate: "clarify", on: false },
    { gate: "plan", on: false },
    { gate: "files", on: true, source: "project", kept: "admin" },
    { gate: "git", on: false, source: "session", by: "ann" },
    { gate: "testFirst", on: true, source: "session" },
  ])
  expect((await again.ask({ type: "stage" })).gates).toEqual({ files: true, testFirst: true })
  await using copy = await again.fork(settings)
  expect(await isOn(copy)).toEqual(["files", "testFirst"])
  await using named = await again.reopen({ ...settings, namedGates: ["git"] })
  expect(await isOn(named)).toEqual(["files", "git", "testFirst"])
  await using after = await named.reopen(settings)
  expect(await isOn(after)).toEqual(["files", "git", "testFirst"])
})

test("what the policy of the machine sets stays on, also if it was switched off before", async () => {
  await using t = await openTestSession({ script: [says("Hello.")], gates: { git: true } })
  await turn(t, "git", false)
  await using again = await t.reopen({ gates: { git: true }, gateSources: { git: "policy" } })
  expect(await isOn(again)).toEqual(["git"])
  expect((await again.ask({ type: "stage" })).gates).toEqual({ git: true })
  expect(await turn(again, "git", false)).toEqual(refused("managed policy"))
})

test("who may not change what files ask for can only take back what was added", async () => {
  await using t = await openTestSession({
    script: [says("Hello.")],
    gates: { git: true, files: true, plan: true },
    gateSources: { git: "settings", files: "project" },
  })
  const limits = { limits: "session", by: "bob" } as const
  expect(await turn(t, "git", false, limits)).toEqual(refused("Only an admin"))
  expect(await turn(t, "files", false, limits)).toEqual(refused("the project's settings"))
  expect(await turn(t, "plan", false, limits)).toEqual({ ok: true, value: undefined })
  expect(await turn(t, "clarify", true, limits)).toEqual({ ok: true, value: undefined })
  expect(await turn(t, "git", false, { by: "ann" })).toEqual({ ok: true, value: undefined })
  expect(await isOn(t)).toEqual(["clarify", "files"])
})

test("plan: nothing changes once it is on, and the mode from before is back once it is off", async () => {
  await using t = await openTestSession({
    mode: "acceptEdits",
    script: [calls(write("a.txt", "x\n")), says("No."), calls(write("a.txt", "y\n")), says("Done.")],
  })
  await turn(t, "plan", true)
  await t.prompt("go")
  expect((await t.ask({ type: "stage" })).gates).toEqual({ plan: true })
  expect(existsSync(t.path("a.txt"))).toBe(false)
  await turn(t, "plan", false)
  expect((await t.ask({ type: "state" })).mode).toBe("acceptEdits")
  await t.prompt("again")
  expect(t.read("a.txt")).toBe("y\n")
})

test("clarify: the tool for it comes with it", async () => {
  await using t = await openTestSession({
    ...free,
    script: [
      calls(write("a.txt", "x\n")),
      says("One."),
      calls(write("b.txt", "x\n")),
      calls(use("ConfirmTask", { task: "Write b.txt.", nothingUnclear: true })),
      calls(write("b.txt", "y\n")),
      says("Two."),
    ],
  })
  await t.prompt("first")
  await turn(t, "clarify", true)
  await t.prompt("second")
  expect(errors(t)).toEqual([false, true, false, false])
  expect(t.read("b.txt")).toBe("y\n")
  expect(await t.ask({ type: "stage" })).toMatchObject({ stage: "completed", clarifiedQuery: "Write b.txt." })
})

test("files and testFirst: from the next call on", async () => {
  await using t = await openTestSession({
    ...free,
    script: [
      calls(bash("touch a.txt")),
      says("One."),
      calls(bash("touch b.txt")),
      says("Two."),
      calls(bash("touch c.txt")),
      says("Three."),
      calls(write("d.txt", "x\n")),
      says("Four."),
    ],
    answers: () => no,
  })
  const there = (): string => ["a", "b", "c", "d"].filter((name) => existsSync(t.path(`${name}.txt`))).join("")
  await t.prompt("first")
  await turn(t, "files", true)
  await t.prompt("second")
  expect(there()).toBe("a")
  await turn(t, "files", false)
  await t.prompt("third")
  expect(there()).toBe("ac")
  await turn(t, "testFirst", true)
  await t.prompt("fourth")
  expect(there()).toBe("ac")
})
