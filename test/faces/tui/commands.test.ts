/** What can be said with a slash. */

import { describe, expect, test } from "bun:test"
import { failed, ok } from "#lib/result.ts"
import { type OnPaper, openOnPaper } from "./on-paper.ts"

const enter = "\r"
const idle = "> Ask anything · @ for files · / for commands"

const screenOf = (paper: OnPaper): Promise<string> => paper.terminal.screen()
const prompts = (paper: OnPaper): unknown[] =>
  paper.ops.flatMap((op) => (op.type === "prompt" ? [op.content.map((block) => "text" in block && block.text)] : []))
const rewind = { points: async () => ok([]), preview: async () => failed("") }

describe("commands", () => {
  test("one that there is not is said so, and the line stays", async () => {
    const paper = await openOnPaper(80)
    await paper.type(`/hepl me${enter}`)
    expect(await screenOf(paper)).toContain("Unknown command /hepl. Did you mean /help?")
    expect(await screenOf(paper)).toContain("> /hepl me")
    expect(paper.ops).toEqual([])
  })

  test("those that need the agent at rest are queued while it works", async () => {
    const paper = await openOnPaper(80)
    paper.entry({ kind: "turn_start", turnId: "t" })
    await paper.pass(100)
    const lines = ["/clear", "/compact keep the names", "/uncompact", "/redo", "/rewind", "/branches"]
    for (const line of lines) await paper.type(`${line} ${enter}`)
    expect(paper.ops).toEqual(
      lines.map((text) => ({ type: "prompt", content: [{ type: "text", text }], when: "queue" })),
    )
  })

  test("one that opens a panel holds what is queued behind it until the panel is closed", async () => {
    const paper = await openOnPaper(80, 30, { panels: { rewind } })
    paper.entry({ kind: "turn_start", turnId: "t" })
    await paper.pass(100)
    await paper.type(`/rewind ${enter}`)
    await paper.type(`/rewind 2${enter}`)
    expect(paper.ops).toEqual([
      { type: "prompt", content: [{ type: "text", text: "/rewind" }], when: "queue", holds: true },
      { type: "prompt", content: [{ type: "text", text: "/rewind 2" }], when: "queue" },
    ])
    paper.entry({ kind: "command", promptId: "p", typed: "/rewind", text: "1. one", isError: false })
    await paper.pass(400)
    await paper.type("\u001b")
    await paper.pass(100)
    expect(paper.ops.at(-1)).toEqual({ type: "release" })
  })

  test.each([
    ["/clear", [{ type: "clear" }]],
    ["/new", [{ type: "clear" }]],
    ["/compact", [{ type: "compact" }]],
    ["/compact keep the names", [{ type: "compact", instructions: "keep the names" }]],
    ["/uncompact", [{ type: "uncompact" }]],
    ["/redo", [{ type: "redo" }]],
    ["/rename The parser", [{ type: "rename", title: "The parser" }]],
    ["/plan", [{ type: "set_mode", mode: "plan" }]],
    [
      "/plan a new parser",
      [
        { type: "set_mode", mode: "plan" },
        { type: "prompt", content: [{ type: "text", text: "a new parser" }], when: "queue" },
      ],
    ],
  ] as const)("%s", async (line, ops) => {
    const paper = await openOnPaper(80)
    await paper.type(`${line} ${enter}`)
    expect(paper.ops).toEqual([...ops])
    expect(await screenOf(paper)).toContain(idle)
  })

  test("of the terminal's own that need what is not there are not known; others open their panel where it is", async () => {
    const without = await openOnPaper(80)
    await without.type(`/theme ${enter}`)
    expect(await screenOf(without)).toContain("Unknown command /theme.")
    const paper = await openOnPaper(80, 60, { panels: { rewind } })
    await paper.type(`/help ${enter}`)
    const all = await paper.terminal.all()
    expect(all).toMatch(/^ +\/rewind +Undo back to an earlier prompt/m)
    expect(all).not.toContain("/theme")
    await paper.type(`/rewind ${enter}`)
    await paper.pass(10)
    expect(await screenOf(paper)).toContain("Esc to close")
  })

  test.each([
    ["/help", "> /help"],
    ["/keys", "> /keys"],
    ["/vim", "> /vim\n\n· Vim keys are on."],
    ["/status", "> /status"],
    ["/permissions add deny Bash(rm:*)", "> /permissions add deny Bash(rm:*)"],
    ["/login sk-ant-1234", "> /login\n\n✗ Do not type the key after the command"],
  ])("%s stands in the transcript as it was typed, and what comes of it below", async (line, shown) => {
    const paper = await openOnPaper(80, 60, { panels: { rewind } })
    await paper.type(`${line} ${enter}`)
    await paper.pass(100)
    const all = await paper.terminal.all()
    expect(all).toContain(shown)
    expect(all).not.toContain("sk-ant")
  })

  test("one that needs words stays in the prompt and names them", async () => {
    const paper = await openOnPaper(80)
    await paper.type(`/rename${enter}`)
    expect(await screenOf(paper)).toMatch(/> \/rename\n.*<title>$/m)
    await paper.type(`The parser${enter}`)
    expect(paper.ops).toEqual([{ type: "rename", title: "The parser" }])
  })

  test("/keys lists every action with its keys", async () => {
    const paper = await openOnPaper(120, 60)
    await paper.type(`/keys ${enter}`)
    expect(await paper.terminal.all()).toMatch(
      /Ctrl\+G, Ctrl\+X Ctrl\+E +Edit the prompt in your editor \(edit-outside\)/,
    )
  })
})

test("commands of the session's own are completed, listed, and sent as they are", async () => {
  const commands = () => [
    { name: "review", about: "Review the changes", takes: "[words]" },
    { name: "db:migrate", about: "Migrate", takes: "" },
    { name: "help", about: "Hidden by ours", takes: "" },
  ]
  const paper = await openOnPaper(80, 60, { answers: { commands } })
  await paper.type("/db")
  await paper.pass(100)
  expect(await screenOf(paper)).toContain("/db:migrate  Migrate")
  await paper.type(enter)
  await paper.type(`/review the parser${enter}`)
  await paper.type(`/help ${enter}`)
  expect(prompts(paper)).toEqual([["/db:migrate"], ["/review the parser"]])
  expect(await paper.terminal.all()).toMatch(/^ +\/review +Review the changes · \[words\]$/m)
  expect(await paper.terminal.all()).not.toContain("Hidden by ours")
})
