import { describe, expect, test } from "bun:test"
import type { Entry, EntryBody } from "#agent/words/entry.ts"
import { touchesNothing } from "#agent/words/footprint.ts"
import { type Answer, ownCall, type Question, type QuestionAsk } from "#agent/words/question.ts"
import { withoutUnused } from "#session/journal/asked.ts"
import { openQuestions } from "#session/journal/questions.ts"

const ask: QuestionAsk = { kind: "choice", callId: "c", questions: [] }
const allow: Answer = { kind: "allow" }

function open(asks: "person" | "nobody" = "person") {
  const happened: string[] = []
  const questions = openQuestions({
    asks,
    record: ({ kind }) => void happened.push(kind),
    publish: ({ type }) => void happened.push(type),
  })
  return { questions, happened }
}

describe("questions", () => {
  test("are entries before they are shown, and so are their answers before they take effect", async () => {
    const { questions, happened } = open()
    const asked = questions.ask(ask, new AbortController().signal)
    const [question] = questions.open()
    expect(happened).toEqual(["question", "question_open"])
    expect(questions.answer(question?.id ?? "", allow)).toBe("taken")
    expect(await asked).toEqual(allow)
    expect(happened).toEqual(["question", "question_open", "answer", "question_close"])
    expect(questions.open()).toEqual([])
  })

  test("are answered once: the first answer counts, later ones find no question", async () => {
    const { questions } = open()
    const asked = questions.ask(ask, new AbortController().signal)
    const id = questions.open()[0]?.id ?? ""
    expect(questions.answer(id, allow)).toBe("taken")
    expect(questions.answer(id, { kind: "deny", interrupt: true })).toBe("unknown")
    expect(await asked).toEqual(allow)
    expect(questions.answer(id, allow)).toBe("unknown")
    expect(questions.answer("another", allow)).toBe("unknown")
  })

  test("are in the log when their answer is taken: whoever leaves in the same moment leaves none open", async () => {
    const { questions, happened } = open()
    const turn = new AbortController()
    const asked = questions.ask(ask, turn.signal)
    questions.answer(questions.open()[0]?.id ?? "", allow)
    expect(questions.open()).toEqual([])
    expect(happened).toEqual(["question", "question_open", "answer", "question_close"])
    turn.abort()
    expect(await asked).toEqual(allow)
    expect(happened).toHaveLength(4)
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

describe("questions of before", () => {
  const permission = (more: object = {}): QuestionAsk => ({
    kind: "permission",
    callId: "c1",
    tool: "Write",
    title: "Write a.txt",
    input: { file_path: "a.txt" },
    footprint: touchesNothing(),
    decision: { behavior: "ask", reason: { kind: "default" }, message: "", trace: [] },
    ...more,
  })

  /** A process that has read what those before it wrote, and what it writes besides. */
  function resumed(entries: readonly Entry[], asks: "person" | "nobody" = "person") {
    const written: EntryBody[] = []
    const record = (body: EntryBody): void => void written.push(body)
    const questions = openQuestions({ asks, record, publish: () => {} })
    questions.remember(entries)
    return { questions, written }
  }
  const entry = (body: EntryBody): Entry => ({ ...body, uuid: "u", parentUuid: null, at: 0 })
  const unended = new AbortController().signal

  function askedBefore(what: QuestionAsk): { readonly entries: Entry[]; readonly question: Question } {
    const first = resumed([])
    void first.questions.ask(what, unended)
    const [question] = first.questions.open()
    if (!question) throw new Error("nothing was asked")
    return { entries: first.written.map(entry), question }
  }
  const answerTo = ({ id, digest }: Question, answer: Answer): Entry =>
    entry({ kind: "answer", questionId: id, answer, digest })

  test("that are open keep their id, and are not recorded again", () => {
    const { entries, question } = askedBefore(permission())
    const second = resumed(entries)
    void second.questions.ask(permission(), unended)
    expect(second.questions.open()).toEqual([question])
    expect(second.written).toEqual([])
  })

  test("that were answered are not asked, whoever is there", async () => {
    const { entries, question } = askedBefore(permission())
    for (const asks of ["person", "nobody"] as const) {
      const second = resumed([...entries, answerTo(question, allow)], asks)
      expect(second.questions.asked("c1")).toBe("answered")
      expect(await second.questions.ask(permission(), unended)).toEqual(allow)
      expect(second.written).toEqual([])
    }
  })

  test("whose picture has changed are asked again, under the same id: the answer was given to something else", async () => {
    const { entries, question } = askedBefore(permission({ display: { kind: "text", text: "one line" } }))
    const second = resumed([...entries, answerTo(question, allow)])
    void second.questions.ask(permission({ display: { kind: "text", text: "all lines" } }), unended)
    const [again] = second.questions.open()
    expect(again?.id).toBe(question.id)
    expect(again?.digest).not.toBe(question.digest)
    expect(second.written.map(({ kind }) => kind)).toEqual(["notice", "question"])
  })

  test("about another input of the same call are withdrawn when that is asked about", () => {
    const { entries, question } = askedBefore(permission())
    const second = resumed(entries)
    void second.questions.ask(permission({ input: { file_path: "b.txt" } }), unended)
    expect(second.written).toMatchObject([
      { kind: "answer", questionId: question.id, answer: { kind: "unanswered" } },
      { kind: "question" },
    ])
  })

  test("of a call that asks the same twice are answered one after the other", async () => {
    const first = resumed([])
    const twice = [first.questions.ask(permission(), unended), first.questions.ask(permission(), unended)]
    const [one, two] = first.questions.open()
    if (!one || !two) throw new Error("both wait")
    first.questions.answer(one.id, allow)
    expect(await twice[0]).toEqual(allow)
    const second = resumed(first.written.map(entry))
    expect(await second.questions.ask(permission(), unended)).toEqual(allow)
    void second.questions.ask(permission(), unended)
    expect(second.questions.open()).toEqual([two])
  })

  test("about something with a fingerprint are answered for the session, as long as it is the same", async () => {
    const own = { ...ask, callId: ownCall("server"), about: "first" }
    const { entries, question } = askedBefore(own)
    const answered = [...entries, answerTo(question, allow), entry({ kind: "mode", mode: "plan" })]
    expect(await resumed(answered).questions.ask(own, unended)).toEqual(allow)
    const { questions } = resumed(answered)
    void questions.ask({ ...own, about: "second" }, unended)
    expect(questions.open().map(({ id }) => id)).not.toEqual([question.id])
    expect(questions.open()).toHaveLength(1)
  })

  test("that the program asks of its own accord are asked in every run, unless they were answered since the last", async () => {
    const own = { ...ask, callId: ownCall("start") }
    const { entries, question } = askedBefore(own)
    const answered = [...entries, answerTo(question, allow)]
    expect(await resumed(answered).questions.ask(own, unended)).toEqual(allow)
    const later = resumed([...answered, entry({ kind: "mode", mode: "plan" })])
    void later.questions.ask(own, unended)
    expect(later.questions.open()).toHaveLength(1)
  })

  test("that nobody will ask again are withdrawn", () => {
    const { entries, question } = askedBefore(permission())
    const second = resumed(entries)
    second.questions.withdraw(new Set(["c1"]), "the program ended")
    expect(second.written).toEqual([])
    second.questions.withdraw(new Set(), "the program ended")
    expect(second.written).toMatchObject([{ questionId: question.id, answer: { kind: "unanswered" } }])
  })

  test("of another agent stay open when a call of the same id is asked about in another way", () => {
    const first = resumed([])
    void first.questions.ask(permission(), unended, { id: "a1", type: "reader" })
    const second = resumed(first.written.map(entry))
    void second.questions.ask(permission({ input: { file_path: "b.txt" } }), unended)
    expect(second.written.map(({ kind }) => kind)).toEqual(["question"])
  })

  test("whose answer in the log was to something else are still open", () => {
    const { entries, question } = askedBefore(permission())
    const { questions } = resumed([...entries, answerTo({ ...question, digest: "another" }, allow)])
    expect(questions.asked("c1")).toBe("open")
  })

  test("about a call that is restarted say once what was decided", () => {
    const { entries, question } = askedBefore(permission())
    const { questions } = resumed([...entries, answerTo(question, allow)])
    expect(questions.decided("c1")).toBeUndefined()
    questions.withdraw(new Set(["c1"]), "the program ended")
    expect(questions.decided("c1")).toEqual({ ask: question.ask, answer: allow })
    expect(questions.decided("c1")).toBeUndefined()
  })

  test("that were answered are asked again in a copy, unless their call has begun", () => {
    const { entries, question } = askedBefore(permission())
    const answered = [...entries, answerTo(question, allow)]
    expect(withoutUnused(answered)).toEqual(entries)
    const begun = [...answered, entry({ kind: "intent", callId: "c1", tool: "Write", title: "Write a.txt", files: [] })]
    expect(withoutUnused(begun)).toEqual(begun)
  })

  test("take no answer to something else", async () => {
    const { questions } = resumed([])
    const asked = questions.ask(permission(), unended)
    const { id, digest } = questions.open()[0] ?? { id: "", digest: "" }
    expect(questions.answer(id, { kind: "deny", interrupt: true }, "of another")).toBe("stale")
    expect(questions.answer(id, allow, digest)).toBe("taken")
    expect(await asked).toEqual(allow)
  })
})
