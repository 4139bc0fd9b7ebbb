import { describe, expect, test } from "bun:test"
import type { Answer, QuestionAsk } from "#agent/words/question.ts"
import { seededIds } from "#lib/ids.ts"
import { type Answerer, openQuestions } from "#session/questions.ts"

const ask: QuestionAsk = { kind: "choice", callId: "c", questions: [] }
const allow: Answer = { kind: "allow" }

function open(answerer: Answerer = "ops") {
  const happened: string[] = []
  const questions = openQuestions({
    answerer,
    ids: seededIds(1),
    record: ({ kind }) => void happened.push(kind),
    tell: ({ type }) => void happened.push(type),
  })
  return { questions, happened }
}

describe("questions", () => {
  test("are entries before they are shown, and so are their answers before they take effect", async () => {
    const { questions, happened } = open()
    const asked = questions.ask(ask, new AbortController().signal)
    const [question] = questions.open()
    expect(happened).toEqual(["question", "question_open"])
    expect(questions.answer(question?.id ?? "", allow)).toBe(true)
    expect(await asked).toEqual(allow)
    expect(happened).toEqual(["question", "question_open", "answer", "question_close"])
    expect(questions.open()).toEqual([])
  })

  test("are answered once: the first answer counts, later ones find no question", async () => {
    const { questions } = open()
    const asked = questions.ask(ask, new AbortController().signal)
    const id = questions.open()[0]?.id ?? ""
    questions.answer(id, allow)
    questions.answer(id, { kind: "deny", interrupt: true })
    expect(await asked).toEqual(allow)
    expect(questions.answer(id, allow)).toBe(false)
    expect(questions.answer("another", allow)).toBe(false)
  })

  test("are withdrawn when the turn ends, and not asked when it has", async () => {
    const { questions, happened } = open()
    const turn = new AbortController()
    const asked = questions.ask(ask, turn.signal)
    turn.abort()
    expect(await asked).toMatchObject({ kind: "unanswered" })
    expect(happened.slice(2)).toEqual(["answer", "question_close"])
    expect(await questions.ask(ask, turn.signal)).toMatchObject({ kind: "unanswered" })
    expect(happened).toHaveLength(4)
  })

  test("are not even recorded where nobody can be asked", async () => {
    const { questions, happened } = open("nobody")
    expect(await questions.ask(ask, new AbortController().signal)).toMatchObject({ kind: "unanswered" })
    expect(happened).toEqual([])
  })

  test("may be open at the same time, each with its own answer", async () => {
    const { questions } = open()
    const { signal } = new AbortController()
    const asked = [questions.ask(ask, signal), questions.ask(ask, signal)]
    const [first, second] = questions.open()
    questions.answer(second?.id ?? "", { kind: "deny", interrupt: false })
    questions.answer(first?.id ?? "", allow)
    expect(await Promise.all(asked)).toEqual([allow, { kind: "deny", interrupt: false }])
  })
})
