/** A request as the simulator reads it: the body as sent, and the few things that replies are chosen by. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"

/** One message of the conversation. */
export interface SimMessage {
  readonly role: string
  /** Always blocks: plain text becomes one. */
  readonly content: readonly JsonObject[]
}

/** A request to `/v1/messages`, decoded. */
export interface SimRequest {
  readonly model: string
  readonly maxTokens: number
  readonly stream: boolean
  readonly thinks: boolean
  /** The system prompt as one text. */
  readonly system: string
  readonly tools: readonly string[]
  readonly messages: readonly SimMessage[]
  readonly body: JsonObject
}

/** Reads what is there and takes no offence at what is not: refusing is the business of strict checking. */
export function decodeRequest(body: JsonObject): SimRequest {
  return {
    model: textIn(body.model),
    maxTokens: typeof body.max_tokens === "number" ? body.max_tokens : 0,
    stream: body.stream === true,
    thinks: isObject(body.thinking) && body.thinking.type !== "disabled",
    system: blocksIn(body.system).map(textOfBlock).join("\n\n"),
    tools: listIn(body.tools).flatMap((tool) => (isObject(tool) && typeof tool.name === "string" ? [tool.name] : [])),
    messages: listIn(body.messages).map((message) => {
      const { role, content } = isObject(message) ? message : {}
      return { role: textIn(role), content: blocksIn(content) }
    }),
    body,
  }
}

/** What a person wrote in the last message; empty when it only brings results. */
export function lastUserText(request: SimRequest): string {
  const last = request.messages.at(-1)
  if (last?.role !== "user") return ""
  return last.content.map(textOfBlock).filter(Boolean).join("\n")
}

/** The results in the last message, joined; undefined when there are none. */
export function lastToolResult(request: SimRequest): string | undefined {
  const results = request.messages.at(-1)?.content.filter(({ type }) => type === "tool_result") ?? []
  return results.length === 0 ? undefined : results.map((result) => resultText(result.content)).join("\n")
}

/** The plain text of a result's content. */
export function resultText(content: JsonValue | undefined): string {
  return blocksIn(content).map(textOfBlock).filter(Boolean).join("\n")
}

/** The ids of all calls in the conversation, in order. */
export function callIds(request: SimRequest): readonly string[] {
  return request.messages.flatMap(({ content }) =>
    content.flatMap(({ type, id }) => (type === "tool_use" && typeof id === "string" ? [id] : [])),
  )
}

/** A list, or nothing where there is none. */
export const listIn = (value: JsonValue | undefined): readonly JsonValue[] => (isList(value) ? value : [])

/** Content as blocks: plain text becomes one block, what is no block is left out. */
export function blocksIn(value: JsonValue | undefined): readonly JsonObject[] {
  if (typeof value === "string") return value === "" ? [] : [{ type: "text", text: value }]
  return listIn(value).filter(isObject)
}

/** Whether a JSON value is a list. */
export const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value)

const textIn = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "")

const textOfBlock = ({ type, text }: JsonObject): string => (type === "text" ? textIn(text) : "")
