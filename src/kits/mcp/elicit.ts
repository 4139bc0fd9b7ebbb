/** A server's questions to the user. What cannot be asked is declined, and nothing it did not ask for is sent. */

import { asChoices, contentProblem, type ElicitationAsk, fromChoices } from "#agent/words/elicitation.ts"
import { type Answer, ownCall } from "#agent/words/question.ts"
import type { ElicitAnswer, ElicitAsk } from "#ground/mcp/connection.ts"
import { optional } from "#lib/optional.ts"
import type { JsonObject, JsonValue } from "#lib/json.ts"
import { plainText } from "#lib/plain-text.ts"
import type { McpPorts } from "./ports.ts"

const longestMessage = 2_000
const longestSchema = 50_000
const longestWarned = 300

/** `callId` is the call during which it asks, if only one is running. */
export async function elicit(
  { server, callId = ownCall(`mcp ${server}`) }: { readonly server: string; readonly callId?: string | undefined },
  { message, schema, url, id, shown, round }: ElicitAsk,
  { ask, canElicit, warn }: Pick<McpPorts, "ask" | "canElicit" | "warn">,
  signal: AbortSignal,
): Promise<ElicitAnswer> {
  if (!canElicit) return { action: "cancel" }
  const question: ElicitationAsk = {
    kind: "elicitation",
    callId,
    server,
    message: short(message, longestMessage),
    ...optional("schema", schema),
    ...optional("url", url),
    ...optional("elicitationId", id),
    ...optional("round", round),
    ...optional("shown", shown && shownWords(shown)),
  }
  if (!asChoices(question) || JSON.stringify(schema ?? {}).length > longestSchema) {
    warn(`The MCP server ${server} wanted to ask something that cannot be asked here: ${short(message, longestWarned)}`)
    return { action: "decline" }
  }
  const elicited = meantBy(await ask(question, signal), question)
  if (typeof elicited !== "string") return elicited
  warn(`${server} was told nothing, because ${elicited}`)
  return { action: "cancel" }
}

function meantBy(answer: Answer, question: ElicitationAsk): ElicitAnswer | string {
  switch (answer.kind) {
    case "choices": {
      const meant = fromChoices(question, answer.answers)
      return meant.ok ? meantBy(meant.value, question) : meant.failure
    }
    case "elicited": {
      if (answer.action !== "accept") return { action: answer.action }
      const { content = {} } = answer
      const wrong = contentProblem(question, content)
      return wrong ?? { action: "accept", content: content as (ElicitAnswer & { action: "accept" })["content"] }
    }
    case "deny":
      return { action: "decline" }
    case "allow":
    case "approve":
    case "unanswered":
      return { action: "cancel" }
  }
}

/** The server's own words for the dialog, each on one line. */
function shownWords({ title, displayName, description }: JsonObject): ElicitationAsk["shown"] {
  const line = (value: JsonValue | undefined): string | undefined =>
    typeof value === "string" ? short(plainText(value), longestWarned) : undefined
  return {
    ...optional("title", line(title)),
    ...optional("displayName", line(displayName)),
    ...optional("description", line(description)),
  }
}

const short = (words: string, most: number): string =>
  words.length <= most ? words : `${words.slice(0, most).toWellFormed()} […]`
