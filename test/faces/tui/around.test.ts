/** What happens around the conversation: calling the person, the clipboard, colours, links, and a face that fails. */

import { describe, expect, test } from "bun:test"
import { noUsage } from "#agent/words/model.ts"
import { hunksOf } from "#lib/diff.ts"
import { openOnPaper, type OnPaper } from "./on-paper.ts"
import { planQuestion } from "./panel-scenes.ts"
import { permission } from "./scenes.ts"

const says = (paper: OnPaper, messageId: string, text: string): void =>
  paper.entry({ kind: "reply", messageId, model: "m", block: { type: "text", text }, usage: noUsage })

describe("the person is called", () => {
  test("when something is asked, by title, bell and notification", async () => {
    const paper = await openOnPaper(80)
    paper.entry({ kind: "turn_start", turnId: "t" })
    await paper.pass(100)
    paper.ask(planQuestion)
    await paper.pass(100)
    expect(paper.titles).toEqual(["project - codewright", "* project - codewright", "? project - codewright"])
    expect(paper.signals).toEqual([
      "progress none",
      "progress busy",
      "bell",
      "notify project: the plan is ready.",
      "progress none",
    ])
  })

  test("only by the bell, or not at all, when the settings say so", async () => {
    for (const [notifications, wanted] of [
      ["bell", ["bell"]],
      ["off", []],
    ] as const) {
      const paper = await openOnPaper(80, 40, { notifications })
      paper.ask(permission)
      await paper.pass(100)
      expect(paper.signals.filter((signal) => !signal.startsWith("progress"))).toEqual([...wanted])
    }
  })

  test("at the end of a long turn, not of a short one", async () => {
    const paper = await openOnPaper(80)
    for (const ms of [1_000, 40_000]) {
      paper.entry({ kind: "turn_start", turnId: "t" })
      await paper.pass(ms)
      paper.entry({ kind: "turn_end", turnId: "t", reason: "completed" })
      await paper.pass(100)
    }
    expect(paper.signals.filter((signal) => signal.startsWith("notify"))).toEqual(["notify project: done."])
  })
})

describe("/copy", () => {
  test("takes the whole last answer, as it was written", async () => {
    const paper = await openOnPaper(80)
    says(paper, "m1", "An older one.")
    says(paper, "m2", "# First")
    says(paper, "m2", "Second `part`.")
    await paper.pass(100)
    await paper.type("/copy\r")
    expect(paper.signals.at(-1)).toBe("copy # First\n\nSecond `part`.")
  })

  test("says when there is none, or when it is too long", async () => {
    const paper = await openOnPaper(80)
    await paper.type("/copy\r")
    expect(await paper.terminal.screen()).toContain("There is no answer to copy yet.")
    says(paper, "m", "é".repeat(40_000))
    await paper.pass(100)
    await paper.type("/copy\r")
    expect(await paper.terminal.screen()).toContain("too long for the terminal's clipboard")
    expect(paper.signals.filter((signal) => signal.startsWith("copy"))).toEqual([])
  })
})

describe("colours", () => {
  test("follow the background that the terminal tells, also in parts; what is typed with it stays", async () => {
    const paper = await openOnPaper(80, 40, { theme: "detected" })
    expect(paper.signals).toContain("background?")
    await paper.type("ab\u001b]11;rgb:f")
    await paper.type("fff/ffff/ffff\u0007cd")
    await paper.pass(100)
    expect(await paper.terminal.screen()).toContain("> abcd")
    expect(paper.terminal.raw()).toContain("\u001b[38;5;23m>")
  })

  test("are none at all where none are wanted", async () => {
    const paper = await openOnPaper(80, 40, { theme: "none" })
    paper.ask(permission)
    await paper.pass(100)
    // oxlint-disable-next-line no-control-regex -- styles are control sequences.
    expect(paper.terminal.raw()).not.toMatch(/\u001b\[(?:[\d;]*;)?[349]\d[;m]/)
    expect(paper.signals).not.toContain("background?")
  })
})

describe("links", () => {
  test("addresses and the files of calls can be opened", async () => {
    const paper = await openOnPaper(80)
    says(paper, "m", "See https://example.org/a?b=c, and (https://example.org/d).")
    const block = { type: "tool_use", id: "c1", name: "Edit", input: {} } as const
    paper.entry({ kind: "reply", messageId: "m2", model: "m", block, usage: noUsage })
    paper.moment({ type: "tool_start", callId: "c1", tool: "Edit", title: "Edit src/a b.ts" })
    const hunks = await hunksOf("a\n", "b\n")
    const display = { kind: "diff", path: "src/a b.ts", hunks, created: false } as const
    paper.entry({ kind: "result", callId: "c1", tool: "Edit", content: "", isError: false, durationMs: 1, display })
    await paper.pass(100)
    const raw = paper.terminal.raw()
    expect(raw).toContain("\u001b]8;;https://example.org/a?b=c\u001b\\https://example.org/a?b=c\u001b]8;;\u001b\\")
    expect(await paper.terminal.screen()).toContain("See https://example.org/a?b=c, and (https://example.org/d).")
    expect(raw).toContain("\u001b]8;;https://example.org/d\u001b\\")
    expect(raw).toContain("\u001b]8;;file:///home/ada/project/src/a%20b.ts\u001b\\src/a b.ts\u001b]8;;\u001b\\")
  })
})

test("the usage of the context is told before it is full", async () => {
  const paper = await openOnPaper(100)
  const reply = { kind: "reply_end", messageId: "m", model: "m", stopReason: "end_turn", durationMs: 1 } as const
  paper.entry({ ...reply, usage: { ...noUsage, input_tokens: 160_000 } })
  await paper.pass(100)
  expect(await paper.terminal.screen()).toContain("ask · claude-sonnet-5 · 80% of context used")
  expect(await paper.terminal.screen()).not.toContain("auto-compact")
  paper.entry({ ...reply, usage: { ...noUsage, input_tokens: 172_000 } })
  await paper.pass(100)
  expect(await paper.terminal.screen()).toContain("▲ 86% of context used, 4% until auto-compact.")
  expect(await paper.terminal.screen()).toContain("ask · claude-sonnet-5 · 4% until auto-compact")
})

test("without automatic compaction it is told what is left of the context", async () => {
  const paper = await openOnPaper(100, 40, { levelsOf: () => ({ warning: 172_000 }) })
  const reply = { kind: "reply_end", messageId: "m", model: "m", stopReason: "end_turn", durationMs: 1 } as const
  paper.entry({ ...reply, usage: { ...noUsage, input_tokens: 176_000 } })
  await paper.pass(100)
  expect(await paper.terminal.screen()).toContain("ask · claude-sonnet-5 · 12% of context left")
})

describe("a face that fails", () => {
  const broken = (): { readonly fail: () => void; readonly factsOf: (id: string) => never } => {
    let fails = false
    return {
      fail: () => void (fails = true),
      factsOf: (id: string): never => {
        if (fails) throw new Error("a mistake in drawing")
        return { id, window: 1, maxOutput: 1 } as never
      },
    }
  }

  test.each(["a key", "an event", "a new size"] as const)("at %s gives the terminal back and says why", async (at) => {
    const { fail, factsOf } = broken()
    const paper = await openOnPaper(80, 24, { factsOf })
    await paper.type("before")
    expect(paper.isOpen()).toBe(true)
    fail()
    if (at === "a key") await paper.type("x")
    if (at === "an event") paper.entry({ kind: "turn_start", turnId: "t" })
    if (at === "a new size") await paper.resize(90, 30)
    await paper.pass(100)
    const crash = await paper.ended
    expect(crash).toEqual({ error: new Error("a mistake in drawing") })
    expect(paper.isOpen()).toBe(false)
    expect(paper.timers()).toBe(0)
  })
})

test("where the screen is narrow, a hint takes the place of the line below, so that it is said at all", async () => {
  const paper = await openOnPaper(40)
  expect(await paper.terminal.screen()).toContain("ask · ")
  await paper.type("\u0003")
  expect(await paper.terminal.screen()).toContain("  Ctrl+C again to quit")
  await paper.type("x")
  expect(await paper.terminal.screen()).toContain("ask · ")
})

test("while a hook runs, its status message stands beside the spinner", async () => {
  const paper = await openOnPaper(80)
  paper.entry({ kind: "turn_start", turnId: "t" })
  paper.moment({ type: "hook_status", texts: ["Checking", "Linting\u001b[2J"] })
  await paper.pass(100)
  expect(await paper.terminal.screen()).toMatch(/^\S Linting.* 0 s · /m)
  paper.moment({ type: "hook_status", texts: [] })
  await paper.pass(100)
  expect(await paper.terminal.screen()).toMatch(/^\S Thinking 0 s · /m)
})
