/** An agent at work is one line under the call that started it, from its own events; once it is over, its result says the rest. */

import { expect, test } from "bun:test"
import type { EntryBody } from "#agent/words/entry.ts"
import type { Event, Moment } from "#agent/words/event.ts"
import { noUsage } from "#agent/words/model.ts"
import { itemRows } from "#faces/tui/parts/item.ts"
import { bold, green, magenta } from "#faces/tui/screen/style.ts"
import { reduce } from "#faces/view/reduce.ts"
import { emptyView, type View } from "#faces/view/view.ts"

const entry = (body: EntryBody): Event => ({
  cursor: "u",
  type: "entry",
  entry: { uuid: "u", parentUuid: null, at: 0, ...body },
})
const moment = (given: Moment): Event => ({ cursor: "u", ...given })
const inside = (event: Event): Event => moment({ type: "child", agentId: "a1", callId: "c1", event })
const reply = (block: (EntryBody & { kind: "reply" })["block"]): Event =>
  entry({ kind: "reply", messageId: "m", model: "m", block, usage: noUsage })
const child = { agentId: "a1", agentType: "Explore", description: "look", callId: "c1" } as const

const begun: readonly Event[] = [
  reply({
    type: "tool_use",
    id: "c1",
    name: "Task",
    input: { description: "look", prompt: "p", subagent_type: "Explore" },
  }),
  moment({ type: "tool_start", callId: "c1", tool: "Task", title: "Explore look" }),
  entry({ kind: "child", ...child, state: "started" }),
]
const at = (...events: readonly Event[]): View => [...begun, ...events].reduce(reduce, emptyView)
const plain = (view: View): readonly string[] =>
  view.items
    .flatMap((item) => itemRows(item, 60, "folded"))
    .map((row) => Bun.stripANSI(row))
    .filter((row) => row !== "")

test("what it does now, how much it did, how long it takes", () => {
  expect(plain(at())).toEqual(["● Explore look", "    Thinking · 0 tool uses"])
  const working = at(
    inside(reply({ type: "tool_use", id: "x", name: "Grep", input: {} })),
    inside(moment({ type: "tool_start", callId: "x", tool: "Grep", title: "Grep \u001b[31mneedle" })),
    inside(
      entry({
        kind: "reply_end",
        messageId: "m",
        model: "m",
        stopReason: "tool_use",
        usage: { ...noUsage, input_tokens: 12_000, output_tokens: 345 },
        durationMs: 1,
      }),
    ),
    moment({ type: "tool_progress", callId: "c1", progress: { output: "", totalBytes: 0, elapsedMs: 8_000 } }),
  )
  const [head, row = ""] = plain(working)
  expect(head).toBe("● Explore look")
  expect(row).toStartWith("    Grep ")
  expect(row).toContain("needle · 1 tool use · ")
  expect(row).toContain("8 s")
  expect(row).not.toContain("\u001b")
})

test("what its model says, and what happens in an agent of an agent, changes nothing", () => {
  const before = at()
  const word = moment({ type: "model_delta", messageId: "m", delta: { type: "text_delta", index: 0, text: "hello" } })
  expect(reduce(before, inside(word))).toBe(before)
  const deeper = moment({ type: "child", agentId: "a2", callId: "c9", event: word })
  expect(reduce(before, inside(deeper))).toBe(before)
  expect(reduce(before, moment({ type: "child", agentId: "a3", callId: "unknown", event: begun[1] as Event }))).toEqual(
    before,
  )
})

test("over, it is one line", () => {
  const over = at(
    inside(moment({ type: "tool_start", callId: "x", tool: "Grep", title: "Grep needle" })),
    entry({
      kind: "child",
      ...child,
      state: "ended",
      end: "completed",
      usage: { tokens: 1, toolUses: 1, durationMs: 1 },
    }),
    entry({
      kind: "result",
      callId: "c1",
      tool: "Task",
      content: "a long answer",
      isError: false,
      display: { kind: "text", text: "Done: 1 tool use, 1 tokens, 0 s" },
      durationMs: 1,
    }),
  )
  expect(plain(over)).toEqual(["● Explore look", "    Done: 1 tool use, 1 tokens, 0 s"])
})

test("agents that an agent started stand below it, as a tree", () => {
  const started = (agentId: string, callId: string): Event =>
    entry({
      kind: "child",
      agentId,
      agentType: "Explore",
      description: "look",
      callId,
      state: "started",
      usage: { toolUses: 0, tokens: 0, durationMs: 0 },
    } as never)
  const deeper = (callId: string, title: string): Event =>
    moment({
      type: "child",
      agentId: callId,
      callId,
      event: moment({ type: "tool_start", callId: "x", tool: "Read", title }),
    })
  const view = [inside(started("a2", "n1")), inside(started("a3", "n2")), inside(deeper("n2", "Read b.ts"))].reduce(
    reduce,
    at(),
  )
  expect(plain(view)).toEqual([
    "● Explore look",
    "    Thinking · 0 tool uses",
    "    ├─ Explore Thinking · 0 tool uses",
    "    └─ Explore Read b.ts · 0 tool uses",
  ])
})

const usage = { tokens: 10, toolUses: 1, durationMs: 61_000 }
const result = entry({
  kind: "result",
  callId: "c1",
  tool: "Task",
  content: "started",
  isError: false,
  durationMs: 1,
})

test("the end of an agent in the background is told; one that was waited for speaks by its result", () => {
  const ended = entry({ kind: "child", ...child, state: "ended", end: "completed", usage })
  expect(at(ended).items.filter(({ kind }) => kind === "notice")).toEqual([])
  const background = at(entry({ kind: "child", ...child, state: "background" }), result, ended)
  expect(background.items.at(-1)).toEqual({
    kind: "notice",
    level: "info",
    text: "Background agent finished after 1 min 1 s: Explore, look",
  })
  const lost = at(result, entry({ kind: "child", ...child, state: "ended", end: "lost" }))
  expect(lost.items.at(-1)).toEqual({
    kind: "notice",
    level: "warning",
    text: "Background agent ended with the program: Explore, look",
  })
})

test("a member of a team is told by its name, and not when it is only started again", () => {
  const member = { ...child, member: "api" }
  const failed = at(result, entry({ kind: "child", ...member, state: "ended", end: "failed", usage }))
  expect(failed.items.at(-1)).toEqual({
    kind: "notice",
    level: "warning",
    text: "api, a member of the team, failed after 1 min 1 s: Explore, look",
  })
  const lost = at(result, entry({ kind: "child", ...member, state: "ended", end: "lost" }))
  expect(lost.items.filter(({ kind }) => kind === "notice")).toEqual([])
})

test("the end of a background command is told, unless somebody stopped it", () => {
  const end = (status: "completed" | "failed" | "killed", exitCode: number): View =>
    reduce(
      emptyView,
      moment({
        type: "background_end",
        commandId: "bash_1",
        command: "npm run build\nnpm test",
        status,
        exitCode,
        durationMs: 12_000,
      }),
    )
  expect(end("completed", 0).items).toEqual([
    { kind: "notice", level: "info", text: "Background command finished in 12 s: npm run build" },
  ])
  expect(end("failed", 2).items).toEqual([
    { kind: "notice", level: "warning", text: "Background command failed with exit code 2 after 12 s: npm run build" },
  ])
  expect(end("killed", 143).items).toEqual([])
})

test("the name of an agent has the colour that its definition names, also of an agent that it started", () => {
  const view = [
    ...begun.slice(0, 2),
    entry({ kind: "child", ...child, color: "purple", state: "started" }),
    inside(entry({ kind: "child", ...child, callId: "c2", color: "green", state: "started" })),
  ].reduce(reduce, emptyView)
  const rows = view.items.flatMap((item) => itemRows(item, 60, "folded")).join("\n")
  expect(rows).toContain(magenta(bold("Explore")))
  expect(rows).toContain(green(bold("Explore")))
})
