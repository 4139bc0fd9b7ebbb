/** A request as the simulator reads it: the raw body, and the few things that replies are chosen by. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"

export interface SimMessage {
  readonly role: string
  /** Always blocks: a plain string becomes one. */
  readonly content: readonly JsonObject[]
}

export interface SimRequest {
  readonly model: string
  readonly maxTokens: number
  readonly stream: boolean
  readonly thinks: boolean
  readonly system: string
  readonly tools: readonly string[]
  readonly messages: readonly SimMessage[]
  readonly body: JsonObject
  /** As it was sent, where that is another format. */
  readonly sent?: JsonObject
}

/** Lenient: rejecting bad requests is the job of strict checking. */
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

/** What the user wrote in the last message; empty if it only carries results. */
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

export function resultText(content: JsonValue | undefined): string {
  return blocksIn(content).map(textOfBlock).filter(Boolean).join("\n")
}

export function callIds(request: SimRequest): readonly string[] {
  return request.messages.flatMap(({ content }) =>
    content.flatMap(({ type, id }) => (type === "tool_use" && typeof id === "string" ? [id] : [])),
  )
}

/** Empty if it is not a list. */
export const listIn = (value: JsonValue | undefined): readonly JsonValue[] => (isList(value) ? value : [])

/** A plain string becomes one block; anything else that is not a block is left out. */
export function blocksIn(value: JsonValue | undefined): readonly JsonObject[] {
  if (typeof value === "string") return value === "" ? [] : [{ type: "text", text: value }]
  return listIn(value).filter(isObject)
}

export const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value)

const textIn = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "")

const textOfBlock = ({ type, text }: JsonObject): string => (type === "text" ? textIn(text) : "")

/** What one side says in a row is one message in the terms of Messages. */
export function joined(messages: readonly JsonObject[]): readonly JsonObject[] {
  const all: JsonObject[] = []
  for (const message of messages) {
    const last = all.at(-1)
    if (last && last.role === message.role)
      all[all.length - 1] = { ...last, content: [...listIn(last.content), ...listIn(message.content)] }
    else all.push(message)
  }
  return all
}
