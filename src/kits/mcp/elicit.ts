/** What a server wants to know from the person: a flat form as questions, an address as one. What fits neither is declined. */

import type { Answer, QuestionAsk } from "#agent/words/question.ts"
import type { ElicitAnswer, ElicitAsk } from "#ground/mcp/connection.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import type { McpPorts } from "./ports.ts"

type Choice = Extract<QuestionAsk, { readonly kind: "choice" }>["questions"][number]
type Given = string | number | boolean | string[]

/** One field of the form: how it is asked, and what an answer means; undefined where it means nothing. */
interface Field {
  readonly name: string
  readonly isRequired: boolean
  readonly question: Choice
  readonly read: (said: string) => Given | undefined
}

const mostFields = 20
const mostChoices = 50
const longestMessage = 2_000
const longestWords = 300
const leaveOut = "Leave it out"
const yes = "Yes"
const longestHeader = 12

export async function elicit(
  server: string,
  ask: ElicitAsk,
  { ask: put, canAsk, warn }: Pick<McpPorts, "ask" | "canAsk" | "warn">,
  signal: AbortSignal,
): Promise<ElicitAnswer> {
  if (!canAsk) return { action: "cancel" }
  const callId = `mcp:${server}`
  if (ask.url !== undefined || !hasFields(ask)) {
    const answer = await put({ kind: "choice", callId, questions: [consentQuestion(server, ask)] }, signal)
    if (answer.kind !== "choices") return declined(answer)
    return Object.values(answer.answers).includes(yes) ? { action: "accept", content: {} } : { action: "decline" }
  }
  const fields = fieldsOf(server, ask)
  if (fields === undefined) {
    warn(
      `The MCP server ${server} wanted to ask something that cannot be asked here: ${short(ask.message, longestWords)}`,
    )
    return { action: "decline" }
  }
  const answer = await put({ kind: "choice", callId, questions: fields.map(({ question }) => question) }, signal)
  if (answer.kind !== "choices") return declined(answer)
  const content = new Map<string, Given>()
  for (const { name, isRequired, question, read } of fields) {
    const said = answer.answers[question.question]
    const value = said === undefined || (!isRequired && said === leaveOut) ? undefined : read(said)
    if (value !== undefined) content.set(name, value)
    else if (isRequired || (said !== undefined && said !== leaveOut)) {
      warn(`${server} was told nothing, because ${JSON.stringify(said ?? "")} is no answer to: ${question.question}`)
      return { action: "cancel" }
    }
  }
  return { action: "accept", content: Object.fromEntries(content) }
}

const declined = ({ kind }: Answer): ElicitAnswer => ({ action: kind === "deny" ? "decline" : "cancel" })

const hasFields = ({ schema }: ElicitAsk): boolean =>
  isObject(schema?.properties) && Object.keys(schema.properties).length > 0

/** An address to be opened, or a form without fields: both only want a yes. */
const consentQuestion = (server: string, { message, url }: ElicitAsk): Choice => ({
  header: header(server),
  question:
    url === undefined
      ? `The MCP server ${server} asks: ${short(message, longestMessage)}`
      : `The MCP server ${server} wants you to open ${short(url, longestMessage)} in a browser. ${short(message, longestMessage)}`.trim(),
  options: [
    { label: yes, description: url === undefined ? "The server is told so." : "I have opened it; the server goes on." },
    { label: "No", description: "The server is told so." },
  ],
  multiSelect: false,
})

/** The fields of the form; undefined where one cannot be asked for. */
function fieldsOf(server: string, { message, schema }: ElicitAsk): readonly Field[] | undefined {
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
    },
  }
}

interface Labelled {
  readonly label: string
  readonly value: string
}

/** Values to choose from, however they are written. */
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

const usualAnswers = ({ type, default: usual }: JsonObject): Choice["options"] => {
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
