/** What is queued while the agent works: seen before it is sent, and back in the editor when it is not. */

import { describe, expect, test } from "bun:test"
import { rmSync, writeFileSync } from "node:fs"
import type { Entry } from "#agent/words/entry.ts"
import { textOf } from "#agent/words/message.ts"
import { runTui } from "#faces/tui/run.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { runs } from "../../kit/runs.ts"
import { bash, calls, says } from "../../kit/script.ts"
import { type OnPaper, openOnPaper } from "./on-paper.ts"
import { openPaperClock } from "./paper-clock.ts"
import { openPaperTerminal } from "./paper-terminal.ts"

const enter = "\r"
const up = "\u001b[A"
const escapeMs = 100

const picture = { type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } } as const
const text = (said: string) => [{ type: "text", text: said }] as const

async function working(): Promise<OnPaper> {
  const paper = await openOnPaper(80)
  paper.entry({ kind: "turn_start", turnId: "t" })
  await paper.pass(100)
  return paper
}

async function escape(paper: Pick<OnPaper, "type" | "pass">): Promise<void> {
  await paper.type("\u001b")
  await paper.pass(escapeMs)
}

describe("what is queued", () => {
  test("Esc stops the turn and takes everything back, before the draft", async () => {
    const paper = await working()
    paper.moment({ type: "queue_change", texts: ["one", "two"] })
    await paper.type("draft")
    await escape(paper)
    expect(paper.ops).toEqual([{ type: "interrupt", withdraw: "terminal" }])
    paper.entry({
      kind: "withdrawn",
      by: "terminal",
      prompts: [
        { promptId: "1", content: text("one") },
        { promptId: "2", content: text("two") },
      ],
    })
    paper.moment({ type: "queue_change", texts: [] })
    await paper.pass(100)
    const screen = await paper.terminal.screen()
    expect(screen).toContain("> one\n  two\n  draft")
    expect(screen).not.toContain("Queued")
  })

  test("↑ on an empty prompt takes the last one back; with a draft it goes to older prompts", async () => {
    const paper = await working()
    paper.moment({ type: "queue_change", texts: ["one"] })
    await paper.pass(100)
    await paper.type(up)
    expect(paper.ops).toEqual([{ type: "withdraw", what: "last", by: "terminal" }])
    await paper.type(`x${up}`)
    expect(paper.ops).toHaveLength(1)
  })

  test("what another client took back does not come into this editor", async () => {
    const paper = await working()
    paper.entry({ kind: "withdrawn", by: "browser", prompts: [{ promptId: "1", content: text("theirs") }] })
    await paper.pass(100)
    expect(await paper.terminal.screen()).not.toContain("theirs")
  })

  test("a shell command comes back as one; mixed with a prompt it is text and cannot run", async () => {
    const paper = await working()
    const shell = { promptId: "1", content: text("npm test"), as: "shell" } as const
    paper.entry({ kind: "withdrawn", by: "terminal", prompts: [shell] })
    await paper.pass(100)
    expect(await paper.terminal.screen()).toContain("! npm test")
    paper.entry({ kind: "withdrawn", by: "terminal", prompts: [{ promptId: "2", content: text("then fix it") }] })
    await paper.pass(100)
    expect(await paper.terminal.screen()).toContain("> then fix it\n  !npm test")
  })

  test("pictures come back with it, under names that are free", async () => {
    const paper = await working()
    const content = [picture, { type: "text", text: "see [Image #1]" }] as const
    for (const promptId of ["1", "2"])
      paper.entry({ kind: "withdrawn", by: "terminal", prompts: [{ promptId, content }] })
    await paper.pass(100)
    expect(await paper.terminal.screen()).toContain("> see [Image #2]\n  see [Image #1]")
    await paper.type(enter)
    expect(paper.ops).toEqual([
      {
        type: "prompt",
        content: [picture, picture, { type: "text", text: "see [Image #2]\nsee [Image #1]" }],
        when: "steer",
      },
    ])
  })

  test("/clear gives it back", async () => {
    const paper = await openOnPaper(80)
    paper.moment({ type: "queue_change", texts: ["one"] })
    await paper.pass(100)
    await paper.type(`/clear ${enter}`)
    expect(paper.ops).toEqual([{ type: "withdraw", what: "all", by: "terminal" }, { type: "clear" }])
  })
})

/** Ends once the test lets it. */
const waits = bash("until [ -e go ]; do sleep 0.01; done; touch gone; echo went")

const isOpen = (entries: readonly Entry[]): boolean => {
  const results = new Set(entries.flatMap((entry) => (entry.kind === "result" ? [entry.callId] : [])))
  return entries.some((entry) => entry.kind === "intent" && entry.tool === "Bash" && !results.has(entry.callId))
}

/** Waits until nothing is under way, or the call that waits for the test is. */
async function still(t: TestSession): Promise<void> {
  let rests = false
  void t.settled().then(() => (rests = true))
  while (!rests && !isOpen(t.entries())) await Bun.sleep(2)
}

async function openFace(t: TestSession) {
  const paper = openPaperTerminal(80, 60)
  const { clock, pass } = openPaperClock()
  const tui = runTui({
    session: t.session,
    about: await t.ask({ type: "about" }),
    state: await t.ask({ type: "state" }),
    prompt: undefined,
    startedAs: "codewright",
    theme: "ansi",
    notifications: "off",
    panels: {},
    clock,
    factsOf: (id) => ({ id, provider: "anthropic", window: 200_000, maxOutput: 8000 }),
    levelsOf: () => ({ warning: 172_000, compactsAt: 179_000 }),
    branch: () => undefined,
    findFiles: async () => [],
    terminal: paper.terminal,
  })
  /** What events have told by now is on the screen. */
  const seen = async (): Promise<string> => {
    await still(t)
    for (let i = 0; i < 3; i++) await pass(200)
    return paper.virtual.screen()
  }
  return { ...paper, tui, pass, seen }
}

const tokens = (shown: string): readonly string[] => shown.match(/\btext\d+\b/g) ?? []
const sentIn = (t: TestSession): readonly string[] =>
  t.entries().flatMap((entry) => (entry.kind === "prompt" ? tokens(textOf(entry.content)) : []))

/** The editor and the queue: all below what has been said, which ends with the last row that is neither. */
function unsentIn(screen: string): readonly string[] {
  const rows = screen.split("\n")
  const prompt = rows.findLastIndex((row) => /^>( |$)/.test(row))
  return [...queuedIn(screen), ...rows.slice(prompt).flatMap(tokens)]
}

const queuedIn = (screen: string): readonly string[] =>
  screen.split("\n").flatMap((row) => (row.startsWith("+ ") ? tokens(row) : []))

const steps = ["say", "say", "say", "escape", "up", "clear", "finish", "resume"] as const

/** A generator of its own, so that a seed is a story. */
function rollsOf(seed: number): () => number {
  let state = seed * 2654435761
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9) >>> 0
    return state / 2 ** 32
  }
}

test.each(Array.from({ length: runs(4).numRuns }, (_, seed) => seed + 1))(
  "seed %d: whatever is queued, stopped, taken back, cleared, left and resumed, a text is sent once after it was seen, or is in the editor",
  async (seed) => {
    const script = Array.from({ length: 60 }, (_, i) => (i % 2 === 0 ? calls(waits) : says("ok")))
    await using first = await openTestSession({ script })
    let t: TestSession = first
    let face = await openFace(t)
    const roll = rollsOf(seed)
    const given: string[] = []
    const dropped = new Set<string>()
    let visible = new Set<string>()
    for (let i = 0; i < 14; i++) {
      const step = steps[Math.floor(roll() * steps.length)] ?? "say"
      const before = await face.seen()
      const written = unsentIn(before)
      const queued = queuedIn(before)
      switch (step) {
        case "say": {
          given.push(`text${given.length}`)
          visible.add(given.at(-1) ?? "")
          await face.type(` ${given.at(-1)}${enter}`)
          break
        }
        case "escape":
          // Twice clears the prompt, and this is no test of that.
          if (before.includes("Esc again to")) break
          await escape(face)
          await t.settled()
          break
        case "up":
          // Where nothing is queued it recalls what was sent.
          if (written.length > 0 && written.length === queued.length) await face.type(up)
          break
        case "clear":
          if (!isOpen(t.entries()) && written.length === 0) await face.type(`/clear ${enter}`)
          break
        case "finish":
          if (!isOpen(t.entries())) break
          writeFileSync(t.path("go"), "")
          while (isOpen(t.entries())) await Bun.sleep(2)
          rmSync(t.path("go"))
          break
        case "resume": {
          // Leaving ends what runs and drops the draft; what is queued stays.
          for (const word of written) if (!queued.includes(word)) dropped.add(word)
          face.tui.leave()
          await face.tui.ended
          t = await t.reopen()
          face = await openFace(t)
          break
        }
      }
      const screen = await face.seen()
      const sent = sentIn(t)
      const unsent = unsentIn(screen)
      const places = (word: string): number => [...sent, ...unsent].filter((other) => other === word).length
      const story = `seed ${seed}, step ${i}: ${step}\n${screen}`
      for (const word of given) expect([word, places(word), story]).toEqual([word, dropped.has(word) ? 0 : 1, story])
      for (const word of sent) expect([visible.has(word), word]).toEqual([true, word])
      visible = new Set([...visible, ...unsent])
    }
    face.tui.leave()
    await face.tui.ended
    await t[Symbol.asyncDispose]()
  },
)
