/** Questions that wait for a person. Each is an entry before it is shown, and so is its answer before it takes effect. */

import type { AskingAgent } from "#agent/words/child.ts"
import type { EntryBody } from "#agent/words/entry.ts"
import type { Moment } from "#agent/words/event.ts"
import { type Answer, type Question, type QuestionAsk, questionOf } from "#agent/words/question.ts"
import { type Deferred, deferred } from "#lib/deferred.ts"
import type { Ids } from "#lib/ids.ts"

/** Who answers: whoever sends an answer op, or nobody. */
export type Answerer = "ops" | "nobody"

export interface Questions {
  /** `agent`: who asks, when it is not the main agent. */
  readonly ask: (ask: QuestionAsk, signal: AbortSignal, agent?: AskingAgent) => Promise<Answer>
  /** Whether there was such a question, still open. */
  readonly answer: (questionId: string, answer: Answer) => boolean
  readonly open: () => readonly Question[]
}

export function openQuestions({
  answerer,
  ids,
  record,
  tell,
}: {
  readonly answerer: Answerer
  readonly ids: Ids
  readonly record: (body: EntryBody) => void
  readonly tell: (moment: Moment) => void
}): Questions {
  const waiting = new Map<string, { readonly question: Question; readonly answered: Deferred<Answer> }>()

  return {
    async ask(ask, signal, agent) {
      if (answerer === "nobody") return { kind: "unanswered", why: "nobody can be asked in this run" }
      if (signal.aborted) return withdrawn
      const question: Question = questionOf(ids.uuid(), ask, agent)
      const answered = deferred<Answer>()
      waiting.set(question.id, { question, answered })
      record({ kind: "question", question })
      tell({ type: "question_open", question })
      const onAbort = (): void => answered.resolve(withdrawn)
      signal.addEventListener("abort", onAbort, { once: true })
      const answer = await answered.promise
      signal.removeEventListener("abort", onAbort)
      waiting.delete(question.id)
      record({ kind: "answer", questionId: question.id, answer })
      tell({ type: "question_close", questionId: question.id })
      return answer
    },
    answer(questionId, answer) {
      const found = waiting.get(questionId)
      found?.answered.resolve(answer)
      return found !== undefined
    },
    open: () => [...waiting.values()].map(({ question }) => question),
  }
}

const withdrawn: Answer = { kind: "unanswered", why: "the turn was interrupted" }
