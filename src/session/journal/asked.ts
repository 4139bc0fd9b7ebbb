/** The questions in a log: what was asked, what is still open, and which answers have not been used. */

import type { Entry } from "#agent/words/entry.ts"
import { optional } from "#lib/optional.ts"
import { type Answer, isLasting, isOwn, type Question } from "#agent/words/question.ts"

export interface AskedQuestion {
  readonly question: Question
  readonly at: number
  readonly answer?: Answer
  /** Who answered, where that is known, and when. */
  readonly by?: string
  readonly answeredAt?: number
  /** The answer was the last entry: no process has run since that could have used it. */
  readonly isFresh?: boolean
}

/** Questions by id, oldest first, without withdrawn ones. */
export function askedIn(entries: readonly Entry[]): ReadonlyMap<string, AskedQuestion> {
  const asked = new Map<string, AskedQuestion>()
  let fresh: string[] = []
  for (const entry of entries) {
    if (entry.kind !== "answer") fresh = []
    if (entry.kind === "question") asked.set(entry.question.id, { question: entry.question, at: entry.at })
    if (entry.kind !== "answer") continue
    const { questionId, answer, digest, by, at } = entry
    const before = asked.get(questionId)
    // The answer must match what was shown last.
    if (!before || (digest !== undefined && digest !== before.question.digest)) continue
    if (answer.kind === "unanswered") asked.delete(questionId)
    else {
      asked.set(questionId, { ...before, answer, answeredAt: at, ...optional("by", by) })
      fresh.push(questionId)
    }
  }
  for (const id of fresh) {
    const last = asked.get(id)
    if (last) asked.set(id, { ...last, isFresh: true })
  }
  return asked
}

/** A copied session asks again about what was allowed but not begun in the original; otherwise it would happen in both. */
export function withoutUnused(entries: readonly Entry[]): readonly Entry[] {
  const begun = new Set(
    entries.flatMap((entry) => (entry.kind === "intent" || entry.kind === "result" ? entry.callId : [])),
  )
  const unused = new Set(
    [...askedIn(entries).values()].flatMap(({ question }) =>
      question.agent || begun.has(question.ask.callId) || isOwn(question.ask) ? [] : question.id,
    ),
  )
  return entries.filter((entry) => entry.kind !== "answer" || !unused.has(entry.questionId))
}

/** The questions about each subject, in the order they were asked: asking again gets them in that order. */
export function leftIn(entries: readonly Entry[]): ReadonlyMap<string, readonly AskedQuestion[]> {
  const left = new Map<string, AskedQuestion[]>()
  for (const one of askedIn(entries).values()) left.set(one.question.key, [...(left.get(one.question.key) ?? []), one])
  return left
}

/**
 * How many of them the first asker uses up. A call's questions are all asked again when it is restarted; the program's own are asked in every run, and
 * answered again each time, unless the answer lasts.
 */
export function usedUp(asked: readonly AskedQuestion[]): number {
  const first = asked.findIndex(
    ({ question: { ask }, answer, isFresh }) => !isOwn(ask) || isLasting(ask) || !answer || isFresh,
  )
  return first === -1 ? asked.length : first
}
