/** Why an answer does not count, in words for whoever gave it. */

import type { AnswerFailure } from "#session/port/answer-kept.ts"

export function answerFailureWords(failure: AnswerFailure): string {
  switch (failure.kind) {
    case "held":
      return `The session is open in process ${failure.pid}. Answer the question there; nothing was saved.`
    case "no_such_question":
      return `There is no open question ${failure.questionId} in this session. List the open ones with: codewright sessions questions <id>`
    case "already_answered":
      return `The question ${failure.questionId} is already answered (${failure.answer.kind}). The first answer counts.`
    case "stale":
      return `The question ${failure.questionId} has changed: its digest is not the one you gave. Read it again before you answer.`
    case "unfit":
      return `The answer does not fit the question. ${failure.message}`
    case "newer":
      return `The session was written by a newer Codewright (format ${failure.format}). Update first.`
    default:
      return `The answer could not be saved: ${failure.message}`
  }
}
