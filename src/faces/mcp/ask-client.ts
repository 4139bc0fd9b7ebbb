/** A question of a session as a form that an MCP client shows, and what was filled in as its answer. */

import type { Answer, Question, QuestionAsk } from "#agent/words/question.ts"
import { askerOf } from "#faces/view/asker.ts"
import { instead, type PlanAsk, planQuestion } from "#faces/view/consent.ts"
import { choiceAnswer, choiceForm, serverForm } from "#faces/view/forms.ts"
import { type PermissionOption, permissionOptions, planOptions } from "#faces/view/permission-options.ts"
import { permissionBody } from "#faces/view/question-lines.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { forConsent, forReview } from "#lib/printable.ts"
import type { McpClient } from "./protocol.ts"

export interface ClientForm {
  /** Of `elicitation/create`. */
  readonly params: JsonObject
  readonly read: (said: JsonObject) => Answer
}

export const cannotAsk: Answer = { kind: "unanswered", why: "the MCP client has no elicitation" }

/** Undefined where the client cannot show it. */
export function formOf({ ask, agent }: Question, { can }: McpClient): ClientForm | undefined {
  switch (ask.kind) {
    case "permission": {
      const body = permissionBody(ask).trimEnd()
      const message = agent ? `Asked by ${forConsent(askerOf(agent))}.\n${body}` : body
      return can.form ? optionForm(message, permissionOptions(ask, agent, false)) : undefined
    }
    case "plan":
      return can.form ? optionForm(planMessage(ask), planOptions(ask, false)) : undefined
    case "choice":
      return can.form ? questionForm(ask) : undefined
    case "elicitation": {
      const params = serverForm(ask, can)
      return params && { params, read: ({ action, content }) => elicited(action, content) }
    }
  }
}

function elicited(action: JsonObject[string] | undefined, content: JsonObject[string] | undefined): Answer {
  if (action === "accept") return { kind: "elicited", action, content: isObject(content) ? content : {} }
  return { kind: "elicited", action: action === "decline" ? action : "cancel" }
}

const planMessage = ({ plan, wishes }: PlanAsk): string => {
  const granted = wishes.flatMap(({ prompt, covers }) =>
    covers === undefined ? [] : [`- ${forConsent(prompt)}: ${forConsent(covers)}`],
  )
  return [planQuestion, forReview(plan), ...(granted.length === 0 ? [] : ["A yes also allows:", ...granted])].join("\n")
}

/** The answers are their own labels, which every version of the protocol can show. None is chosen beforehand. */
function optionForm(message: string, options: readonly PermissionOption[]): ClientForm {
  const properties = {
    decision: { type: "string", title: "Decision", enum: options.map(({ name }) => name) },
    instructions: {
      type: "string",
      title: "Instructions",
      description: "What the model should know or do differently",
    },
  }
  const no = options.find(({ kind }) => kind === "reject_once")?.answer ?? instead("")
  return {
    params: form(message, { type: "object", properties, required: ["decision"] }),
    read({ action, content }) {
      if (action !== "accept") return no
      const { decision, instructions } = isObject(content) ? content : {}
      const option = options.find(({ name }) => name === decision)
      if (!option) return { kind: "unanswered", why: "the MCP client sent no answer that was offered" }
      const words = typeof instructions === "string" ? instructions.trim() : ""
      return words === "" ? option.answer : saying(option.answer, words)
    },
  }
}

function saying(answer: Answer, words: string): Answer {
  switch (answer.kind) {
    case "allow":
    case "approve":
      return { ...answer, words }
    case "deny":
      return { ...answer, words, interrupt: false }
    default:
      return answer
  }
}

function questionForm(ask: Extract<QuestionAsk, { readonly kind: "choice" }>): ClientForm {
  const message = ask.questions.map(({ question }) => forConsent(question)).join("\n")
  return {
    params: form(message, choiceForm(ask)),
    read({ action, content }) {
      if (action !== "accept") return { kind: "unanswered", why: "the user chose not to answer" }
      const answer = choiceAnswer(ask, isObject(content) ? content : {})
      return answer ?? { kind: "unanswered", why: "the user left a question without an answer" }
    },
  }
}

const form = (message: string, requestedSchema: JsonObject): JsonObject => ({ mode: "form", message, requestedSchema })
