/** The question whether a call may run: what it shows, and the rule that can be kept with a yes. */

import { describe, expect, test } from "bun:test"
import type { Question } from "#agent/words/question.ts"
import { writes } from "#agent/words/footprint.ts"
import { hunksOf } from "#lib/diff.ts"
import { openOnPaper } from "./on-paper.ts"
import { inParts, longPermission, permission } from "./scenes.ts"

const enter = "\r"
const down = "\u001b[B"
const right = "\u001b[C"

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

describe("a rule", () => {
  test.each([
    ["as it is", [down, right, enter], { rule: "Bash(rm:*)", destination: "session" }],
    ["for everybody", [down, right, "\t", "\t", enter], { rule: "Bash(rm:*)", destination: "project settings" }],
    ["going round", [down, right, "\u001b[Z", enter], { rule: "Bash(rm:*)", destination: "user settings" }],
    ["from the second choice", [down, down, right, enter], { rule: "Bash(rm:*)", destination: "local settings" }],
    [
      "in other words",
      [down, right, "\u0015", "Bash(rm build:*)", enter],
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
    for (const key of [down, right, "\u0015", enter]) await paper.type(key)
    expect(paper.ops).toEqual([])
    await paper.type("\u001b")
    await paper.pass(100)
    expect(paper.ops).toEqual([])
    await paper.type("n")
    expect(paper.ops).toEqual([
      { type: "answer", questionId: "q1", answer: { kind: "deny", interrupt: true }, digest: "q1" },
    ])
  })
})

describe("a command in parts", () => {
  const up = "\u001b[A"
  const lint = "Bash(npm run lint:*)"
  const tests = "Bash(npm test:*)"
  test.each([
    ["once", ["1"], undefined, "session"],
    ["every part with a rule from now on", ["2"], [lint, tests], "session"],
    ["in this project", ["3"], [lint, tests], "local settings"],
    ["but one that is unchecked by its number", ["7", "2"], [lint], "session"],
    ["but one that is unchecked with space", [up, " ", "2"], [lint], "session"],
    ["checked again", ["6", "6", "2"], [lint, tests], "session"],
    ["with none checked, once", ["6", "7", "2"], undefined, "session"],
    [
      "with a rule that was changed",
      ["6", down, right, "\u0015", "Bash(npm test -- --watch)", enter, "2"],
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
    await paper.type(enter)
    const answer = { kind: "deny", words: "use make", interrupt: false } as const
    expect(paper.ops).toEqual([{ type: "answer", questionId: "q7", answer, digest: "q7" }])
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
  await paper.type("y")
  await paper.pass(400)
  expect(await paper.terminal.screen()).not.toContain("more after this")
  await paper.type("y")
  expect(paper.ops).toHaveLength(2)
})

test("on a small terminal the question goes above, and every answer can be reached and seen", async () => {
  const paper = await openOnPaper(40, 12)
  paper.ask(everywhere)
  await paper.pass(400)
  expect(await paper.terminal.all()).toContain("rm -rf build")
  for (const wanted of ["❯ 2.", "❯ 3.", "❯ 4.", "❯ 5."]) {
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
  expect((await screen()).some((row) => row.includes("is above") || row.includes("What it asks"))).toBe(true)
  for (const choice of ["❯ 1.", "❯ 2.", "❯ 3."]) {
    expect((await screen()).some((row) => row.includes(choice))).toBe(true)
    await paper.type(down)
  }
})

test("a question that changed under its id is shown again, and the answer names what was shown last", async () => {
  const paper = await openOnPaper(80)
  paper.ask(everywhere)
  await paper.pass(400)
  paper.ask({ ...everywhere, digest: "other", ask: { ...everywhere.ask, title: "Bash other" } as Question["ask"] })
  await paper.pass(400)
  await paper.type("y")
  expect(paper.ops).toEqual([{ type: "answer", questionId: "q1", answer: { kind: "allow" }, digest: "other" }])
})
