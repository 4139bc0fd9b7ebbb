/** Questions of a session go to the client, and its answers back: each with the digest of what the client was shown. */

import type { Event } from "#agent/words/event.ts"
import type { Answer, Question } from "#agent/words/question.ts"
import type { Clock } from "#lib/clock.ts"
import type { Session } from "#session/port/session.ts"
import { clientAnswer } from "./permission-answer.ts"
import { clientQuestion } from "./permission-request.ts"
import type { ClientRequests } from "./requests.ts"

export interface ClientQuestions {
  /** Whether anything waits for the client after this event. */
  readonly onEvent: (event: Event) => void
  readonly waiting: () => number
}

export function openClientQuestions({
  session,
  requests,
  clock,
  patienceMs,
  onChange,
}: {
  readonly session: Pick<Session, "submit">
  readonly requests: Pick<ClientRequests, "ask">
  readonly clock: Pick<Clock, "after">
  /** As long as it likes when absent. */
  readonly patienceMs?: number | undefined
  /** Something waits for the client, or nothing does any more. */
  readonly onChange: () => void
}): ClientQuestions {
  const open = new Map<string, AbortController>()

  async function ask(question: Question): Promise<void> {
    const request = clientQuestion(question)
    const reply = (answer: Answer): Promise<unknown> =>
      session.submit({ type: "answer", questionId: question.id, answer, digest: question.digest })
    if (!request) return void (await reply({ kind: "unanswered", why: "nobody can be asked in this run" }))
    const closed = new AbortController()
    open.set(question.id, closed)
    onChange()
    let isLate = false
    const giveUp = (): void => {
      isLate = true
      closed.abort()
    }
    const answered = patienceMs === undefined ? () => {} : clock.after(patienceMs, giveUp)
    try {
      const said = await requests.ask(request, closed.signal)
      await reply(clientAnswer(question.ask, said))
    } catch (error) {
      // What the client does not answer is not allowed; a withdrawn question is answered already.
      if (isLate) await reply({ kind: "unanswered", why: `the client did not answer within ${patienceMs} ms` })
      else if (isCancelled(question, error)) await session.submit({ type: "interrupt" })
      else if (!closed.signal.aborted) await reply({ kind: "unanswered", why: whyNot(error) })
    } finally {
      answered()
      open.delete(question.id)
      onChange()
    }
  }

  return {
    onEvent(event) {
      if (event.type === "question_open") void ask(event.question)
      if (event.type === "question_close") open.get(event.questionId)?.abort()
    },
    waiting: () => open.size,
  }
}

/**
 * Clients cancel a turn by an interrupt, and drop the question that is open. Either may arrive first; if only the call
 * were refused, the turn could end as usual before the interrupt is here.
 */
const isCancelled = ({ ask }: Question, error: unknown): boolean =>
  ask.kind !== "elicitation" && error instanceof Error && /\b(?:abort(?:ed)?|AbortError)\b/i.test(error.message)

const whyNot = (error: unknown): string =>
  `the client did not answer (${error instanceof Error ? error.message : String(error)})`
