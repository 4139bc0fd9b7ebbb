/** What the session of a member takes part in when it runs in a process of its own. */

import type { Question } from "#agent/words/question.ts"
import type { Questions } from "#session/journal/questions.ts"
import type { TeamHooks } from "./team-hooks.ts"

export interface OwnProcess {
  readonly questions: (own: Questions) => Questions
  /** Called with each question that opens; the signal aborts when it is closed. */
  readonly asked: (question: Question, closed: AbortSignal) => void
  /** Called once, when the session can ask and has read its hooks. */
  readonly ready: (ports: { readonly ask: Questions["ask"]; readonly hook: TeamHooks }) => void
}
