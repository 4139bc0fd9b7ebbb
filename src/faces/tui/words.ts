/** Sentences about what is waited for and what could not be done. */

import type { QuestionAsk } from "#agent/words/question.ts"
import { opFailureWords } from "#session/port/op-failure-words.ts"
import type { OpFailure } from "#session/port/session.ts"

/** For notifications. */
export function questionWords(kind: QuestionAsk["kind"]): string {
  return kind === "plan"
    ? "the plan is ready."
    : kind === "choice" || kind === "elicitation"
      ? "a question is waiting."
      : "waiting for your approval."
}

export const failureWords = (failure: OpFailure): string =>
  failure.kind === "working" ? "Not available while the agent works. Esc to interrupt." : opFailureWords(failure)
