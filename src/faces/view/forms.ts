/** Questions with choices, and forms of MCP servers, as elicitations; and what was filled in as an answer. */

import type { ElicitationAsk } from "#agent/words/elicitation.ts"
import type { Answer, QuestionAsk } from "#agent/words/question.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { optional } from "#lib/optional.ts"

export type ChoiceAsk = Extract<QuestionAsk, { readonly kind: "choice" }>

const key = (at: number): string => `question_${at + 1}`
const otherKey = (at: number): string => `${key(at)}_other`

/** Every question with its choices, and a field for an answer of one's own. */
export function choiceForm({ questions }: ChoiceAsk): JsonObject {
  const fields = questions.flatMap(({ question, header, options, multiSelect }, at): [string, JsonObject][] => {
    const known = options.map(({ label, description }) => ({
      const: label,
      title: label,
      ...(description !== "" && { description }),
    }))
    const about = { title: header, description: question }
    const chosen: JsonObject = multiSelect
      ? { type: "array", ...about, items: { anyOf: known } }
      : { type: "string", ...about, oneOf: known }
    const own = { type: "string", title: "Other", description: `Your own answer to: ${question}` }
    return options.length === 0
      ? [[key(at), { type: "string", ...about }]]
      : [
          [key(at), chosen],
          [otherKey(at), own],
        ]
  })
  return { type: "object", properties: Object.fromEntries(fields) }
}

/** Undefined if a question has no answer. */
export function choiceAnswer({ questions }: ChoiceAsk, content: JsonObject): Answer | undefined {
  const answers = new Map<string, string>()
  for (const [at, { question }] of questions.entries()) {
    const said = textIn(content[otherKey(at)]) || textIn(content[key(at)])
    if (said === "") return undefined
    answers.set(question, said)
  }
  return { kind: "choices", answers: Object.fromEntries(answers) }
}

const textIn = (value: JsonValue | undefined): string =>
  (Array.isArray(value) ? value.map(String).join(", ") : typeof value === "string" ? value : "").trim()

/** A form or a page of a server; undefined where the client cannot show it. */
export function serverForm(
  ask: ElicitationAsk,
  can: { readonly form: boolean; readonly url: boolean },
): JsonObject | undefined {
  const message = `${ask.server}: ${ask.message}`
  if (ask.url !== undefined)
    return can.url ? { mode: "url", message, url: ask.url, elicitationId: ask.elicitationId ?? ask.callId } : undefined
  return can.form ? { mode: "form", message, requestedSchema: formSchema(ask.schema) } : undefined
}

function formSchema(schema: JsonObject | undefined): JsonObject {
  const properties = isObject(schema?.properties) ? schema.properties : {}
  return {
    type: "object",
    properties,
    ...optional("required", Array.isArray(schema?.required) ? schema.required : undefined),
  }
}
