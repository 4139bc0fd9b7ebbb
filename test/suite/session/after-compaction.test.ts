/** A log is read from its last compaction on: what held before it holds after a resume all the same. */

import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import type { Entry } from "#agent/words/entry.ts"
import { textOf } from "#agent/words/message.ts"
import { reduce } from "#faces/view/reduce.ts"
import { emptyView } from "#faces/view/view.ts"
import type { ScenarioFunction, ScenarioReply } from "#sim/scenario.ts"
import { act } from "../../kit/going-back.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { bash, calls, edit, read, says, use, write } from "../../kit/script.ts"
import { bodyOf } from "../../kit/sent.ts"

const summary = says(
  "<summary>\n1. Request and intent: the user wants the work done step by step, as they say.\n8. Current work: none.\n</summary>",
)
const padding = "The sums of this turn are right. ".repeat(800)

/** Answers each prompt with the calls under its words, and knows how to talk; asked for a summary, it gives one. */
const worker =
  (work: { readonly [prompt: string]: ScenarioReply }): ScenarioFunction =>
  ({ messages }) => {
    const last = messages.at(-1)?.content ?? []
    if (JSON.stringify(last).includes("Write a summary")) return summary
    const prompt = last.findLast(({ type, text }) => type === "text" && !String(text).startsWith("<system-reminder>"))
    const isDone = last.some(({ type }) => type === "tool_result")
    if (isDone) return says("done")
    return { talk: says(padding), fill: calls(read("a-note.txt")), ...work }[String(prompt?.text)] ?? says("heard")
  }

/** Compacts, and makes sure that it was done. */
async function compact(t: TestSession): Promise<void> {
  const before = t.entries().filter(({ kind }) => kind === "compaction").length
  // Something to make smaller; what comes after the last call would stay.
  await t.prompt("talk")
  await t.prompt("fill")
  await act(t, { type: "compact" })
  expect(t.entries().filter(({ kind }) => kind === "compaction")).toHaveLength(before + 1)
}

const todos = [{ content: "x", status: "pending", activeForm: "xing" }]
const kinds = (t: TestSession, ...wanted: Entry["kind"][]): string[] =>
  t.story().filter((line) => wanted.some((kind) => line.startsWith(kind)))

test("the state is the same, also after several compactions and moves", async () => {
  await using first = await openTestSession({
    script: worker({ move: calls(bash("mkdir -p sub && cd sub"), use("TodoWrite", { todos })) }),
    names: false,
  })
  await first.prompt("move")
  void first.session.submit({ type: "rename", title: "Mine" })
  void first.session.submit({ type: "set_model", model: "claude-opus-4-5" })
  await compact(first)
  await first.prompt("more")
  await act(first, { type: "clear" })
  await act(first, { type: "redo" })
  void first.session.submit({ type: "set_mode", mode: "plan" })
  await compact(first)
  const before = await first.ask({ type: "state" })
  expect(before).toMatchObject({ turns: 6, lastEnd: "completed", mode: "plan", model: "claude-opus-4-5" })
  await using t = await first.reopen({ model: { given: false } })
  expect(await t.ask({ type: "state" })).toEqual(before)
  await act(t, { type: "shell", command: "pwd" })
  expect(kinds(t, "shell")).toEqual([`shell pwd: ${t.path("sub")}`])
})

test("commands run where they ran, and the system prompt names the model that answers", async () => {
  await using first = await openTestSession({
    script: worker({ move: calls(bash("mkdir -p sub && cd sub")), where: calls(bash("pwd")) }),
  })
  await first.prompt("move")
  void first.session.submit({ type: "set_model", model: "claude-opus-4-5" })
  await compact(first)
  await using t = await first.reopen({ model: { given: false } })
  await t.prompt("where")
  expect(t.results().at(-1)?.content).toBe(t.path("sub"))
  expect(JSON.stringify(bodyOf(t.simulator.requests.at(-1)).system)).toContain("claude-opus-4-5")
})

test("what the person allowed for the session is still allowed", async () => {
  let asked = 0
  await using first = await openTestSession({
    allow: [],
    mode: "default",
    answers: () => {
      asked++
      return { kind: "allow", remember: { rule: "Bash(touch a:*)", destination: "session" } }
    },
    script: worker({ one: calls(bash("touch a")), two: calls(bash("touch a b")) }),
  })
  await first.prompt("one")
  await compact(first)
  await using t = await first.reopen()
  await t.prompt("two")
  expect([asked, existsSync(t.path("b"))]).toEqual([1, true])
})

test("it keeps its name", async () => {
  const namer = says("A name")
  await using first = await openTestSession({
    names: true,
    script: (request, context) => (/haiku/.test(request.model) ? namer : worker({})(request, context)),
  })
  await first.prompt("one")
  await first.until((event) => event.type === "entry" && event.entry.kind === "title")
  await compact(first)
  await using t = await first.reopen()
  await t.prompt("two")
  await t.prompt("three")
  const asked = t.simulator.requests.filter(({ body }) => /haiku/.test((body as { model: string }).model))
  expect(asked).toHaveLength(1)
})

test("what was said and not delivered yet waits, wherever a compaction came in between", async () => {
  await using first = await openTestSession({
    script: (request, context) =>
      JSON.stringify(request.messages.at(-1)).endsWith('slowly"}]}')
        ? { ...says("slow"), timing: { ttftMs: 60_000 } }
        : worker({})(request, context),
  })
  await first.prompt("talk")
  first.say("slowly")
  await first.until((event) => event.type === "entry" && event.entry.kind === "request" && event.entry.messages === 3)
  first.say("later")
  await act(first, { type: "interrupt" })
  await act(first, { type: "compact" })
  expect(kinds(first, "compaction")).toHaveLength(1)
  await using t = await first.reopen()
  await t.prompt("now")
  expect(kinds(t, "prompt").slice(-2)).toEqual(["prompt later", "prompt now"])
})

test("files can be brought back to before it", async () => {
  await using first = await openTestSession({ script: worker({ make: calls(write("a.txt", "mine\n")) }) })
  await first.prompt("make")
  await compact(first)
  await using t = await first.reopen()
  const points = await t.ask({ type: "points" })
  expect(points.ok && points.value.map(({ text, files }) => [text, files])).toContainEqual(["make", ["a.txt"]])
  const id = points.ok ? (points.value[0]?.promptId ?? "") : ""
  await act(t, { type: "rewind", promptId: id, what: "both" })
  expect(existsSync(t.path("a.txt"))).toBe(false)
  await act(t, { type: "redo" })
  expect(t.read("a.txt")).toBe("mine\n")
})

test("of a command in the background the model hears that it is gone", async () => {
  await using first = await openTestSession({
    script: worker({ watch: calls(use("Bash", { command: "sleep 300", run_in_background: true })) }),
  })
  await first.prompt("watch")
  await compact(first)
  await using t = await first.reopen()
  await t.prompt("two")
  expect(kinds(t, "attachment")).toContain("attachment background_lost")
})

test("whoever watches from then on sees the list of work, the mode and the model", async () => {
  await using first = await openTestSession({ script: worker({ list: calls(use("TodoWrite", { todos })) }) })
  await first.prompt("list")
  await compact(first)
  await using t = await first.reopen()
  await t.session.close()
  let view = emptyView
  for await (const event of t.session.events("beginning")) view = reduce(view, event)
  expect(view).toMatchObject({ todos, mode: "acceptEdits", model: "claude-sonnet-5" })
})

test("a plan that was gone back behind does not come back with a compaction", async () => {
  await using first = await openTestSession({
    mode: "plan",
    answers: (question) =>
      question.ask.kind === "plan" ? { kind: "deny", words: "no", interrupt: false } : { kind: "allow" },
    script: worker({ plan: calls(use("ExitPlanMode", {})), list: calls(use("TodoWrite", { todos })) }),
  })
  void first.session.submit({ type: "set_mode", mode: "default" })
  await first.prompt("one")
  void first.session.submit({ type: "set_mode", mode: "plan" })
  await first.prompt("plan")
  void first.session.submit({ type: "set_mode", mode: "default" })
  const id = first.entries().find((entry) => entry.kind === "prompt" && textOf(entry.content) === "plan")
  await act(first, { type: "rewind", promptId: id?.kind === "prompt" ? id.promptId : "", what: "conversation" })
  expect(await first.ask({ type: "plan" })).toBeNull()
  await compact(first)
  expect(await first.ask({ type: "plan" })).toBeNull()
  await using t = await first.reopen()
  expect(await t.ask({ type: "plan" })).toBeNull()
})

test("files that the model no longer has before it must be read again before they are edited; those it is shown need not", async () => {
  const names = [1, 2, 3, 4, 5, 6, 7].map((n) => `f${n}.txt`)
  await using t = await openTestSession({
    files: Object.fromEntries(names.map((name) => [name, `${name} one\n`])),
    script: worker({
      // One after the other: reads of one answer may end in any order.
      ...Object.fromEntries(names.map((name) => [name, calls(read(name))])),
      first: calls(edit("f1.txt", "one", "two")),
      last: calls(edit("f7.txt", "one", "two")),
    }),
    names: false,
  })
  for (const name of names) await t.prompt(name)
  await compact(t)
  const compacted = t.entries().findLast(({ kind }) => kind === "compaction")
  const shown = compacted?.kind === "compaction" ? (compacted.files ?? []) : []
  expect(shown).toContain(t.path("f7.txt"))
  expect(shown).not.toContain(t.path("f1.txt"))
  await t.prompt("first")
  await t.prompt("last")
  const [first, last] = t.results().slice(-2)
  expect([first?.isError, first?.content]).toEqual([true, expect.stringContaining("Read it first")])
  expect([last?.isError, last?.content]).toEqual([false, expect.stringContaining("f7.txt")])
  expect([t.read("f1.txt"), t.read("f7.txt")]).toEqual(["f1.txt one\n", "f7.txt two\n"])
})
