/** Sentences about what is waited for and what could not be done. */

import type { QuestionAsk } from "#agent/words/question.ts"
import type { OpFailure } from "#session/session.ts"

/** For whoever looks elsewhere. */
export function questionWords(kind: QuestionAsk["kind"]): string {
  return kind === "plan"
    ? "the plan is ready."
    : kind === "choice" || kind === "elicitation"
      ? "it has a question."
      : "it asks for permission."
}

export function failureWords(kind: Exclude<OpFailure["kind"], "no_such_question">): string {
  switch (kind) {
    case "working":
      return "Not while it works. Esc interrupts."
    case "nothing_runs":
      return "Nothing runs that could go on in the background."
    case "no_such_agent":
      return "That agent does not work any more."
    case "closed":
      return "The session is closed."
    case "empty_title":
      return "A title needs at least one letter."
    case "unknown_command":
      return "There is no such command. /help lists those there are."
    case "empty_prompt":
      return "There was nothing in that prompt."
    case "stale":
      return "What was asked has changed. Look at it again."
    case "mode_not_available":
      return "This mode must be allowed when Codewright is started: --allow-dangerously-skip-permissions."
  }
}
