/** Whose word counts for a tool of a server: the person's. What the server says of it orders calls, and no more. */

import { expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import type { Answer, Question } from "#agent/words/question.ts"
import { openTestSession, type TestSessionOptions } from "../../kit/open-test-session.ts"
import { everything, filesystem, servers, wayward } from "../../kit/mcp/servers.ts"
import { calls, says, use } from "../../kit/script.ts"
import { temporaryFolder } from "../../kit/tmp.ts"
import { cast, task } from "../subagents/cast.ts"

const look = use("mcp__wayward__look", {})
const callsIn = (notes: string): readonly string[] =>
  existsSync(notes)
    ? readFileSync(notes, "utf8")
        .split("\n")
        .filter((line) => line.startsWith("call "))
    : []
const marked = (...wrongs: string[]) => servers([{ ...wayward("wayward", ...wrongs), readOnly: true }])

/** Allows everything, and keeps what it was asked. */
function allowing(): { readonly asked: string[]; readonly answers: (question: Question) => Answer } {
  const asked: string[] = []
  return {
    asked,
    answers({ ask }) {
      asked.push(ask.kind === "permission" ? ask.tool : ask.kind)
      return { kind: "allow" }
    },
  }
}

for (const mode of ["default", "acceptEdits"] as const)
  test(`a tool that says it only reads is asked about in the mode ${mode}, like any other`, async () => {
    const { asked, answers } = allowing()
    await using t = await openTestSession({
      script: [calls(look), says("Done.")],
      mcp: servers([wayward("wayward")]),
      mode,
      answers,
    })
    await t.prompt("go")
    expect(asked).toEqual(["mcp__wayward__look"])
    expect(t.results()[0]?.content).toBe("look: {}")
  })

test("the official servers' readers are asked about, too", async () => {
  using folder = temporaryFolder()
  const { asked, answers } = allowing()
  await using t = await openTestSession({
    script: [calls(use("mcp__files__list_allowed_directories", {})), says("Done.")],
    mcp: servers([filesystem(folder.path)]),
    mode: "default",
    answers,
  })
  await t.prompt("go")
  const [server] = await t.ask({ type: "servers" })
  expect(server?.tools.find(({ name }) => name === "list_allowed_directories")?.annotations?.readOnlyHint).toBe(true)
  expect(asked).toEqual(["mcp__files__list_allowed_directories"])
})

test("one answer is enough: what is not to be asked again is a rule for the very tool", async () => {
  const seen: Question["ask"][] = []
  await using t = await openTestSession({
    script: [calls(look), calls(look), calls(use("mcp__wayward__say", { text: "x" })), says("Done.")],
    mcp: servers([wayward("wayward")]),
    mode: "default",
    answers({ ask }) {
      seen.push(ask)
      const rule = ask.kind === "permission" ? ask.suggestedRule : undefined
      return rule === "mcp__wayward__look"
        ? { kind: "allow", grants: [{ rule, destination: "session" }] }
        : { kind: "deny", interrupt: false, words: "no" }
    },
  })
  await t.prompt("go")
  expect(seen).toMatchObject([{ tool: "mcp__wayward__look" }, { tool: "mcp__wayward__say" }])
  expect(t.results().map(({ isError }) => isError)).toEqual([false, false, true])
  expect(t.entries()).toContainEqual(
    expect.objectContaining({ kind: "grant", rule: "mcp__wayward__look", destination: "session" }),
  )
})

test("a tool that says it only reads and that it destroys is asked about, and its risk is named", async () => {
  const risks: unknown[] = []
  await using t = await openTestSession({
    script: [calls(use("mcp__wayward__both", {})), says("Done.")],
    mcp: servers([wayward("wayward", "two-faced")]),
    answers({ ask }) {
      risks.push(ask.kind === "permission" ? ask.risks : ask.kind)
      return { kind: "deny", interrupt: false, words: "no" }
    },
  })
  await t.prompt("go")
  expect(risks).toEqual([["wayward says that this may be destructive, and cannot be undone"]])
})

test("what a server says of its tools orders calls: those that only read run side by side", async () => {
  using folder = temporaryFolder()
  const notes = folder.join("notes")
  const order: string[] = []
  await using t = await openTestSession({
    script: [calls(look, look), calls(use("mcp__wayward__both", {}), use("mcp__wayward__both", {})), says("Done.")],
    mcp: servers([wayward("wayward", "two-faced", "pairs", `notes=${notes}`)]),
    allow: ["mcp__wayward"],
  })
  await t.prompt("go")
  for (const line of readFileSync(notes, "utf8").split("\n")) if (/^(call|done) /.test(line)) order.push(line)
  expect(order).toEqual([
    "call look",
    "call look",
    "done look",
    "done look",
    "call both",
    "done both",
    "call both",
    "done both",
  ])
})

test("a call of a tool that says it only reads is written down before it is made, like every act", async () => {
  await using t = await openTestSession({
    script: [calls(look), says("Done.")],
    mcp: servers([wayward("wayward")]),
    allow: ["mcp__wayward"],
  })
  await t.prompt("go")
  expect(t.entries()).toContainEqual(expect.objectContaining({ kind: "intent", tool: "mcp__wayward__look" }))
})

const planning = (notes: string, mcp: TestSessionOptions["mcp"], ...names: string[]): TestSessionOptions => ({
  script: [calls(...names.map((name) => use(`mcp__wayward__${name}`, {}))), says("Done.")],
  mcp: mcp ?? servers([wayward("wayward", `notes=${notes}`)]),
  mode: "plan",
  allow: ["mcp__wayward"],
})

test("in plan mode no tool runs of a server that the person has not marked, whatever it says of itself", async () => {
  using folder = temporaryFolder()
  const notes = folder.join("notes")
  const { asked, answers } = allowing()
  await using t = await openTestSession({ ...planning(notes, undefined, "look", "say"), answers })
  await t.prompt("go")
  expect(asked).toEqual([])
  for (const { content, isError } of t.results()) {
    expect(isError).toBe(true)
    expect(String(content)).toStartWith("Not permitted. Plan mode is on, so nothing can be changed")
    expect(String(content)).toContain("codewright mcp read-only")
  }
  expect(callsIn(notes)).toEqual([])
})

test("in plan mode tools of a marked server run, but none that says itself that it changes something", async () => {
  using folder = temporaryFolder()
  const notes = folder.join("notes")
  const { asked, answers } = allowing()
  const mcp = marked("two-faced", `notes=${notes}`)
  await using t = await openTestSession({ ...planning(notes, mcp, "look", "say", "wreck", "both"), answers })
  await t.prompt("go")
  expect(asked).toEqual([])
  expect(t.results().map(({ isError }) => isError)).toEqual([false, false, true, true])
  expect(callsIn(notes).toSorted()).toEqual(["call look", "call say"])
})

test("a mark is about plan mode: the first call of a tool is asked about there, too", async () => {
  using folder = temporaryFolder()
  const { asked, answers } = allowing()
  await using t = await openTestSession({
    ...planning("", marked(`notes=${folder.join("notes")}`), "look"),
    allow: [],
    answers,
  })
  await t.prompt("go")
  expect(asked).toEqual(["mcp__wayward__look"])
  expect(t.results()[0]?.content).toBe("look: {}")
})

for (const [what, readOnly] of [
  ["of a marked server they use", true],
  ["of another server they do not use", undefined],
] as const)
  test(`agents that only read: tools ${what}`, async () => {
    using folder = temporaryFolder()
    const notes = folder.join("notes")
    const server = wayward("wayward", `notes=${notes}`)
    await using t = await openTestSession({
      script: cast({
        main: [calls(task("alpha", { subagent_type: "Explore" })), says("Done.")],
        alpha: [calls(look), says("Looked.")],
      }),
      mcp: servers([readOnly ? { ...server, readOnly } : server]),
      allow: ["mcp__wayward"],
    })
    await t.prompt("go")
    expect(callsIn(notes)).toEqual(readOnly ? ["call look"] : [])
  })

test("the everything server marked as read-only answers in plan mode", async () => {
  await using t = await openTestSession({
    script: [calls(use("mcp__everything__echo", { message: "hello" })), says("Done.")],
    mcp: servers([{ ...everything(), readOnly: true }]),
    mode: "plan",
    allow: ["mcp__everything"],
  })
  await t.prompt("go")
  expect(t.results()[0]?.content).toBe("Echo: hello")
})
