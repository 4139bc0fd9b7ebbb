/** Very much text: each row is written about once, the screen is never cleared, and the live rows fit on it. */

import { expect, test } from "bun:test"
import { seededIds } from "#lib/ids.ts"
import { noUsage } from "#agent/words/model.ts"
import { openOnPaper } from "./on-paper.ts"

/** An answer of paragraphs, lists, tables and code, as tokens. */
function answerOf(tokens: number): string[] {
  const { random } = seededIds(7)
  const word = (): string =>
    "lorem ipsum dolor sit amet consetetur sadipscing elitr".split(" ")[Math.floor(random() * 8)] ?? ""
  const words = (count: number): string[] => Array.from({ length: count }, () => `${word()} `)
  const all: string[] = []
  while (all.length < tokens) {
    const kind = random()
    if (kind < 0.6) all.push(...words(20 + Math.floor(random() * 100)), "\n\n")
    else if (kind < 0.8) for (let i = 0; i < 8; i++) all.push("- ", ...words(8), "\n")
    else {
      all.push("\n```ts\n")
      for (let i = 0; i < 30; i++) all.push("const ", word(), " = ", ...words(3), "\n")
      all.push("```\n\n")
    }
  }
  return all.slice(0, tokens)
}

/** The tallest that the live rows have been: how far up the cursor ever went. */
function tallest(raw: string): number {
  // oxlint-disable-next-line no-control-regex -- moves are control sequences.
  return Math.max(0, ...[...raw.matchAll(/\u001b\[(\d+)A/g)].map((match) => Number(match[1])))
}

for (const columns of [60, 100, 160])
  test(`100,000 tokens at ${columns} columns`, async () => {
    const paper = await openOnPaper(columns, 30)
    const tokens = answerOf(100_000)
    paper.entry({ kind: "turn_start", turnId: "t" })
    for (const [i, text] of tokens.entries()) {
      paper.moment({ type: "model_delta", messageId: "m", delta: { type: "text_delta", index: 0, text } })
      // 2,000 tokens a second.
      if (i % 100 === 99) await paper.pass(50)
    }
    paper.moment({ type: "model_delta", messageId: "m", delta: { type: "block_stop", index: 0 } })
    paper.entry({ kind: "turn_end", turnId: "t", reason: "completed" })
    await paper.pass(100)
    const { bytes, clears } = paper.terminal.cost()
    const visible = Buffer.byteLength(await paper.terminal.all())
    expect(clears).toBe(0)
    expect(tallest(paper.terminal.raw())).toBeLessThan(30)
    expect(bytes / visible).toBeLessThan(3)
  }, 60_000)

test("10 MB of output of one command", async () => {
  const paper = await openOnPaper(100, 30)
  paper.entry({ kind: "turn_start", turnId: "t" })
  const block = { type: "tool_use", id: "c", name: "Bash", input: {} } as const
  paper.entry({ kind: "reply", messageId: "m", model: "m", block, usage: noUsage })
  paper.moment({ type: "tool_start", callId: "c", tool: "Bash", title: "Bash flood" })
  const portion = `${"some output of a long line that comes again and again ".repeat(2)}\n`.repeat(100)
  let output = ""
  for (let i = 0; output.length < 10_000_000; i++) {
    output += portion
    const progress = { output: portion, elapsedMs: i * 50, totalBytes: output.length }
    paper.moment({ type: "tool_progress", callId: "c", progress })
    await paper.pass(50)
  }
  const display = { kind: "terminal", command: "flood", output, exitCode: 0 } as const
  paper.entry({ kind: "result", callId: "c", tool: "Bash", content: "", isError: false, durationMs: 1, display })
  await paper.pass(100)
  const { bytes, clears } = paper.terminal.cost()
  expect(clears).toBe(0)
  expect(tallest(paper.terminal.raw())).toBeLessThan(30)
  expect(bytes).toBeLessThan(1_000_000)
  expect(await paper.terminal.all()).toContain("more lines (Ctrl+O shows them)")
}, 60_000)

test("nothing is under way while nobody does anything", async () => {
  const paper = await openOnPaper(100)
  expect(paper.timers()).toBe(0)
  await paper.type("hello")
  await paper.pass(1000)
  expect(paper.timers()).toBe(0)
})
