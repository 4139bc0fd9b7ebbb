/** What keys do on the screen. */

import { describe, expect, test } from "bun:test"
import { noUsage } from "#agent/words/model.ts"
import { openOnPaper, type OnPaper } from "./on-paper.ts"
import { blockScenes } from "./block-scenes.ts"
import { choice, longPermission, permission, scenes } from "./scenes.ts"

const interrupt = { type: "interrupt", withdraw: "terminal" } as const

const enter = "\r"
const escape = "\u001b"
const controlC = "\u0003"

const prompts = (paper: OnPaper): unknown[] =>
  paper.ops.flatMap((op) =>
    op.type === "prompt" ? [[op.when, ...op.content.map((block) => "text" in block && block.text)]] : [],
  )

describe("the prompt", () => {
  test("is sent by enter, and steers while it works", async () => {
    const paper = await openOnPaper(80)
    await paper.type(`first\\${enter}second${enter}`)
    paper.entry({ kind: "turn_start", turnId: "t" })
    await paper.pass(100)
    await paper.type(`third${enter}`)
    expect(prompts(paper)).toEqual([
      ["queue", "first\nsecond"],
      ["steer", "third"],
    ])
  })

  test("comes back by up and by searching", async () => {
    const paper = await openOnPaper(80)
    await paper.type(`fix the parser${enter}`)
    await paper.type(`run the tests${enter}`)
    await paper.type("\u001b[A\u001b[A")
    expect(await paper.terminal.screen()).toContain("> fix the parser")
    await paper.type(controlC)
    await paper.type("\u0012pars")
    expect(await paper.terminal.screen()).toContain("search: pars▏\n  fix the parser")
    await paper.type(enter)
    await paper.type(enter)
    expect(prompts(paper).at(-1)).toEqual(["queue", "fix the parser"])
  })

  test("completes commands and files", async () => {
    const paper = await openOnPaper(80)
    await paper.type("/cos\t")
    expect(await paper.terminal.screen()).toContain("> /cost")
    await paper.type(enter)
    await paper.pass(100)
    expect(await paper.terminal.screen()).toContain("· No usage yet.")
    await paper.type("see @par")
    await paper.pass(10)
    await paper.type(enter)
    await paper.type(`now${enter}`)
    expect(prompts(paper)).toEqual([["queue", "see @src/parse.ts now"]])
  })

  test("puts a path with blanks into quotes", async () => {
    const paper = await openOnPaper(80, 40, { findFiles: async () => ["my notes/a.md"] })
    await paper.type("see @not")
    await paper.pass(10)
    await paper.type(`\tplease${enter}`)
    expect(prompts(paper)).toEqual([["queue", 'see @"my notes/a.md" please']])
  })

  test("takes a path for what it is, and says what no command is", async () => {
    const paper = await openOnPaper(80)
    await paper.type(`/usr/bin/env is a path${enter}`)
    await paper.type(`/hepl x${enter}`)
    expect(prompts(paper)).toEqual([["queue", "/usr/bin/env is a path"]])
    expect(await paper.terminal.screen()).toContain("Unknown command /hepl. Did you mean /help?")
  })
})

test("Shift+Tab goes through the modes, /mode and /model set them", async () => {
  const paper = await openOnPaper(80)
  await paper.type("\u001b[Z")
  await paper.type("\u001b[Z")
  await paper.type("\u001b[Z")
  await paper.type(`/mode PLAN${enter}`)
  await paper.type(`/model claude-opus-5-5${enter}`)
  expect(paper.ops).toEqual([
    { type: "set_mode", mode: "acceptEdits" },
    { type: "set_mode", mode: "plan" },
    { type: "set_mode", mode: "default" },
    { type: "set_mode", mode: "plan" },
    { type: "set_model", model: "claude-opus-5-5" },
  ])
  expect(await paper.terminal.screen()).toContain("plan · ")
})

test("Alt+T turns thinking on or off, /effort changes how much, and the status line shows both", async () => {
  const paper = await openOnPaper(100)
  await paper.type("\u001bt")
  await paper.type(`/effort HIGH${enter}`)
  await paper.type(`/effort huge${enter}`)
  expect(paper.ops).toEqual([
    { type: "set_thinking", to: "toggle" },
    { type: "set_effort", effort: "high" },
  ])
  expect(await paper.terminal.screen()).toContain("There is no effort level huge.")
  paper.entry({ kind: "thinking", thinking: { type: "off" } })
  await paper.pass(100)
  expect(await paper.terminal.screen()).toContain("claude-sonnet-5 · thinking off")
  paper.entry({ kind: "thinking", thinking: { type: "auto", effort: "high" } })
  await paper.pass(100)
  expect(await paper.terminal.screen()).toContain("claude-sonnet-5 · high effort")
  await paper.type(`/keys${enter}`)
  expect(await paper.terminal.screen()).toMatch(/Alt\+T +Turn thinking on or off \(toggle-thinking\)/)
})

test("Ctrl+O shows in full what was folded, and goes again", async () => {
  const paper = await openOnPaper(80)
  await scenes["calls in every state"]?.(paper)
  expect(await paper.terminal.all()).not.toContain("test 15 passed")
  const before = await paper.terminal.all()
  await paper.type("\u000f")
  await paper.pass(10)
  await paper.type("g")
  await paper.pass(10)
  expect(await paper.terminal.screen()).toContain("test 15 passed")
  await paper.type("\u000f")
  await paper.pass(10)
  expect(await paper.terminal.all()).toBe(before)
})

test("Ctrl+T hides and shows the list of work", async () => {
  const paper = await openOnPaper(80)
  await scenes["todos, queue and a retry"]?.(paper)
  await paper.type("\u0014")
  expect(await paper.terminal.screen()).not.toContain("Fixing the parser")
  await paper.type("\u0014")
  expect(await paper.terminal.screen()).toContain("Fixing the parser")
})

test("Esc and Ctrl+C stop the work; Ctrl+C does not leave at once", async () => {
  const paper = await openOnPaper(80)
  paper.entry({ kind: "turn_start", turnId: "t" })
  await paper.pass(100)
  await paper.type(escape)
  await paper.pass(100)
  await paper.type(controlC)
  expect(paper.ops).toEqual([interrupt, interrupt])
  expect(await paper.terminal.screen()).toContain("Ctrl+C again to quit")
})

describe("a permission question", () => {
  const right = "\u001b[C"
  const down = "\u001b[B"
  const up = "\u001b[A"
  const rule = "Bash(rm -rf build)"
  test.each([
    [["1"], { kind: "allow" }],
    [[enter], { kind: "allow" }],
    [["2"], { kind: "allow", grants: [{ rule, destination: "session" }] }],
    [[down, right, enter], { kind: "allow", grants: [{ rule, destination: "local settings" }] }],
    [[down, right, right, enter], { kind: "allow", grants: [{ rule, destination: "session" }] }],
    [[escape], { kind: "deny", interrupt: true }],
    [["3", enter], { kind: "deny", interrupt: true }],
    [[up, enter, "use the trash", enter], { kind: "deny", words: "use the trash", interrupt: false }],
    [["\t", "1 by 1", enter], { kind: "allow", words: "1 by 1" }],
    [["\t", " ", enter], { kind: "allow" }],
    [
      ["\u001b[B", "\t", "1 by 1", enter],
      { kind: "allow", grants: [{ rule: "Bash(rm -rf build)", destination: "session" }], words: "1 by 1" },
    ],
  ] as const)("%j", async (keys, answer) => {
    const paper = await openOnPaper(80)
    paper.ask(permission)
    await paper.pass(400)
    for (const key of keys) await paper.type(key)
    await paper.pass(100)
    expect(paper.ops).toEqual([{ type: "answer", questionId: "q1", digest: "q1", answer }])
    expect(await paper.terminal.screen()).toContain("> Ask anything · @ for files · / for commands")
  })

  test("is not answered by what is typed until nobody has typed for a moment", async () => {
    const paper = await openOnPaper(80)
    paper.ask(permission)
    await paper.pass(200)
    await paper.type("1")
    await paper.pass(200)
    await paper.type("1")
    expect(paper.ops).toEqual([])
    await paper.pass(300)
    await paper.type("1")
    expect(paper.ops).toHaveLength(1)
    await paper.pass(100)
    expect(await paper.terminal.screen()).toContain("> 11")
  })

  test("that is withdrawn goes, and the next one comes", async () => {
    const paper = await openOnPaper(80)
    paper.ask(permission)
    paper.ask(longPermission)
    await paper.pass(100)
    paper.moment({ type: "question_close", questionId: "q1" })
    await paper.pass(100)
    expect(await paper.terminal.screen()).toContain("Create big.txt?")
    await paper.pass(400)
    await paper.type(escape)
    await paper.pass(100)
    expect(paper.ops).toEqual([
      { type: "answer", questionId: "q2", digest: "q2", answer: { kind: "deny", interrupt: true } },
    ])
  })
})

describe("a choice", () => {
  test.each([
    [false, `2${enter}`, { "Which database?": "SQLite", "And where?": "Here" }],
    [true, `12${enter}${enter}`, { "Which database?": "Postgres, SQLite", "And where?": "Here" }],
    [true, `\u001b[B ${enter}1`, { "Which database?": "SQLite", "And where?": "Here" }],
    [false, `3MySQL${enter}1`, { "Which database?": "MySQL", "And where?": "Here" }],
    // Back to the first question, and another answer.
    [false, `1\u001b[D2${enter}`, { "Which database?": "SQLite", "And where?": "Here" }],
    [false, `1\u001b[Z2${enter}`, { "Which database?": "SQLite", "And where?": "Here" }],
    // Back and forth without another one.
    [false, `2\u001b[D\u001b[C${enter}`, { "Which database?": "SQLite", "And where?": "Here" }],
    [true, `1\r\u001b[D2\r1`, { "Which database?": "Postgres, SQLite", "And where?": "Here" }],
  ] as const)("several %p, %j", async (several, keys, answers) => {
    const paper = await openOnPaper(80)
    paper.ask(choice(several))
    await paper.pass(400)
    // oxlint-disable-next-line no-control-regex -- keys are control sequences.
    for (const key of keys.match(/\u001b\[.|./gs) ?? []) await paper.type(key)
    expect(paper.ops).toEqual([
      { type: "answer", questionId: "q3", digest: "q3", answer: { kind: "choices", answers } },
    ])
  })
})

test("every scene fits into any terminal, and into a new size", async () => {
  for (const [columns, rows] of [
    [40, 10],
    [41, 24],
    [300, 60],
  ] as const)
    for (const play of Object.values({ ...scenes, ...blockScenes })) {
      const paper = await openOnPaper(columns, rows)
      await play(paper)
      await paper.pass(0)
      await paper.resize(columns + 13, rows + 2)
      await paper.resize(columns, rows)
      const { row } = await paper.terminal.cursor()
      expect(row).toBeLessThan(rows)
      for (const line of (await paper.terminal.all()).split("\n"))
        expect(Bun.stringWidth(line)).toBeLessThanOrEqual(columns)
      expect(paper.terminal.cost().clears).toBe(0)
    }
})

test("the usage of a model in the status line", async () => {
  const paper = await openOnPaper(100)
  const usage = { ...noUsage, input_tokens: 30_000 }
  paper.entry({
    kind: "reply_end",
    messageId: "m",
    model: "m",
    stopReason: "end_turn",
    usage,
    costUsd: 0.25,
    durationMs: 1,
  })
  await paper.pass(100)
  expect(await paper.terminal.screen()).toContain("ask · claude-sonnet-5 · 15% of context used · $0.25 · main")
})
