/** The question whether a call may run: what it shows, and the rule that can be kept with a yes. */

import { describe, expect, test } from "bun:test"
import type { Question } from "#agent/words/question.ts"
import { writes } from "#agent/words/footprint.ts"
import { hunksOf } from "#lib/diff.ts"
import { openOnPaper } from "./on-paper.ts"
import { longPermission, permission } from "./scenes.ts"

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
