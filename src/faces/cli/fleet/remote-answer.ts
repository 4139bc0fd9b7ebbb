/** An answer given in a terminal, as a call of a server's API. */

import { isObject, type JsonObject } from "#lib/json.ts"
import type { GrantDestination } from "#agent/words/permission.ts"
import { type Answer, offeredRules, type Question, type QuestionAsk } from "#agent/words/question.ts"
import { optional } from "#lib/optional.ts"

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

/** The question with the places that the server offers to this user, without those that only the machine of the session has. */
export function answerable(ask: QuestionAsk, { details }: JsonObject): QuestionAsk {
  if (ask.kind !== "permission") return ask
  const { destinations = [], ...rest } = ask
  const offered = isObject(details) && Array.isArray(details["destinations"]) ? details["destinations"] : []
  return {
    ...rest,
    destinations: destinations.filter((each) => remembered[each] !== undefined && offered.includes(each)),
  }
}

/** Undefined if nothing was answered. */
export function answerCall(sessionId: string, { id, digest, ask }: Question, answer: Answer): AnswerCall | undefined {
  const session = `/api/sessions/${sessionId}`
  switch (answer.kind) {
    case "allow": {
      const { grants = [], mode } = answer
      const kept = ask.kind === "permission" ? grants.filter(({ rule }) => offeredRules(ask).includes(rule)) : []
      const remember = kept[0] && remembered[kept[0].destination]
      const body = {
        decision: "allow",
        digest,
        ...(remember !== undefined && { remember, rules: kept.map(({ rule }) => rule) }),
        ...optional("mode", mode),
      }
      const note = "Allowed once: over a server only the suggested rules can be saved."
      return { path: `${session}/approvals/${id}`, body, ...(kept.length < grants.length && { note }) }
    }
    case "approve": {
      const { mode, plan, wishes, fresh } = answer
      const body = { digest, mode, wishes: [...wishes], ...optional("plan", plan), ...optional("fresh", fresh) }
      return { path: `${session}/plan/approve`, body }
    }
    case "choices":
      return { path: `${session}/answers/${id}`, body: { digest, answers: { ...answer.answers } } }
    case "deny":
      return ask.kind === "plan"
        ? { path: `${session}/plan/reject`, body: { digest, feedback: answer.words ?? "" } }
        : { path: `${session}/approvals/${id}`, body: denial(digest, answer) }
    case "elicited":
      return { path: `${session}/approvals/${id}`, body: denial(digest) }
    case "unanswered":
      return undefined
  }
}

const denial = (
  digest: string,
  { words, keep }: { readonly words?: string; readonly keep?: true } = {},
): JsonObject => ({
  decision: "deny",
  digest,
  ...optional("message", words),
  ...optional("keep", keep),
})
