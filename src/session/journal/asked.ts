/** The questions of a log: what was asked before, what is still open, and which answers were given that nobody has used. */

import type { Entry } from "#agent/words/entry.ts"
import { type Answer, isOwn, type Question } from "#agent/words/question.ts"

export interface Asked {
  readonly question: Question
  /** When it was asked last. */
  readonly at: number
  readonly answer?: Answer
  /** The answer was the last thing written: nobody has been there since who could have used it. */
  readonly isFresh?: boolean
}

/** Questions by their ids, oldest first. One that was withdrawn is as if it had not been asked. */
export function askedIn(entries: readonly Entry[]): ReadonlyMap<string, Asked> {
  const asked = new Map<string, Asked>()
  let fresh: string[] = []
  for (const entry of entries) {
    if (entry.kind !== "answer") fresh = []
    if (entry.kind === "question") asked.set(entry.question.id, { question: entry.question, at: entry.at })
    if (entry.kind !== "answer") continue
    const { questionId, answer, digest } = entry
    const before = asked.get(questionId)
    // What was answered must be what was shown last.
    if (!before || (digest !== undefined && digest !== before.question.digest)) continue
    if (answer.kind === "unanswered") asked.delete(questionId)
    else {
      asked.set(questionId, { ...before, answer })
      fresh.push(questionId)
    }
  }
  for (const id of fresh) {
    const last = asked.get(id)
    if (last) asked.set(id, { ...last, isFresh: true })
  }
  return asked
}

/** A copy of a session asks again what was allowed in the other one and not begun there: it would happen in both. */
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

/** What was asked about each thing, in the order it was asked: whoever asks the same again gets them in that order. */
export function leftIn(entries: readonly Entry[]): ReadonlyMap<string, readonly Asked[]> {
  const left = new Map<string, Asked[]>()
  for (const one of askedIn(entries).values()) left.set(one.question.key, [...(left.get(one.question.key) ?? []), one])
  return left
}

/**
 * How many of them whoever asks first has done with. A call is asked about only by itself, so all of its questions are
 * asked again when it is begun again; the program's own are asked in every run, and answered again each time.
 */
export function usedUp(asked: readonly Asked[]): number {
  const first = asked.findIndex(({ question, answer, isFresh }) => !isOwn(question.ask) || !answer || isFresh)
  return first === -1 ? asked.length : first
}
