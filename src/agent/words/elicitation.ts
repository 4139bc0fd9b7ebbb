/** A server's form as multiple-choice questions, answers as its content, and validation of content against the form. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Answer, QuestionAsk } from "./question.ts"

export type ElicitationAsk = Extract<QuestionAsk, { readonly kind: "elicitation" }>
export type Elicited = Extract<Answer, { readonly kind: "elicited" }>
type ChoiceAsk = Extract<QuestionAsk, { readonly kind: "choice" }>
type FieldQuestion = ChoiceAsk["questions"][number]
type FieldAnswer = string | number | boolean | string[]

/** How a field is asked for and what an answer means; undefined if the answer is invalid. */
interface Field {
  readonly name: string
  readonly isRequired: boolean
  readonly question: FieldQuestion
  readonly read: (said: string) => FieldAnswer | undefined
}

const mostFields = 20
const mostChoices = 50
const longestMessage = 2_000
const longestWords = 300
const leaveOut = "Leave it out"
const yes = "Yes"
const longestHeader = 12

/** As choices, for faces without forms; undefined if a field cannot be asked for like that. */
export function asChoices(ask: ElicitationAsk): ChoiceAsk | undefined {
  const fields = isConsent(ask) ? undefined : fieldsOf(ask)
  const questions = isConsent(ask) ? [consentQuestion(ask)] : fields?.map(({ question }) => question)
  return questions && { kind: "choice", callId: ask.callId, questions }
}

export function fromChoices(
  ask: ElicitationAsk,
  answers: { readonly [question: string]: string },
): Result<Elicited, string> {
  if (isConsent(ask))
    return ok(
      Object.values(answers).includes(yes)
        ? { kind: "elicited", action: "accept", content: {} }
        : { kind: "elicited", action: "decline" },
    )
  // A field may have any name, also one that objects keep for themselves.
  const content = new Map<string, FieldAnswer>()
  for (const { name, isRequired, question, read } of fieldsOf(ask) ?? []) {
    const said = answers[question.question]
    const value = said === undefined || (!isRequired && said === leaveOut) ? undefined : read(said)
    if (value !== undefined) content.set(name, value)
    else if (isRequired || (said !== undefined && said !== leaveOut))
      return failed(`${JSON.stringify(said ?? "")} is not an answer to: ${question.question}`)
  }
  return ok({ kind: "elicited", action: "accept", content: Object.fromEntries(content) })
}

/** A sentence that names the invalid field; undefined when the form allows the content. */
export function contentProblem({ schema }: ElicitationAsk, content: JsonObject): string | undefined {
  const properties = isObject(schema?.properties) ? schema.properties : {}
  const required = Array.isArray(schema?.required) ? schema.required : []
  for (const name of required)
    if (typeof name === "string" && !Object.hasOwn(content, name)) return `${name} is missing.`
  for (const [name, value] of Object.entries(content)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (!isObject(property)) return `${name} is not a field of the form.`
    const wrong = valueProblem(property, value)
    if (wrong !== undefined) return `${name} ${wrong}.`
  }
  return undefined
}

function valueProblem(property: JsonObject, value: JsonValue): string | undefined {
  const { type, minItems, maxItems, items } = property
  if (type === "array") {
    if (!Array.isArray(value)) return "must be a list"
    if (typeof minItems === "number" && value.length < minItems) return `needs at least ${minItems} values`
    if (typeof maxItems === "number" && value.length > maxItems) return `takes at most ${maxItems} values`
    const each = isObject(items) ? { type: "string", ...items } : { type: "string" }
    return value.map((one: JsonValue) => valueProblem(each, one)).find((wrong) => wrong !== undefined)
  }
  const allowed = choicesIn(property)
  if (allowed && !allowed.some((one) => one.value === value))
    return `must be one of ${allowed.map((one) => one.value).join(", ")}`
  switch (type) {
    case "string":
      return typeof value === "string" ? textProblem(property, value) : "must be a string"
    case "boolean":
      return typeof value === "boolean" ? undefined : "must be true or false"
    case "integer":
    case "number":
      return numberProblem(property, value)
    default:
      return allowed ? undefined : "has a type that cannot be answered"
  }
}

function textProblem({ minLength, maxLength, format }: JsonObject, value: string): string | undefined {
  const { length } = [...value]
  if (typeof minLength === "number" && length < minLength) return `needs at least ${minLength} characters`
  if (typeof maxLength === "number" && length > maxLength) return `takes at most ${maxLength} characters`
  const fits = typeof format === "string" ? formats[format] : undefined
  return fits === undefined || fits(value) ? undefined : `must be of the format ${String(format)}`
}

const formats: { readonly [format: string]: (value: string) => boolean } = {
  email: (value) => /^[^\s@]+@[^\s@]+$/.test(value),
  uri: (value) => URL.canParse(value),
  date: (value) => /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value)),
  "date-time": (value) => /^\d{4}-\d{2}-\d{2}T/.test(value) && !Number.isNaN(Date.parse(value)),
}

function numberProblem({ type, minimum, maximum }: JsonObject, value: JsonValue): string | undefined {
  if (typeof value !== "number" || !Number.isFinite(value)) return "must be a number"
  if (type === "integer" && !Number.isInteger(value)) return "must be a whole number"
  if (typeof minimum === "number" && value < minimum) return `must be at least ${minimum}`
  return typeof maximum === "number" && value > maximum ? `must be at most ${maximum}` : undefined
}

/** A URL to open, or a form without fields: both only need a yes. */
const isConsent = ({ schema, url }: ElicitationAsk): boolean =>
  url !== undefined || !isObject(schema?.properties) || Object.keys(schema.properties).length === 0

const consentQuestion = ({ server, message, url }: ElicitationAsk): FieldQuestion => ({
  header: header(server),
  question:
    url === undefined
      ? `The MCP server ${server} asks: ${short(message, longestMessage)}`
      : `The MCP server ${server} wants you to open ${short(url, longestMessage)} in a browser. ${short(message, longestMessage)}`.trim(),
  options: [
    {
      label: yes,
      description: url === undefined ? "The server is told so." : "I have opened it; the server continues.",
    },
    { label: "No", description: "The server is told so." },
  ],
  multiSelect: false,
  takes: "an option",
})

/** Undefined if one of the fields cannot be asked for. */
function fieldsOf({ server, message, schema }: ElicitationAsk): readonly Field[] | undefined {
  const properties = isObject(schema?.properties) ? Object.entries(schema.properties) : []
  const required = Array.isArray(schema?.required) ? schema.required : []
  if (properties.length > mostFields) return undefined
  const fields = properties.map(([name, property], i) =>
    isObject(property)
      ? fieldOf({ server, name, property, isRequired: required.includes(name), message: i === 0 ? message : "" })
      : undefined,
  )
  return fields.every((field) => field !== undefined) ? fields : undefined
}

function fieldOf({
  server,
  name,
  property,
  isRequired,
  message,
}: {
  readonly server: string
  readonly name: string
  readonly property: JsonObject
  readonly isRequired: boolean
  readonly message: string
}): Field | undefined {
  const isList = property.type === "array"
  const choices = choicesIn(isList && isObject(property.items) ? property.items : property)
  if ((choices === undefined && isList) || name.length > longestWords) return undefined
  if (choices && (choices.length > mostChoices || choices.some(({ label }) => label.length > 2 * longestWords)))
    return undefined
  const read = readerOf(property, choices)
  if (!read) return undefined
  const title = text(property.title)
  // Two fields may have one title, and answers are known by their questions.
  const about = [title === undefined ? name : `${title} (${name})`, text(property.description)]
    .filter(Boolean)
    .join(": ")
  const labels = choices?.map(({ label }) => ({ label, description: "" })) ?? usualAnswers(property)
  return {
    name,
    isRequired,
    read,
    question: {
      header: header(server),
      question: `${message === "" ? "" : `The MCP server ${server} asks: ${short(message, longestMessage)} `}${about}`,
      options: [...labels, ...(isRequired ? [] : [{ label: leaveOut, description: "" }])],
      multiSelect: isList,
      takes: choices || property.type === "boolean" ? "an option" : "an option or words",
    },
  }
}

interface Labelled {
  readonly label: string
  readonly value: string
}

/** The choices of a field, in any of the notations JSON Schema has for them. */
function choicesIn({ enum: values, enumNames, oneOf, anyOf }: JsonObject): readonly Labelled[] | undefined {
  const titled = Array.isArray(oneOf) ? oneOf : Array.isArray(anyOf) ? anyOf : undefined
  if (titled)
    return titled.flatMap((one: JsonValue) =>
      isObject(one) && typeof one.const === "string" ? [{ value: one.const, label: text(one.title) ?? one.const }] : [],
    )
  if (!Array.isArray(values)) return undefined
  const names = Array.isArray(enumNames) ? enumNames : []
  return values.flatMap((value: JsonValue, i) =>
    typeof value === "string" ? [{ value, label: text(names[i]) ?? value }] : [],
  )
}

const usualAnswers = ({ type, default: usual }: JsonObject): FieldQuestion["options"] => {
  if (type === "boolean") return ["Yes", "No"].map((label) => ({ label, description: "" }))
  const isShown = (typeof usual === "string" && usual.length <= longestWords) || typeof usual === "number"
  return isShown ? [{ label: String(usual), description: "As usual" }] : []
}

function readerOf({ type }: JsonObject, choices: readonly Labelled[] | undefined): Field["read"] | undefined {
  const valueOf = (label: string): string | undefined => choices?.find((one) => one.label === label)?.value
  if (choices && type === "array")
    return (said) => {
      const chosen = said.split(", ").map(valueOf)
      return chosen.every((value) => value !== undefined) ? chosen : undefined
    }
  if (choices) return valueOf
  switch (type) {
    case "string":
      return (said) => said
    case "boolean":
      return (said) => (/^y(es)?$|^true$/i.test(said) ? true : /^no?$|^false$/i.test(said) ? false : undefined)
    case "number":
    case "integer":
      return (said) => {
        const value = said.trim() === "" ? Number.NaN : Number(said)
        return Number.isFinite(value) && (type === "number" || Number.isInteger(value)) ? value : undefined
      }
    default:
      return undefined
  }
}

const header = (server: string): string => server.slice(0, longestHeader)

const text = (value: JsonValue | undefined): string | undefined =>
  typeof value === "string" && value !== "" ? short(value, longestWords) : undefined

const short = (words: string, most: number): string =>
  words.length <= most ? words : `${words.slice(0, most).toWellFormed()} […]`
