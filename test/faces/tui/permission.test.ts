/** The question whether a call may run: what it shows, and the rule that can be kept with a yes. */

import { describe, expect, test } from "bun:test"
import type { Question } from "#agent/words/question.ts"
import { reviewCheck } from "#agent/words/gates.ts"
import { writes } from "#agent/words/footprint.ts"
import { hunksOf } from "#lib/diff.ts"
import { type OnPaper, openOnPaper } from "./on-paper.ts"
import { editQuestion } from "./panel-scenes.ts"
import { inParts, longPermission, permission } from "./scenes.ts"

const enter = "\r"
const down = "\u001b[B"
const pageDown = "\u001b[6~"
const pageUp = "\u001b[5~"
const right = "\u001b[C"
const tab = "\t"

const everywhere: Question = {
  id: "q1",
  key: "q1",
  digest: "q1",
  ask: {
    ...(permission.ask as Question["ask"] & { kind: "permission" }),
    suggestedRule: "Bash(rm:*)",
    destinations: ["session", "local settings", "project settings", "user settings"],
  },
}

const ctrlE = "\u0005"

describe("a rule", () => {
  test.each([
    ["as it is", [down, ctrlE, enter], { rule: "Bash(rm:*)", destination: "session" }],
    ["for everybody", [down, ctrlE, tab, tab, enter], { rule: "Bash(rm:*)", destination: "project settings" }],
    ["going round", [down, ctrlE, "\u001b[Z", enter], { rule: "Bash(rm:*)", destination: "user settings" }],
    ["elsewhere, without a look at it", [down, right, enter], { rule: "Bash(rm:*)", destination: "local settings" }],
    [
      "from where it would be saved",
      [down, right, ctrlE, enter],
      { rule: "Bash(rm:*)", destination: "local settings" },
    ],
    [
      "in other words",
      [down, ctrlE, "\u0015", "Bash(rm build:*)", enter],
      { rule: "Bash(rm build:*)", destination: "session" },
    ],
  ] as const)("is kept %s", async (_, keys, remember) => {
    const paper = await openOnPaper(80)
    paper.ask(everywhere)
    await paper.pass(400)
    for (const key of keys) await paper.type(key)
    expect(paper.ops).toEqual([
      { type: "answer", questionId: "q1", answer: { kind: "allow", grants: [remember] }, digest: "q1" },
    ])
  })

  test("that is empty is not kept, and can be given up", async () => {
    const paper = await openOnPaper(80)
    paper.ask(everywhere)
    await paper.pass(400)
    for (const key of [down, ctrlE, "\u0015", enter]) await paper.type(key)
    expect(paper.ops).toEqual([])
    await paper.type("\u001b")
    await paper.pass(100)
    expect(paper.ops).toEqual([])
    await paper.type("\u001b")
    await paper.pass(100)
    expect(paper.ops).toEqual([
      { type: "answer", questionId: "q1", answer: { kind: "deny", interrupt: true }, digest: "q1" },
    ])
  })
})

test("new files that are reviewed can be kept while the model is told what to change", async () => {
  const ask = permission.ask as Question["ask"] & { kind: "permission" }
  const decision = { ...ask.decision, reason: { kind: "tool_check", check: reviewCheck } as const }
  const paper = await openOnPaper(80)
  paper.ask({ ...everywhere, ask: { ...ask, decision, destinations: [] } })
  await paper.pass(400)
  for (const key of [down, down, enter, "Rename it", enter]) await paper.type(key)
  expect(paper.ops).toEqual([
    {
      type: "answer",
      questionId: "q1",
      answer: { kind: "deny", words: "Rename it", interrupt: false, keep: true },
      digest: "q1",
    },
  ])
})

describe("a command in parts", () => {
  const up = "\u001b[A"
  const lint = "Bash(npm run lint:*)"
  const tests = "Bash(npm test:*)"
  test.each([
    ["once", ["1"], undefined, "session"],
    ["every part with a rule from now on", ["2"], [lint, tests], "session"],
    ["in this project", [down, right, enter], [lint, tests], "local settings"],
    ["but one that is unchecked by its number", ["5", "2"], [lint], "session"],
    ["but one that is unchecked with space", [up, " ", "2"], [lint], "session"],
    ["checked again", ["4", "4", "2"], [lint, tests], "session"],
    ["with none checked, once", ["4", "5", "2"], undefined, "session"],
    [
      "with a rule that was changed",
      ["4", down, tab, "\u0015", "Bash(npm test -- --watch)", enter, "2"],
      ["Bash(npm test -- --watch)"],
      "session",
    ],
  ] as const)("is allowed %s", async (_, keys, rules, destination) => {
    const paper = await openOnPaper(80)
    paper.ask(inParts)
    await paper.pass(400)
    for (const key of keys) await paper.type(key)
    const grants = rules?.map((rule) => ({ rule, destination }))
    expect(paper.ops).toEqual([
      { type: "answer", questionId: "q7", answer: { kind: "allow", ...(grants && { grants }) }, digest: "q7" },
    ])
  })

  test("is not allowed by a space, nor by words", async () => {
    const paper = await openOnPaper(80)
    paper.ask(inParts)
    await paper.pass(400)
    await paper.type(" ")
    await paper.type("use make")
    await paper.pass(400)
    await paper.type(enter)
    expect(paper.ops).toEqual([])
    expect(await paper.terminal.screen()).toContain("In your prompt:  use make")
  })
})

test("an edit shows what would change instead of what the tool was given, and nothing of it hidden", async () => {
  const hunks = await hunksOf("a\nb\nc\n", "a\nb\u202e\nc\n")
  const paper = await openOnPaper(80)
  paper.ask({
    id: "q",
    key: "q",
    digest: "q",
    ask: {
      kind: "permission",
      callId: "c",
      tool: "Edit",
      title: "Edit src/app.ts",
      input: { file_path: "src/app.ts", old_string: "the old text", new_string: "the new text" },
      footprint: writes("/src/app.ts"),
      display: { kind: "diff", path: "src/app.ts", hunks, created: false },
      decision: { behavior: "ask", reason: { kind: "default" }, message: "It would change a file.", trace: [] },
    },
  })
  await paper.pass(100)
  const shown = await paper.terminal.screen()
  expect(shown).toContain("2 - b")
  expect(shown).toContain("2 + b<U+202E>")
  expect(shown).not.toContain("the old text")
})

test("several questions come one at a time, with a count", async () => {
  const paper = await openOnPaper(80)
  paper.ask(permission)
  paper.ask(longPermission)
  await paper.pass(400)
  expect(await paper.terminal.screen()).toContain("1 more after this")
  await paper.type("1")
  await paper.pass(400)
  expect(await paper.terminal.screen()).not.toContain("more after this")
  await paper.type("1")
  expect(paper.ops).toHaveLength(2)
})

test("on a small terminal all of the question can be scrolled to, and every answer can be reached and seen", async () => {
  const paper = await openOnPaper(40, 12)
  paper.ask(everywhere)
  await paper.pass(400)
  const seen = new Set<string>()
  for (let i = 0; i < 8; i++) {
    for (const row of (await paper.terminal.screen()).split("\n")) seen.add(row.replace(/^▌\s*/, ""))
    await paper.type(pageDown)
  }
  for (const row of ["Run this command?", "npm test && rm -rf build<U+202E>", "sudo reboot"])
    expect(seen).toContain(row)
  for (const wanted of ["❯ 2.", "❯ 3."]) {
    await paper.type(down)
    expect(await paper.terminal.screen()).toContain(wanted)
  }
  await paper.type(enter)
  await paper.type("use the trash")
  expect(await paper.terminal.screen()).toContain("use the trash▏")
  await paper.type(enter)
  const answer = { kind: "deny", words: "use the trash", interrupt: false } as const
  expect(paper.ops).toEqual([{ type: "answer", questionId: "q1", digest: "q1", answer }])
})

test("in the smallest terminal the choice that enter takes is on the screen, with what it is about", async () => {
  const paper = await openOnPaper(20)
  await paper.resize(20, 5)
  paper.ask(everywhere)
  await paper.pass(400)
  const screen = async (): Promise<readonly string[]> => (await paper.terminal.screen()).split("\n")
  for (const choice of ["❯ 1.", "❯ 2.", "❯ 3."]) {
    expect((await screen()).some((row) => row.includes(choice))).toBe(true)
    expect((await screen()).some((row) => row.includes("Run this command?"))).toBe(true)
    await paper.type(down)
  }
})

describe("what is taller than the screen", () => {
  const all = async (paper: OnPaper): Promise<string> => paper.terminal.all()

  test("is scrolled inside the dialog, whole, and nothing of it goes to the scrollback", async () => {
    const paper = await openOnPaper(80, 24)
    paper.ask(longPermission)
    await paper.pass(400)
    const seen = new Set<string>()
    for (let i = 0; i < 9; i++) {
      const screen = await paper.terminal.screen()
      expect(screen).toContain("Create big.txt?")
      expect(screen).toContain("❯ 1. Yes")
      expect(screen).toMatch(/Lines \d+–\d+ of 62 · PgUp\/PgDn to scroll/)
      for (const [line] of screen.matchAll(/line \d+/g)) seen.add(line)
      await paper.type(pageDown)
    }
    expect(seen.size).toBe(60)
    for (let i = 0; i < 9; i++) await paper.type(pageUp)
    expect(await paper.terminal.screen()).toContain("Lines 1–")
    await paper.type("1")
    await paper.pass(400)
    expect((await all(paper)).match(/line \d+/g)).toBeNull()
  })
})

describe("an edit", () => {
  test.each([
    ["1", { kind: "allow" }],
    ["2", { kind: "allow", mode: "acceptEdits" }],
    ["\u001b[Z", { kind: "allow", mode: "acceptEdits" }],
    ["3\r", { kind: "allow", grants: [{ rule: "Edit(./src/app.ts)", destination: "session" }] }],
    ["4\r", { kind: "deny", interrupt: true }],
  ] as const)("answered with %j", async (keys, answer) => {
    const paper = await openOnPaper(80, 40)
    paper.ask(await editQuestion())
    await paper.pass(400)
    // oxlint-disable-next-line no-control-regex -- keys are control sequences.
    for (const key of keys.match(/\u001b\[.|./gs) ?? []) await paper.type(key)
    expect(paper.ops).toEqual([{ type: "answer", questionId: "q8", digest: "q8", answer }])
  })

  test("that no mode covers is not offered one, and Shift+Tab does nothing", async () => {
    const question = await editQuestion()
    const { suggestions: _gone, ...ask } = question.ask as Question["ask"] & { kind: "permission" }
    const paper = await openOnPaper(80, 40)
    paper.ask({ ...question, ask })
    await paper.pass(400)
    await paper.type("\u001b[Z")
    expect(await paper.terminal.screen()).not.toContain("accept all edits")
    expect(await paper.terminal.screen()).toContain(
      "2. Yes, and don't ask again for edits to src/app.ts in this session",
    )
    expect(paper.ops).toEqual([])
  })
})

test("a question that changed under its id is shown again, and the answer names what was shown last", async () => {
  const paper = await openOnPaper(80)
  paper.ask(everywhere)
  await paper.pass(400)
  paper.ask({ ...everywhere, digest: "other", ask: { ...everywhere.ask, title: "Bash other" } as Question["ask"] })
  await paper.pass(400)
  await paper.type("1")
  expect(paper.ops).toEqual([{ type: "answer", questionId: "q1", answer: { kind: "allow" }, digest: "other" }])
})
