/** An answer given in a terminal, as a call of a server's API. */

import type { JsonObject } from "#lib/json.ts"
import type { GrantDestination } from "#agent/words/permission.ts"
import type { Answer, Question, QuestionAsk } from "#agent/words/question.ts"

export interface AnswerCall {
  readonly path: string
  readonly body: JsonObject
  /** What of the answer is lost. */
  readonly note?: string
}

const remembered: { readonly [destination in GrantDestination]?: string } = {
  session: "session",
  "project settings": "project",
  "user settings": "user",
}

/** The question without what cannot be answered over the API: other modes, rules for parts, places that only this machine has. */
export function answerable(ask: QuestionAsk): QuestionAsk {
  if (ask.kind !== "permission") return ask
  const { suggestions: _mode, parts: _parts, destinations = [], ...rest } = ask
  return { ...rest, destinations: destinations.filter((each) => remembered[each] !== undefined) }
}

/** Undefined if nothing was answered. */
export function answerCall(sessionId: string, { id, digest, ask }: Question, answer: Answer): AnswerCall | undefined {
  const session = `/api/sessions/${sessionId}`
  switch (answer.kind) {
    case "allow": {
      const [grant] = answer.grants ?? []
      const isSuggested = ask.kind === "permission" && grant?.rule === ask.suggestedRule
      const remember = isSuggested && grant ? remembered[grant.destination] : undefined
      const body = { decision: "allow", digest, ...(remember !== undefined && { remember }) }
      const isLost = grant !== undefined && remember === undefined
      const note = "Allowed once: over a server only the suggested rule can be saved."
      return { path: `${session}/approvals/${id}`, body, ...(isLost && { note }) }
    }
    case "approve": {
      const { mode, plan } = answer
      return { path: `${session}/plan/approve`, body: { digest, mode, ...(plan !== undefined && { plan }) } }
    }
    case "choices":
      return { path: `${session}/answers/${id}`, body: { digest, answers: { ...answer.answers } } }
    case "deny":
      return ask.kind === "plan"
        ? { path: `${session}/plan/reject`, body: { digest, feedback: answer.words ?? "" } }
        : { path: `${session}/approvals/${id}`, body: denial(digest, answer.words) }
    case "elicited":
      return { path: `${session}/approvals/${id}`, body: denial(digest, undefined) }
    case "unanswered":
      return undefined
  }
}

const denial = (digest: string, words: string | undefined): JsonObject => ({
  decision: "deny",
  digest,
  ...(words !== undefined && { message: words }),
})
