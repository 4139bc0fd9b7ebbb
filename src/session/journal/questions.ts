/**
 * Questions that wait for the user. Each question is an entry before it is shown, and each answer before it takes effect. A question open in the log is
 * not recorded twice; one answered while no process ran is not asked again.
 * See decision 42.
 */

import type { AskingAgent } from "#agent/words/child.ts"
import type { Entry, EntryBody } from "#agent/words/entry.ts"
import type { Moment } from "#agent/words/event.ts"
import {
  type Answer,
  type Answerer,
  isOwn,
  keyOf,
  type Question,
  type QuestionAsk,
  questionId,
  questionOf,
  withdrawal,
} from "#agent/words/question.ts"
import { deferred } from "#lib/deferred.ts"
import { optional } from "#lib/optional.ts"
import { type AskedQuestion, leftIn, usedUp } from "./asked.ts"

export interface Decided {
  readonly ask: QuestionAsk
  readonly answer: Answer
}

export interface Questions {
  readonly ask: (ask: QuestionAsk, signal: AbortSignal, agent?: AskingAgent) => Promise<Answer>
  /** `stale`: the digest does not match the question shown, and nothing happens. */
  readonly answer: (id: string, answer: Answer, digest?: string, by?: string) => "taken" | "stale" | "unknown"
  readonly open: () => readonly Question[]
  /** What the log says about the questions for a call that has not begun. */
  readonly asked: (callId: string) => "open" | "answered" | undefined
  /** What was asked and answered about a call that is restarted; returned once. */
  readonly decided: (callId: string) => Decided | undefined
  readonly remember: (entries: readonly Entry[]) => void
  /** Withdraws open questions that will not be asked again. */
  readonly withdraw: (willBeAsked: ReadonlySet<string>, why: string) => void
}

interface QuestionParts {
  readonly asks: Answerer
  /** Forms of servers are asked in any case. */
  readonly elicits?: "client" | undefined
  /** Whether a run can end with a question open. */
  readonly leaves?: boolean | undefined
  readonly record: (body: EntryBody) => void
  readonly publish: (moment: Moment) => void
}

export function openQuestions({ asks, elicits, leaves, record, publish }: QuestionParts): Questions {
  /** `take`: when it returns, the answer is in the log and nobody else can answer. */
  const waiting = new Map<
    string,
    { readonly question: Question; readonly answer: (answer: Answer, by?: string) => void }
  >()
  let left: ReadonlyMap<string, readonly AskedQuestion[]> = new Map()
  /** How often each was asked, including earlier ones that nobody asks again. */
  const times = new Map<string, number>()
  /** Earlier calls that are restarted. A later call with the same id gets nothing from them. */
  const begunAgain = new Set<string>()
  const all = (): readonly AskedQuestion[] => [...left.values()].flat()

  const close = ({ id, digest }: Question, answer: Answer, by?: string): void =>
    record({ kind: "answer", questionId: id, answer, digest, ...optional("by", by) })

  function next(
    ask: QuestionAsk,
    agent: AskingAgent | undefined,
  ): { question: Question; before: AskedQuestion | undefined } {
    const key = keyOf(ask, agent)
    const asked = left.get(key) ?? []
    const nth = times.get(key) ?? usedUp(asked)
    times.set(key, nth + 1)
    const before = asked[nth]
    return { question: questionOf(before?.question.id ?? questionId(key, nth), ask, agent), before }
  }

  /** The call is now asked about in another way, so its other open questions will never be asked. */
  function leaveOthers({ key, ask, agent }: Question): void {
    for (const { question, answer } of all()) {
      const isOfThis = question.ask.callId === ask.callId && question.ask.kind === ask.kind && !isOwn(ask)
      if (!isOfThis || question.key === key || question.agent?.id !== agent?.id || answer) continue
      forget(question)
      close(question, { kind: "unanswered", why: "what it was about has changed" })
    }
  }

  function forget({ id, key }: Question): void {
    const others = (left.get(key) ?? []).filter(({ question }) => question.id !== id)
    left = new Map(left).set(key, others)
  }

  function wait(question: Question, signal: AbortSignal): Promise<Answer> {
    const answered = deferred<Answer>()
    const settle = (answer: Answer, by?: string): void => {
      close(question, answer, by)
      publish({ type: "question_close", questionId: question.id })
      answered.resolve(answer)
    }
    const onAbort = (): void => {
      waiting.delete(question.id)
      // Deferred: an entry that cannot be written ends the turn, and nothing may come before that entry.
      void Promise.resolve(withdrawal(signal.reason, withdrawn)).then((answer) => settle(answer))
    }
    waiting.set(question.id, {
      question,
      answer(answer, by) {
        signal.removeEventListener("abort", onAbort)
        waiting.delete(question.id)
        settle(answer, by)
      },
    })
    signal.addEventListener("abort", onAbort, { once: true })
    publish({ type: "question_open", question })
    return answered.promise
  }

  return {
    async ask(ask, signal, agent) {
      if (signal.aborted) return withdrawn
      const { question, before } = next(ask, agent)
      leaveOthers(question)
      const isSame = before?.question.digest === question.digest
      if (before?.answer && isSame) return before.answer
      if (before?.answer) record({ kind: "notice", level: "warning", text: voidWords })
      const waits =
        ask.kind === "permission" ? leaves && ask.deferred : elicits === "client" && ask.kind === "elicitation"
      if (asks === "nobody" && !waits) {
        if (before && !before.answer) close(before.question, unasked)
        return unasked
      }
      if (!isSame) record({ kind: "question", question })
      return wait(question, signal)
    },
    answer(id, answer, digest, by) {
      const found = waiting.get(id)
      if (!found) return "unknown"
      if (digest !== undefined && digest !== found.question.digest) return "stale"
      found.answer(answer, by)
      return "taken"
    },
    open: () => [...waiting.values()].map(({ question }) => question),
    asked(callId) {
      const about = all().filter(({ question }) => question.ask.callId === callId)
      if (about.some(({ answer }) => answer === undefined)) return "open"
      return about.length > 0 ? "answered" : undefined
    },
    decided(callId) {
      if (!begunAgain.delete(callId)) return undefined
      const last = all().findLast(({ question }) => question.ask.callId === callId)
      return last?.answer && { ask: last.question.ask, answer: last.answer }
    },
    remember: (entries) => void (left = leftIn(entries)),
    withdraw(willBeAsked, why) {
      for (const callId of willBeAsked) begunAgain.add(callId)
      for (const { question, answer } of all()) {
        if (answer || willBeAsked.has(question.ask.callId)) continue
        forget(question)
        close(question, { kind: "unanswered", why })
      }
    },
  }
}

const withdrawn: Answer = { kind: "unanswered", why: "the turn was interrupted" }
const unasked: Answer = { kind: "unanswered", why: "nobody can be asked in this run" }
const voidWords = "An answer was not used: what it allowed has changed since it was shown, so it is asked again."
