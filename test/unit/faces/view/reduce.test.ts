/** Events become items, finished in their order, however often the finished ones are taken off. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import type { EntryBody } from "#agent/words/entry.ts"
import type { Event, Moment } from "#agent/words/event.ts"
import { noUsage } from "#agent/words/model.ts"
import { isFinished, type Item } from "#faces/view/item.ts"
import { reduce } from "#faces/view/reduce.ts"
import { emptyView, splitFinished } from "#faces/view/view.ts"

const entry = (body: EntryBody): Event => ({
  cursor: "u",
  type: "entry",
  entry: { uuid: "u", parentUuid: null, at: 1000, ...body },
})
const moment = (given: Moment): Event => ({ cursor: "u", ...given })
const delta = (messageId: string, given: (Moment & { type: "model_delta" })["delta"]): Event =>
  moment({ type: "model_delta", messageId, delta: given })
const reply = (messageId: string, block: (EntryBody & { kind: "reply" })["block"]): Event =>
  entry({ kind: "reply", messageId, model: "m", block, usage: noUsage })

const turn: readonly Event[] = [
  entry({ kind: "turn_start", turnId: "t" }),
  entry({ kind: "prompt", promptId: "p", content: [{ type: "text", text: "go" }] }),
  delta("m1", { type: "message_start", id: "m1", model: "m", usage: noUsage }),
  delta("m1", { type: "thinking_delta", index: 0, thinking: "Hm" }),
  delta("m1", { type: "thinking_delta", index: 0, thinking: "m." }),
  delta("m1", { type: "block_stop", index: 0 }),
  reply("m1", { type: "thinking", thinking: "Hmm." }),
  delta("m1", { type: "text_delta", index: 1, text: "First.\n" }),
  delta("m1", { type: "text_delta", index: 1, text: "\nSecond." }),
  delta("m1", { type: "block_stop", index: 1 }),
  reply("m1", { type: "text", text: "First.\n\nSecond." }),
  reply("m1", { type: "tool_use", id: "c1", name: "Bash", input: { command: "ls" } }),
  moment({ type: "tool_start", callId: "c1", tool: "Bash", title: "Bash ls" }),
  reply("m1", { type: "tool_use", id: "c2", name: "Read", input: { file_path: "a" } }),
  moment({ type: "tool_progress", callId: "c1", progress: { output: "a\n", elapsedMs: 5, totalBytes: 2 } }),
  entry({ kind: "result", callId: "c2", tool: "Read", content: "text", isError: false, durationMs: 3 }),
  entry({ kind: "result", callId: "c1", tool: "Bash", content: "a\nb", isError: true, durationMs: 9 }),
  entry({ kind: "turn_end", turnId: "t", reason: "completed" }),
]

const items = (events: readonly Event[]): readonly Item[] => events.reduce(reduce, emptyView).items
const words = (all: readonly Item[]): string[] =>
  all.map((item) => {
    const rest = item.kind === "text" ? item.piece.markdown : item.kind === "call" ? `${item.title} ${item.state}` : ""
    return `${item.kind} ${rest}${isFinished(item) ? "" : " (open)"}`.trim()
  })

test("a turn as items", () => {
  expect(words(items(turn))).toEqual([
    "prompt",
    "thinking",
    "text First.",
    "text Second.",
    "call Bash ls failed",
    "call Read a done",
    "end",
  ])
  expect(words(items(turn.slice(0, 15)))).toEqual([
    "prompt",
    "thinking",
    "text First.",
    "text Second.",
    "call Bash ls running (open)",
    "call Read a waiting (open)",
  ])
})

test("a resumed conversation, which has no deltas, gives the same items", () => {
  const entries = turn.filter(({ type }) => type === "entry" || type === "tool_start")
  expect(items(entries)).toEqual(items(turn))
})

test("taking off what is finished, whenever, changes nothing", () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { minLength: turn.length, maxLength: turn.length }), (takes) => {
      let view = emptyView
      const taken: Item[] = []
      for (const [i, event] of turn.entries()) {
        view = reduce(view, event)
        if (!takes[i]) continue
        const { finished, view: rest } = splitFinished(view)
        taken.push(...finished)
        view = rest
      }
      expect([...taken, ...view.items]).toEqual([...items(turn)])
    }),
  )
})

test("what an interrupt leaves open is finished by the end of the turn", () => {
  const cut = [...turn.slice(0, 13), entry({ kind: "turn_end", turnId: "t", reason: "aborted" })]
  expect(items(cut).every(isFinished)).toBe(true)
  expect(words(items(cut)).slice(-2)).toEqual(["call Bash ls dropped", "end"])
})

test("a command of the person's own is open while it runs, and never stays open", () => {
  const begins = [
    moment({ type: "chore", name: "shell", running: true }),
    entry({ kind: "intent", callId: "own", tool: "!", title: "make", files: [] }),
    moment({ type: "tool_progress", callId: "own", progress: { output: "cc a.c\n", elapsedMs: 9, totalBytes: 7 } }),
  ]
  const running = begins.reduce(reduce, emptyView)
  expect(running.items).toMatchObject([{ kind: "call", title: "make", state: "running", tail: "cc a.c\n" }])
  expect(splitFinished(running).finished).toEqual([])
  const refused = entry({ kind: "notice", level: "warning", text: "The command was not run." })
  const over = moment({ type: "chore", name: "shell", running: false })
  for (const [ends, left] of [
    [[entry({ kind: "shell", command: "make", output: "done\n", exitCode: 0 }), over], ["make"]],
    [[refused, over], ["The command was not run."]],
    // As in a log, which has no moments.
    [[refused], ["The command was not run."]],
    [[over], []],
    [[entry({ kind: "turn_start", turnId: "t" })], []],
  ] as const) {
    const { items: after } = ends.reduce(reduce, running)
    expect(after.every(isFinished)).toBe(true)
    expect(after.map((item) => ("title" in item ? item.title : "text" in item ? item.text : ""))).toEqual([...left])
  }
})

test("an answer that broke off after a call says so, and its call is not dropped", () => {
  const broke = entry({
    kind: "reply_end",
    messageId: "m1",
    model: "m",
    stopReason: null,
    cut: "broken",
    usage: noUsage,
    durationMs: 1,
  })
  const cut = [...turn.slice(0, 13), delta("m1", { type: "text_delta", index: 3, text: "half" }), broke]
  const last = turn.at(-2)
  expect(words(items(cut)).slice(-3)).toEqual(["call Bash ls running (open)", "text half", "notice"])
  expect(words(items(last ? [...cut, last] : cut)).slice(-3)).toEqual(["call Bash ls failed", "text half", "notice"])
})
