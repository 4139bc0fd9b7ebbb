/** A question as other programs see it: what would be done, the risks, and the outcome. */

import type { AskingAgent } from "#agent/words/child.ts"
import type { Answer, PlanScope, QuestionAsk, QuestionPart, Suggestions } from "#agent/words/question.ts"
import { patchText } from "#lib/diff.ts"
import { given } from "#lib/given.ts"
import type { JsonObject } from "#lib/json.ts"
import type { AskedQuestion } from "#session/journal/asked.ts"

export interface Approval {
  readonly id: string
  readonly sessionId: string
  readonly kind: "tool" | "plan" | "question" | "elicitation"
  readonly title: string
  readonly action: { readonly tool: string; readonly input: JsonObject }
  readonly explanation: string
  readonly risks: readonly string[]
  /** How the tool differs from what was allowed, as a patch, if it does. */
  readonly change?: string
  /** Of exactly this question: an answer to anything else is void. */
  readonly digest: string
  readonly state: "open" | "allowed" | "denied"
  readonly effective: boolean
  readonly createdAt: string
  readonly suggestions?: Suggestions
  /** The parts of a command: which need consent, what covers the others, and the rule that would cover each. */
  readonly parts?: readonly QuestionPart[]
  readonly agent?: AskingAgent
}

export function approvalOf({ question, at, answer }: AskedQuestion, sessionId: string): Approval {
  const { id, digest, ask, agent } = question
  return {
    id,
    sessionId,
    ...about(ask),
    digest,
    state: answer === undefined ? "open" : isYes(answer) ? "allowed" : "denied",
    effective: true,
    createdAt: new Date(at).toISOString(),
    ...given("change", ask.kind === "permission" && ask.change ? patchText(ask.change.hunks) : undefined),
    ...given("suggestions", ask.kind === "permission" ? ask.suggestions : undefined),
    ...given("parts", ask.kind === "permission" ? ask.parts : undefined),
    ...given("agent", agent),
  }
}

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
        ...given("scope", scope && listsOf(scope)),
      }
      const explanation = `The plan is in ${path}. Nothing is changed before it is approved.`
      return { kind: "plan", title: "Plan", action: { tool: "ExitPlanMode", input }, explanation, risks: [] }
    }
    case "elicitation": {
      const { server, message, schema, url } = ask
      const input = { message, ...given("requestedSchema", schema), ...given("url", url) }
      return { kind: "elicitation", title: server, action: { tool: server, input }, explanation: message, risks: [] }
    }
  }
}

const listsOf = (scope: PlanScope): JsonObject =>
  Object.fromEntries(Object.entries(scope).map(([name, items]) => [name, [...items]]))

const isYes = (answer: Answer): boolean =>
  answer.kind === "elicited" ? answer.action === "accept" : answer.kind !== "deny" && answer.kind !== "unanswered"
