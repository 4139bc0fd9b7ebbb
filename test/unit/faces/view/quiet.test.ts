/** What a transcript leaves unsaid: calls that only look are one row, refusals one line, and nothing is told twice. */

import { describe, expect, test } from "bun:test"
import type { EntryBody } from "#agent/words/entry.ts"
import type { Happening } from "#agent/words/event.ts"
import { noUsage } from "#agent/words/model.ts"
import { questionOf } from "#agent/words/question.ts"
import { touchesNothing } from "#agent/words/footprint.ts"
import type { Gathers } from "#agent/words/tool.ts"
import { itemsRows } from "#faces/tui/parts/items.ts"
import { reduce } from "#faces/view/reduce.ts"
import { emptyView, splitFinished, type View } from "#faces/view/view.ts"

const entry = (body: EntryBody): Happening => ({
  type: "entry",
  entry: { uuid: "u", parentUuid: null, at: 0, ...body },
})
const start = entry({ kind: "turn_start", turnId: "t" })
const end = entry({ kind: "turn_end", turnId: "t", reason: "completed" })
const reply = (block: (EntryBody & { kind: "reply" })["block"]): Happening =>
  entry({ kind: "reply", messageId: "m", model: "m", block, usage: noUsage })
const made = (id: string, name: string, input: { [key: string]: string } = {}): Happening =>
  reply({ type: "tool_use", id, name, input })
const begun = (callId: string, title: string, gathers?: Gathers): Happening => ({
  type: "tool_start",
  callId,
  tool: title.split(" ")[0] ?? "",
  title,
  ...(gathers && { gathers }),
})
const result = (callId: string, more: Partial<EntryBody & { kind: "result" }> = {}): Happening =>
  entry({ kind: "result", callId, tool: "T", content: "", isError: false, durationMs: 1, ...more })
const says = (text: string): Happening => reply({ type: "text", text })

const fold = (...events: readonly Happening[]): View => events.reduce(reduce, emptyView)
const rows = (view: View, columns = 80): string[] =>
  itemsRows(view.items, columns, "folded")
    .map((row) => Bun.stripANSI(row))
    .filter((row) => row !== "")

const read = (id: string, path: string): readonly Happening[] => [
  made(id, "Read"),
  begun(id, `Read ${path}`, "file"),
  result(id, { gathers: "file", title: `Read ${path}`, display: { kind: "text", text: "12 lines" } }),
]
const grep = (id: string, pattern: string): readonly Happening[] => [
  made(id, "Grep"),
  begun(id, `Grep ${pattern}`, "pattern"),
  result(id, { gathers: "pattern", title: `Grep ${pattern}`, display: { kind: "list", items: ["a", "b"] } }),
]
const think = reply({ type: "thinking", thinking: "Hm." })

describe("calls that only look", () => {
  test("one is one row, with what it found", () => {
    expect(rows(fold(start, ...read("1", "a.ts")))).toEqual(["● Read a.ts · 12 lines"])
    expect(rows(fold(start, ...grep("1", "foo")))).toEqual(["● Grep foo · 2 results"])
  })

  test("many are one row, whatever was thought between them", () => {
    const many = Array.from({ length: 12 }, (_, i) => [think, ...read(`${i}`, `src/some/folder/${i}.ts`)]).flat()
    expect(rows(fold(start, ...many)).slice(1)).toEqual(["● Read 12 files  Ctrl+O for details"])
    expect(rows(fold(start, ...read("1", "a.ts"), think, ...read("2", "b.ts")))).toEqual(["● Read 2 files  a.ts, b.ts"])
  })

  test("reading and searching share the row; the same file twice is one file", () => {
    const view = fold(start, ...read("1", "a.ts"), ...read("2", "a.ts"), ...grep("3", "x"), ...grep("4", "y"))
    expect(rows(view)).toEqual(["● Read 1 file, searched for 2 patterns  a.ts, x, y"])
  })

  test("while they run, the row counts along and says what is looked at now", () => {
    const view = fold(start, ...read("1", "a.ts"), made("2", "Read"), begun("2", "Read b.ts", "file"))
    expect(rows(view)).toEqual(["● Reading 2 files  a.ts, b.ts", "    Read b.ts"])
  })

  test("the run stays open until something else comes, and then goes whole", () => {
    const run = [...read("1", "a.ts"), think, ...read("2", "b.ts")]
    expect(splitFinished(fold(start, ...run)).finished).toEqual([])
    expect(splitFinished(fold(start, ...run, made("3", "Read"))).finished).toEqual([])
    expect(splitFinished(fold(start, ...run, says("So."))).finished.map(({ kind }) => kind)).toEqual([
      "call",
      "thinking",
      "call",
      "text",
    ])
    expect(splitFinished(fold(start, ...run, made("3", "Bash"), begun("3", "Bash ls"))).finished.length).toBe(3)
    expect(splitFinished(fold(start, ...run, end)).finished.length).toBe(4)
  })

  test("one that failed is told by itself, in the words for people", () => {
    const failed = result("2", {
      gathers: "file",
      title: "Read gone.ts",
      isError: true,
      content: "/w/gone.ts does not exist. Use Glob to find it.",
      display: { kind: "text", text: "File not found" },
    })
    const view = fold(start, ...read("1", "a.ts"), made("2", "Read"), failed, ...read("3", "b.ts"))
    expect(rows(view)).toEqual([
      "● Read a.ts · 12 lines",
      "● Read gone.ts",
      "    File not found",
      "● Read b.ts · 12 lines",
    ])
  })

  test("after a resume, where only the log speaks, they look the same", () => {
    const live = fold(start, ...read("1", "a.ts"), ...grep("2", "x"))
    const logged = fold(...[start, ...read("1", "a.ts"), ...grep("2", "x")].filter((event) => event.type === "entry"))
    expect(rows(logged)).toEqual(rows(live))
    const absolute = made("1", "Read", { file_path: "/home/me/repo/src/server.ts" })
    expect(rows(fold(start, absolute, result("1", { title: "Read src/server.ts" })))[0]).toBe("● Read src/server.ts")
  })
})

describe("a refusal", () => {
  const ask = {
    kind: "permission",
    callId: "1",
    tool: "Bash",
    title: "Bash rm -rf build",
    input: { command: "rm -rf build" },
    footprint: touchesNothing(),
    decision: { behavior: "ask", reason: { kind: "default" }, message: "", trace: [] },
  } as const
  const asked = entry({ kind: "question", question: questionOf("q", ask) })
  const denied = result("1", { isError: true, content: "The user declined this call.", denied: { input: {} } })
  const turnEnd = entry({ kind: "turn_end", turnId: "t", reason: "aborted", cause: "declined" })
  const person = entry({
    kind: "decision",
    callId: "1",
    tool: "Bash",
    behavior: "deny",
    reason: { kind: "person" },
    message: "",
  })
  const bash = made("1", "Bash", { command: "rm -rf build" })

  test("is one line, also at the end of the turn", () => {
    const no = entry({ kind: "answer", questionId: "q", answer: { kind: "deny", interrupt: true } })
    expect(rows(fold(start, bash, asked, no, person, denied, turnEnd))).toEqual(["⊘ Bash rm -rf build · Declined"])
  })

  test("has the words that were said instead", () => {
    const no = entry({
      kind: "answer",
      questionId: "q",
      answer: { kind: "deny", words: "use the trash", interrupt: false },
    })
    expect(rows(fold(start, bash, asked, no, person, denied))).toEqual([
      "⊘ Bash rm -rf build · Declined: use the trash",
    ])
  })

  test("by a rule names the rule", () => {
    const reason = { kind: "rule", rule: "Bash(rm:*)", source: "user settings" } as const
    const decided = entry({ kind: "decision", callId: "1", tool: "Bash", behavior: "deny", reason, message: "" })
    expect(rows(fold(start, bash, decided, denied))).toEqual([
      "⊘ Bash rm -rf build · Denied by the rule Bash(rm:*) (user settings)",
    ])
  })

  test("that was withdrawn leaves no line", () => {
    const withdrawn = entry({
      kind: "answer",
      questionId: "q",
      answer: { kind: "unanswered", why: "the program ended" },
    })
    expect(rows(fold(start, asked, withdrawn))).toEqual([])
  })
})

test("the list of work is not printed when it changes", () => {
  const todos = [{ content: "a", activeForm: "doing a", status: "pending" }] as const
  expect(rows(fold(start, made("1", "TodoWrite"), result("1", { display: { kind: "todos", todos } })))).toEqual([])
})

test("a turn that changed files has one line about it", () => {
  const diff = { kind: "diff", path: "a.ts", created: false, hunks: [] } as const
  const edit = [made("1", "Edit"), result("1", { title: "Edit a.ts", display: diff })]
  expect(rows(fold(start, ...edit, end)).at(-1)).toBe("  1 file changed · 0 s · /rewind to undo")
})

test("the plan is not shown while it is written, and once when it is approved", () => {
  const named = entry({ kind: "plan", change: "named", slug: "p", path: "/plans/p.md" })
  const hunks = [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: 2, lines: ["+# Plan", "+Do it."] }]
  const wrote = result("1", {
    title: "Write p.md",
    display: { kind: "diff", path: "/plans/p.md", created: true, hunks },
  })
  const approved = result("2", {
    title: "Present the plan",
    display: { kind: "plan", text: "# Plan\nDo it.", path: "/plans/p.md" },
  })
  const all = rows(fold(start, named, made("1", "Write"), wrote, made("2", "ExitPlanMode"), approved))
  expect(all[0]).toBe("● Write p.md · +2")
  expect(all.filter((row) => row.includes("Do it."))).toEqual(["    Do it."])
})

describe("a call that is being written", () => {
  const delta = (json: string): Happening => ({
    type: "model_delta",
    messageId: "m",
    delta: { type: "input_delta", index: 1, json },
  })
  const block = { type: "tool_use", id: "1", name: "Write", input: {} } as const
  const writing: Happening = { type: "model_delta", messageId: "m", delta: { type: "block_start", index: 1, block } }
  const json = JSON.stringify({ file_path: "src/a.ts", content: 'one "1"\ntwo\\n\nthree\n' })

  test("shows its name, then what it is about, then how long it is", () => {
    expect(rows(fold(start, writing))).toEqual(["○ Write"])
    expect(rows(fold(start, writing, delta('{"file_path": "src/a')))).toEqual(["○ Write"])
    expect(rows(fold(start, writing, delta('{"file_path": "src/a.ts", "content": "one')))).toEqual(["○ Write src/a.ts"])
    expect(rows(fold(start, writing, delta(json)))).toEqual(["○ Write src/a.ts · 4 lines"])
  })

  test("looks the same however its input was portioned", () => {
    const whole = rows(fold(start, writing, delta(json)))
    expect(rows(fold(start, writing, ...[...json].map(delta)))).toEqual(whole)
  })

  test("is one call when it is made, and none when it was cut off", () => {
    const orphan = entry({ kind: "orphan", messageId: "m", why: "the connection broke" })
    expect(rows(fold(start, writing, delta(json), made("1", "Write", { file_path: "src/a.ts" })))).toEqual([
      "○ Write src/a.ts",
    ])
    expect(rows(fold(start, writing, delta(json), orphan)).length).toBe(1)
  })
})
