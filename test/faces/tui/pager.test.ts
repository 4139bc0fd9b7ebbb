/** Ctrl+O shows the whole conversation in full, over the screen: to scroll, to search, and while the agent works. */

import { expect, test } from "bun:test"
import { noUsage } from "#agent/words/model.ts"
import { openOnPaper, type OnPaper } from "./on-paper.ts"

const controlO = "\u000f"
const escape = "\u001b"

const says = (paper: OnPaper, text: string): void =>
  paper.entry({ kind: "reply", messageId: "m", model: "m", block: { type: "text", text }, usage: noUsage })

const runs = (paper: OnPaper, id: string, command: string, output: string): void => {
  const block = { type: "tool_use", id, name: "Bash", input: { command } } as const
  paper.entry({ kind: "reply", messageId: "m", model: "m", block, usage: noUsage })
  const display = { kind: "terminal", command, output, exitCode: 0 } as const
  paper.entry({ kind: "result", callId: id, tool: "Bash", content: output, isError: false, durationMs: 1, display })
}

const press = async (paper: OnPaper, keys: string): Promise<string> => {
  await paper.type(keys)
  await paper.pass(60)
  return paper.terminal.screen()
}

const lines = (count: number): string => Array.from({ length: count }, (_, i) => `row ${i + 1}`).join("\n")

async function opened(): Promise<OnPaper> {
  const paper = await openOnPaper(80, 20)
  paper.entry({ kind: "turn_start", turnId: "t" })
  paper.entry({ kind: "prompt", promptId: "p", content: [{ type: "text", text: "count" }] })
  paper.entry({
    kind: "reply",
    messageId: "m",
    model: "m",
    block: { type: "thinking", thinking: "First this.\nThen that." },
    usage: noUsage,
  })
  runs(paper, "c1", `seq 100 # ${"with a long remark ".repeat(10)}end`, lines(100))
  says(paper, "So many rows.")
  await paper.pass(100)
  return paper
}

test("thinking, commands and output are there in full", async () => {
  const paper = await opened()
  await press(paper, controlO)
  const first = await press(paper, "g")
  expect(first).toContain("Then that.")
  expect(first).toContain("remark end")
  expect(first).toContain("row 5")
  expect(await press(paper, "G")).toContain("So many rows.")
})

test("a declined call is told in the words for people alone", async () => {
  const paper = await opened()
  const block = { type: "tool_use", id: "c2", name: "Bash", input: { command: "make" } } as const
  paper.entry({ kind: "reply", messageId: "m", model: "m", block, usage: noUsage })
  const content = "The user declined this call. Nothing was done. Wait for what they say next."
  const denied = { input: { command: "make" } }
  paper.entry({ kind: "result", callId: "c2", tool: "Bash", content, isError: true, durationMs: 1, denied })
  await paper.pass(100)
  const shown = await press(paper, controlO)
  expect(shown).toContain("⊘ Bash make · Denied")
  expect(shown).not.toContain("Wait for what they say")
})

test("it closes with q, Esc or the same key, and the screen is as it was", async () => {
  for (const key of ["q", escape, controlO]) {
    const paper = await opened()
    const before = await paper.terminal.all()
    await press(paper, controlO)
    expect(await paper.terminal.screen()).toContain("Transcript")
    await press(paper, key)
    await paper.pass(60)
    expect((await paper.terminal.all()).replaceAll(/^. Thinking.*$/gm, "")).toBe(
      before.replaceAll(/^. Thinking.*$/gm, ""),
    )
  }
})

test("arrows and pages scroll", async () => {
  const paper = await opened()
  await press(paper, controlO)
  const end = (await paper.terminal.screen()).split("\n")
  const up = (await press(paper, "\u001b[A")).split("\n")
  expect(up[1]).toBe(end[0] ?? "")
  expect((await press(paper, "\u001b[B")).split("\n")).toEqual(end)
  expect((await press(paper, "\u001b[5~")).split("\n")[17]).toBe(end[0] ?? "")
  expect((await press(paper, "\u001b[H")).split("\n")[1]).toBe("> count")
  expect((await press(paper, "\u001b[F")).split("\n")).toEqual(end)
})

test("a search counts what it finds, and goes from one to the next", async () => {
  const paper = await opened()
  await press(paper, controlO)
  await press(paper, "g")
  expect(await press(paper, "/ROW 9")).toContain("/ROW 9")
  expect(await press(paper, "\r")).toContain("1 of 11 for ROW 9")
  expect(await press(paper, "n")).toContain("2 of 11")
  expect(await press(paper, "N")).toContain("1 of 11")
  expect(await press(paper, "N")).toContain("11 of 11")
  await press(paper, "/nowhere\r")
  expect(await paper.terminal.screen()).toContain("no match for nowhere")
})

test("what happens meanwhile is seen at its end, and below it afterwards, once", async () => {
  const paper = await opened()
  await press(paper, controlO)
  says(paper, "More was said.")
  await paper.pass(100)
  expect(await paper.terminal.screen()).toContain("More was said.")
  paper.moment({ type: "model_delta", messageId: "n", delta: { type: "text_delta", index: 0, text: "It is still " } })
  paper.moment({ type: "model_delta", messageId: "n", delta: { type: "text_delta", index: 0, text: "speaking." } })
  await paper.pass(100)
  expect(await paper.terminal.screen()).toContain("It is still speaking.")
  await press(paper, "q")
  await paper.pass(100)
  const all = await paper.terminal.all()
  expect(all.match(/More was said/g)).toHaveLength(1)
  expect(all.match(/It is still speaking/g)).toHaveLength(1)
})

test("it is laid out again for another width, and keeps no clock running", async () => {
  const paper = await opened()
  paper.entry({ kind: "turn_end", turnId: "t", reason: "completed" })
  await paper.pass(500)
  await press(paper, controlO)
  await paper.resize(40, 12)
  await paper.pass(100)
  expect(await paper.terminal.screen()).toContain("So many rows.")
  const rows = (await press(paper, "g")).split("\n").slice(0, -1)
  expect(rows).toContain("● Bash seq 100 # with a long remark with")
  for (const row of rows) expect(Bun.stringWidth(row)).toBeLessThanOrEqual(40)
  expect(paper.timers()).toBe(0)
})

test("of a long log the end is shown at once, and what is before it when one looks there", async () => {
  const paper = await openOnPaper(80, 20, { about: { recent: "@u4", opened: "u3" } })
  paper.entry({ kind: "turn_start", turnId: "t0" })
  paper.entry({ kind: "prompt", promptId: "p0", content: [{ type: "text", text: "a question of long ago" }] })
  runs(paper, "c0", "seq 30", lines(30))
  paper.entry({ kind: "prompt", promptId: "p", content: [{ type: "text", text: "count" }] })
  says(paper, "An answer of today.")
  await paper.pass(100)
  const end = await press(paper, controlO)
  expect(end).toContain("An answer of today.")
  expect(end).not.toContain("row 30")
  const up = await press(paper, "k")
  expect(up).toContain("An answer of today.")
  await paper.pass(60)
  expect(await press(paper, "k")).toContain("row 30")
  expect(await press(paper, "g")).toContain("a question of long ago")
})

test("a search also finds what is before the part that is shown", async () => {
  const paper = await openOnPaper(80, 20, { about: { recent: "@u3", opened: "u2" } })
  paper.entry({ kind: "turn_start", turnId: "t0" })
  paper.entry({ kind: "prompt", promptId: "p0", content: [{ type: "text", text: "a question of long ago" }] })
  runs(paper, "c0", "seq 30", lines(30))
  await paper.pass(100)
  await press(paper, controlO)
  await press(paper, "/long ago\r")
  await paper.pass(60)
  expect(await paper.terminal.screen()).toContain("1 of 1 for long ago")
  expect(await paper.terminal.screen()).toContain("a question of long ago")
})

test("a long log in parts looks as it does whole, whatever is pressed", async () => {
  const parts = ["beginning", "u30", "u61", "u90"].map((after) => ({ after, bytes: 1_000 }))
  const answers = { log_parts: () => ({ parts, rest: 500 }) }
  const inParts = await openOnPaper(80, 20, { about: { recent: "@u121", opened: "u120" }, answers })
  const whole = await openOnPaper(80, 20)
  for (const paper of [inParts, whole]) {
    paper.entry({ kind: "turn_start", turnId: "t" })
    for (let n = 0; n < 150; n++) says(paper, `answer ${n}${n % 13 === 5 ? " needle" : ""}`)
    await paper.pass(100)
    await press(paper, controlO)
  }
  const shown = async (paper: OnPaper, keys: string): Promise<readonly string[]> => {
    await press(paper, keys)
    for (let passes = 0; passes < 10; passes++) await paper.pass(20)
    return (await paper.terminal.screen()).split("\n").slice(0, 19)
  }
  const keys = [
    "k",
    "b",
    "b",
    "b",
    "g",
    " ",
    "j",
    " ",
    "G",
    "/needle\r",
    ..."NNNNNNNNNNNNnn",
    "g",
    " ",
    "/needle\r",
    "n",
    "G",
    "k",
  ]
  for (const key of keys) expect([key, ...(await shown(inParts, key))]).toEqual([key, ...(await shown(whole, key))])
  const last = async (paper: OnPaper): Promise<string> => (await paper.terminal.screen()).split("\n").at(-1) ?? ""
  await press(inParts, "g")
  expect(await last(inParts)).toContain("0% · 3 of 12 for needle")
  expect(await last(whole)).toContain("3 of 12 for needle")
})
