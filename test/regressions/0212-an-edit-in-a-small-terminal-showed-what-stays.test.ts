/** At 40x15 the dialog of an edit showed two rows that the edit does not change. */

import { expect, test } from "bun:test"
import type { Question } from "#agent/words/question.ts"
import { writes } from "#agent/words/footprint.ts"
import { hunksOf } from "#lib/diff.ts"
import { openOnPaper } from "../faces/tui/on-paper.ts"

async function edit(): Promise<Question> {
  const before = Array.from({ length: 12 }, (_, i) => `line ${i}`)
  const hunks = await hunksOf(before.join("\n"), before.with(6, "line six").join("\n"))
  const display = { kind: "diff", path: "a.txt", hunks, created: false } as const
  return {
    id: "q",
    key: "q",
    digest: "q",
    ask: {
      kind: "permission",
      callId: "c",
      tool: "Edit",
      title: "Edit a.txt",
      question: "Apply this edit to a.txt?",
      input: { file_path: "a.txt" },
      footprint: writes("/home/ada/project/a.txt"),
      display,
      decision: { behavior: "ask", reason: { kind: "default" }, message: "", trace: [] },
      undo: "rewind",
      suggestions: { rules: [], mode: "acceptEdits" },
      suggestedRule: "Edit(./a.txt)",
      destinations: ["session"],
    },
  }
}

test("the first changed line is in sight, and one can scroll up from there", async () => {
  const paper = await openOnPaper(40, 15)
  paper.ask(await edit())
  await paper.pass(400)
  expect(await paper.terminal.screen()).toMatch(/7 - line 6\n.*7 \+ line six/)
  for (let i = 0; i < 4; i++) await paper.type("\u001b[5~")
  expect(await paper.terminal.screen()).toContain("4   line 3")
})

test("where everything fits, it begins at the top", async () => {
  const paper = await openOnPaper(80, 40)
  paper.ask(await edit())
  await paper.pass(400)
  expect(await paper.terminal.screen()).toContain("4   line 3")
})
