/** Very much text: each row is written about once, the screen is never cleared, and the live rows fit on it. */

import { expect, test } from "bun:test"
import { seededIds } from "#lib/ids.ts"
import { noUsage } from "#agent/words/model.ts"
import { type OnPaper, openOnPaper } from "./on-paper.ts"
import { isNight } from "../../kit/runs.ts"

/** At night more. */
const tokens = isNight ? 100_000 : 30_000

/** An answer of paragraphs, lists, tables and code, as tokens. */
function answerOf(count: number): string[] {
  const { random } = seededIds(7)
  const word = (): string =>
    "lorem ipsum dolor sit amet consetetur sadipscing elitr".split(" ")[Math.floor(random() * 8)] ?? ""
  const words = (many: number): string[] => Array.from({ length: many }, () => `${word()} `)
  let marks = 0
  const all: string[] = []
  while (all.length < count) {
    const kind = random()
    if (kind < 0.6) all.push(`mark${marks++} `, ...words(20 + Math.floor(random() * 100)), "\n\n")
    else if (kind < 0.8) for (let i = 0; i < 8; i++) all.push("- ", `mark${marks++} `, ...words(8), "\n")
    else {
      all.push("\n```ts\n")
      for (let i = 0; i < 30; i++) all.push("const ", `mark${marks++}`, " = ", ...words(3), "\n")
      all.push("```\n\n")
    }
  }
  return all.slice(0, count)
}

/** The tallest that the live rows have been: how far up the cursor ever went. */
function tallest(raw: string): number {
  // oxlint-disable-next-line no-control-regex -- moves are control sequences.
  return Math.max(0, ...[...raw.matchAll(/\u001b\[(\d+)A/g)].map((match) => Number(match[1])))
}

/** What has scrolled away so far: it must stay as it is. */
async function scrolledAway({ terminal }: OnPaper): Promise<string> {
  const all = (await terminal.all()).split("\n")
  return all.slice(0, Math.max(0, all.length - terminal.rows())).join("\n")
}

/** No clear of the screen or of what has scrolled away, and no row above the screen reached. */
function expectCalm({ terminal }: OnPaper): void {
  expect(terminal.cost().clears).toBe(0)
  expect(tallest(terminal.raw())).toBeLessThan(terminal.rows())
}

for (const columns of [60, 100, 160])
  test(`${tokens} tokens at ${columns} columns`, async () => {
    const paper = await openOnPaper(columns, 30)
    const said = answerOf(tokens)
    const seen: string[] = []
    paper.entry({ kind: "turn_start", turnId: "t" })
    for (const [i, text] of said.entries()) {
      paper.moment({ type: "model_delta", messageId: "m", delta: { type: "text_delta", index: 0, text } })
      // 2,000 tokens a second.
      if (i % 100 === 99) await paper.pass(50)
      if ((i + 1) % (tokens / 5) === 0) seen.push(await scrolledAway(paper))
    }
    paper.moment({ type: "model_delta", messageId: "m", delta: { type: "block_stop", index: 0 } })
    paper.entry({ kind: "turn_end", turnId: "t", reason: "completed" })
    await paper.pass(100)
    expectCalm(paper)
    const all = await paper.terminal.all()
    expect(paper.terminal.cost().bytes / Buffer.byteLength(all)).toBeLessThan(3)
    // Nothing that had scrolled away was touched, and all that was said is there once, in its order.
    for (const before of seen) expect(all.startsWith(before)).toBe(true)
    const marks = (text: string): readonly string[] => text.match(/mark\d+/g) ?? []
    expect(marks(all)).toEqual(marks(said.join("")))
    expect(marks(all).length).toBeGreaterThan(500)
  })

test("10 MB of output of one command, and then all of it at once", async () => {
  const paper = await openOnPaper(100, 30)
  paper.entry({ kind: "turn_start", turnId: "t" })
  const block = { type: "tool_use", id: "c", name: "Bash", input: {} } as const
  paper.entry({ kind: "reply", messageId: "m", model: "m", block, usage: noUsage })
  paper.moment({ type: "tool_start", callId: "c", tool: "Bash", title: "Bash flood" })
  let output = ""
  let watched = 0
  for (let i = 0; output.length < 10_000_000; i++) {
    const line = `${i} some output of a long line that comes again and again`
    const portion = `${line}, twice as long as that, because it goes on and on\n`.repeat(100)
    output += portion
    const progress = { output: portion, elapsedMs: i * 50, totalBytes: output.length }
    paper.moment({ type: "tool_progress", callId: "c", progress })
    await paper.pass(50)
    if (i % 10 === 0) watched += Buffer.byteLength(await paper.terminal.screen()) * 10
  }
  const display = { kind: "terminal", command: "flood", output, exitCode: 0 } as const
  paper.entry({ kind: "result", callId: "c", tool: "Bash", content: "", isError: false, durationMs: 1, display })
  paper.entry({ kind: "turn_end", turnId: "t", reason: "completed" })
  await paper.pass(100)
  expectCalm(paper)
  const { bytes } = paper.terminal.cost()
  // What stood on the screen while it ran, frame by frame.
  expect(bytes / watched).toBeLessThan(3)
  expect(bytes).toBeLessThan(1_000_000)
  const folded = await paper.terminal.all()
  expect(folded).toContain("more lines (Ctrl+O to view)")
  const before = await scrolledAway(paper)
  await paper.type("\u000f")
  await paper.pass(100)
  expect(await paper.terminal.screen()).toContain("Transcript")
  expectCalm(paper)
  expect(paper.terminal.cost().bytes - bytes).toBeLessThan(20_000)
  await paper.type("q")
  await paper.pass(100)
  expect((await paper.terminal.all()).startsWith(before)).toBe(true)
})

test("nothing is under way while nobody does anything", async () => {
  const paper = await openOnPaper(100)
  expect(paper.timers()).toBe(0)
  await paper.type("hello")
  await paper.pass(1000)
  expect(paper.timers()).toBe(0)
})
