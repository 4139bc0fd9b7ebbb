/** The questions of an approval: those the model asks, and the form of a server. */

import { asChoices } from "#agent/words/elicitation.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"

export interface AskedQuestion {
  readonly question: string
  readonly header: string
  readonly options: readonly { readonly label: string; readonly description: string }[]
  readonly isMultiple: boolean
}

export function askedIn(kind: "question" | "elicitation", server: string, input: JsonObject): readonly AskedQuestion[] {
  const questions = Array.isArray(input["questions"]) ? input["questions"] : undefined
  if (questions) return questions.flatMap(asked)
  if (kind === "question") return typeof input["question"] === "string" ? [plain(input["question"])] : []
  const choices = asChoices({
    kind: "elicitation",
    callId: "",
    server,
    message: textIn(input["message"]),
    ...(isObject(input["requestedSchema"]) && { schema: input["requestedSchema"] }),
    ...(typeof input["url"] === "string" && { url: input["url"] }),
  })
  return (choices?.questions ?? []).map(({ multiSelect, ...rest }) => ({ ...rest, isMultiple: multiSelect }))
}

const plain = (question: string): AskedQuestion => ({ question, header: "", options: [], isMultiple: false })

function asked(value: JsonValue): AskedQuestion[] {
  if (!isObject(value) || typeof value["question"] !== "string") return []
  const options = (Array.isArray(value["options"]) ? value["options"] : []).filter(isObject)
  return [
    {
      question: value["question"],
      header: textIn(value["header"]),
      options: options.map(({ label, description }) => ({ label: textIn(label), description: textIn(description) })),
      isMultiple: value["multiSelect"] === true,
    },
  ]
}

const textIn = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "")

/** What was chosen, with what was written; undefined if nothing was. */
export function answerText(chosen: readonly string[], written: string): string | undefined {
  const all = [...chosen, ...(written.trim() === "" ? [] : [written.trim()])]
  return all.length === 0 ? undefined : all.join(", ")
}
