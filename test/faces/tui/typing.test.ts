/** Whatever is typed around the moment at which a question appears: nothing of it is lost, and none of it answers by mistake. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import type { Question } from "#agent/words/question.ts"
import { openOnPaper } from "./on-paper.ts"
import { editQuestion, planQuestion } from "./panel-scenes.ts"
import { permission } from "./scenes.ts"
import { runs } from "../../kit/runs.ts"

const enter = "\r"
const escape = "\u001b"
/** What is typed sooner than this after a question or other letters is not for the question. */
const quietMs = 300

interface Typed {
  readonly key: string
  readonly afterMs: number
}

const typed: fc.Arbitrary<Typed> = fc.record({
  key: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(..."yesnoabcz") },
    { weight: 2, arbitrary: fc.constantFrom("1", "2", "9") },
    { weight: 1, arbitrary: fc.constant(enter) },
  ),
  afterMs: fc.constantFrom(0, 20, 120, 299, 300, 450),
})

const questions: readonly (readonly [name: string, question: () => Promise<Question>])[] = [
  ["a command", async () => permission],
  ["an edit", editQuestion],
  ["a plan", async () => planQuestion],
]

test.each(questions)("random letters around %s", async (_, open) => {
  const question = await open()
  await fc.assert(
    fc.asyncProperty(fc.array(typed, { maxLength: 6 }), fc.array(typed, { maxLength: 14 }), async (before, during) => {
      const paper = await openOnPaper(100, 50)
      let draft = ""
      for (const { key, afterMs } of before.filter((each) => each.key !== enter)) {
        await paper.pass(afterMs)
        await paper.type(key)
        draft += key
      }
      paper.ask(question)
      await paper.pass(0)
      let quiet = 0
      let isTypedOver = false
      for (const { key, afterMs } of during) {
        await paper.pass(afterMs)
        quiet += afterMs
        await paper.type(key)
        const isCalm = quiet >= quietMs
        const answers = isCalm && (key === "1" || key === "2" || (key === enter && !isTypedOver))
        expect(paper.ops).toHaveLength(answers ? 1 : 0)
        if (answers) break
        if (key !== enter) {
          draft += key
          isTypedOver = true
        }
        // Every key starts the wait again, but one that comes when it is over and means nothing.
        if (!isCalm || key !== enter) quiet = 0
      }
      if (paper.ops.length === 0) {
        await paper.pass(400)
        await paper.type(escape)
        await paper.pass(100)
      }
      expect(paper.ops).toHaveLength(1)
      await paper.pass(400)
      const rows = (await paper.terminal.screen()).split("\n").filter((row) => row.startsWith("> "))
      if (draft === "") expect(rows.at(-1)).toContain("Ask anything")
      else expect(rows.at(-1)).toBe(`> ${draft}`)
    }),
    { ...runs(30) },
  )
})

test("a sentence that was begun before the question arrives whole", async () => {
  const paper = await openOnPaper(100, 40)
  const sentence = "please check my pyproject"
  for (const [i, letter] of [...sentence].entries()) {
    if (i === 12) paper.ask(permission)
    await paper.pass(80)
    await paper.type(letter)
  }
  await paper.pass(600)
  await paper.type(enter)
  expect(paper.ops).toEqual([])
  expect(await paper.terminal.screen()).toContain(`In your prompt: ${sentence}`)
  await paper.type(escape)
  await paper.pass(100)
  expect(await paper.terminal.screen()).toContain(`> ${sentence}`)
})

const up = "\u001b[A"

test("prose goes only behind Tab, with the answer that is pointed at and named above it", async () => {
  for (const [keys, above, answer] of [
    ["", "1. Yes, and tell the model:", { kind: "allow" }],
    [up, "No, tell the model", { kind: "deny", interrupt: false }],
  ] as const) {
    const prose = "1 is enough"
    const paper = await openOnPaper(100, 40)
    paper.ask(permission)
    await paper.pass(400)
    if (keys !== "") await paper.type(keys)
    await paper.type("\t")
    for (const letter of prose) await paper.type(letter)
    // Whoever goes back to the answers finds the words again.
    await paper.type(escape)
    await paper.pass(100)
    expect(paper.ops).toEqual([])
    await paper.type("\t")
    const rows = (await paper.terminal.screen()).split("\n")
    expect(rows[rows.findIndex((row) => row.includes(prose)) - 1]).toContain(above)
    await paper.type(enter)
    expect(paper.ops).toEqual([{ type: "answer", questionId: "q1", digest: "q1", answer: { ...answer, words: prose } }])
  }
})
