/** Answers what a server wants to know before it continues. The user is asked one thing after the other. */

import { pathToFileURL } from "node:url"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { optional } from "#lib/optional.ts"
import { plainText } from "#lib/plain-text.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { ElicitAnswer, ElicitAsk, McpFailure, McpHost } from "./connection.ts"

export interface InputAsker extends Pick<McpHost, "elicit" | "roots"> {
  /** The call that it is for, and which of its rounds. */
  readonly callId?: string
  readonly round?: string
}

/** Who asks more often before it answers does not mean to. */
export const mostRounds = 10

export const endlessRounds: McpFailure = {
  kind: "refused",
  message: `The server kept asking for more input, ${mostRounds} times.`,
}

/** The answers by the server's keys. What this client did not say it could answer ends the call. */
export async function answersTo(
  requests: JsonObject,
  { elicit, roots, callId, round }: InputAsker,
  signal: AbortSignal,
): Promise<Result<JsonObject, McpFailure>> {
  const answers: [string, JsonValue][] = []
  for (const [key, request] of Object.entries(requests)) {
    const method = isObject(request) ? request.method : undefined
    const params = isObject(request) && isObject(request.params) ? request.params : {}
    if (method === "elicitation/create") {
      const ask = {
        ...elicitAsk(params),
        ...optional("callId", callId),
        ...(round !== undefined && { round: `${round} ${key}` }),
      }
      answers.push([key, elicitResult(await elicit(ask, signal))])
    } else if (method === "roots/list") answers.push([key, { roots: rootsList(roots()) }])
    else return failed({ kind: "refused", message: unansweredWords(method) })
    if (signal.aborted) return failed({ kind: "aborted", message: "It was interrupted." })
  }
  return ok(Object.fromEntries(answers))
}

export function elicitAsk({ message, requestedSchema, url, elicitationId, _meta: meta }: JsonObject): ElicitAsk {
  const shown = isObject(meta) ? meta["anthropic/permissionDisplay"] : undefined
  return {
    message: typeof message === "string" ? message : "",
    ...(isObject(requestedSchema) && { schema: requestedSchema }),
    ...(typeof url === "string" && { url }),
    ...(typeof elicitationId === "string" && { id: plainText(elicitationId) }),
    ...(isObject(shown) && { shown }),
  }
}

export const rootsList = (folders: readonly string[]): { readonly uri: string; readonly name: string }[] =>
  folders.map((path) => ({ uri: pathToFileURL(path).href, name: path }))

const elicitResult = (answer: ElicitAnswer): JsonObject =>
  answer.action === "accept" ? { action: "accept", content: { ...answer.content } } : { action: answer.action }

const unansweredWords = (method: JsonValue | undefined): string =>
  `The server asked for ${typeof method === "string" ? plainText(method).slice(0, 100) : "something"}, which this client does not offer.`
