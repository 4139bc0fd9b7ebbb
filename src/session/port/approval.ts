/** A question as other programs see it: what would be done, the risks, what an answer may include, and the outcome. */

import type { Answer, PlanScope, Question, QuestionAsk } from "#agent/words/question.ts"
import { optional } from "#lib/optional.ts"
import type { JsonObject } from "#lib/json.ts"
import type { AskedQuestion } from "#session/journal/asked.ts"
import { type ApprovalDetails, detailsOf } from "./approval-details.ts"

export const approvalKinds = ["tool", "plan", "question", "elicitation"] as const
export type ApprovalKind = (typeof approvalKinds)[number]

export const approvalStates = ["open", "allowed", "denied", "void", "expired"] as const
export type ApprovalState = (typeof approvalStates)[number]

export interface Approval {
  /** That of the question in the session's log: the same whenever it is asked again. */
  readonly id: string
  readonly kind: ApprovalKind
  readonly title: string
  readonly action: { readonly tool: string; readonly input: JsonObject }
  readonly explanation: string
  readonly risks: readonly string[]
  /** What a terminal shows besides, and what an answer may include. */
  readonly details?: ApprovalDetails
  /** Of exactly what is shown. The same id with another digest is another action. */
  readonly digest: string
}

/** As it is sent to other programs: over HTTP, to webhooks, and by the command line as JSON. */
export interface ShownApproval extends Approval {
  readonly sessionId: string
  /** In lists of what waits, with whose session it is. */
  readonly sessionTitle?: string
  readonly sessionBy?: string
  readonly state: ApprovalState
  /** Of an answer: whether the decision that was sent is the one that counts. */
  readonly effective: boolean
  readonly expiresAt?: string
  readonly createdAt: string
  readonly decidedAt?: string
  readonly decidedBy?: string
}

export function approvalOf(question: Question): Approval {
  const { id, digest, ask } = question
  return { id, ...about(ask), ...optional("details", detailsOf(question)), digest }
}

export const shownQuestion = ({ question, at, answer }: AskedQuestion, sessionId: string): ShownApproval => ({
  ...approvalOf(question),
  sessionId,
  state: stateOf(answer),
  effective: true,
  createdAt: new Date(at).toISOString(),
})

const stateOf = (answer: Answer | undefined): "open" | "allowed" | "denied" =>
  answer === undefined ? "open" : isYes(answer) ? "allowed" : "denied"

function about(ask: QuestionAsk): Pick<Approval, "kind" | "title" | "action" | "explanation" | "risks"> {
  switch (ask.kind) {
    case "permission": {
      const { tool, title, input, decision, explanation = "", alarm, risks = [], effects = [] } = ask
      const all = [...(alarm === undefined ? [] : [alarm]), ...risks, ...effects]
      return {
        kind: "tool",
        title,
        action: { tool, input },
        explanation: explanation === "" ? decision.message : explanation,
        risks: all.filter((risk, i) => all.indexOf(risk) === i),
      }
    }
    case "choice": {
      const input = { questions: ask.questions.map((one) => ({ ...one, options: one.options.map((o) => ({ ...o })) })) }
      const title = ask.questions.map(({ header }) => header).join(", ")
      const explanation = ask.questions.map((one) => one.question).join("\n")
      return { kind: "question", title, action: { tool: "AskUserQuestion", input }, explanation, risks: [] }
    }
    case "plan": {
      const { plan, path, modes, wishes, scope } = ask
      const input = {
        plan,
        path,
        modes: [...modes],
        wishes: wishes.map((one) => ({ ...one })),
        ...optional("scope", scope && listsOf(scope)),
      }
      const explanation = `The plan is in ${path}. Nothing is changed before it is approved.`
      return { kind: "plan", title: "Plan", action: { tool: "ExitPlanMode", input }, explanation, risks: [] }
    }
    case "elicitation": {
      const { server, message, schema, url } = ask
      const input = { message, ...optional("requestedSchema", schema), ...optional("url", url) }
      return { kind: "elicitation", title: server, action: { tool: server, input }, explanation: message, risks: [] }
    }
  }
}

const listsOf = (scope: PlanScope): JsonObject =>
  Object.fromEntries(Object.entries(scope).map(([name, items]) => [name, [...items]]))

const isYes = (answer: Answer): boolean =>
  answer.kind === "elicited" ? answer.action === "accept" : answer.kind !== "deny" && answer.kind !== "unanswered"
