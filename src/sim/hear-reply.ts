/** Reads an answer of the Messages API, streamed or whole, back into what a scenario would say. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import type { ScenarioBlock, ScenarioReply } from "./scenario.ts"

/** Nothing when the text is no answer. */
export function hearReply(text: string): ScenarioReply | undefined {
  const whole = parsed(text)
  return whole ? (whole.type === "message" ? replyOf(whole) : undefined) : heardStream(text)
}

function heardStream(text: string): ScenarioReply | undefined {
  const blocks: { [field: string]: JsonValue }[] = []
  const inputs = new Map<number, string>()
  let message: { [field: string]: JsonValue } | undefined
  for (const line of text.split("\n")) {
    const event = line.startsWith("data:") ? parsed(line.slice(5)) : undefined
    if (!event) continue
    const index = typeof event.index === "number" ? event.index : 0
    const block = blocks[index]
    if (event.type === "message_start" && isObject(event.message)) message = { ...event.message }
    if (event.type === "content_block_start" && isObject(event.content_block))
      blocks[index] = { ...event.content_block }
    if (event.type === "content_block_delta" && isObject(event.delta) && block) grow(block, event.delta, index, inputs)
    if (event.type === "message_delta" && message && isObject(event.delta)) {
      message.stop_reason = event.delta.stop_reason ?? null
      if (isObject(event.usage)) message.usage = { ...(isObject(message.usage) ? message.usage : {}), ...event.usage }
    }
  }
  if (!message) return undefined
  for (const [index, json] of inputs) {
    const block = blocks[index]
    if (block) block.input = parsed(json) ?? {}
  }
  return replyOf({ ...message, content: blocks.filter((block) => block !== undefined) })
}

function grow(
  block: { [field: string]: JsonValue },
  delta: JsonObject,
  index: number,
  inputs: Map<number, string>,
): void {
  const add = (field: string, more: JsonValue | undefined): void => {
    if (typeof more === "string") block[field] = `${typeof block[field] === "string" ? block[field] : ""}${more}`
  }
  add("text", delta.text)
  add("thinking", delta.thinking)
  add("signature", delta.signature)
  if (typeof delta.partial_json === "string") inputs.set(index, (inputs.get(index) ?? "") + delta.partial_json)
}

function replyOf({ content, stop_reason, usage }: JsonObject): ScenarioReply {
  const blocks = Array.isArray(content) ? content.flatMap(blockOf) : []
  return {
    content: blocks,
    ...(typeof stop_reason === "string" && { stopReason: stop_reason }),
    ...(isObject(usage) && { usage: numbersIn(usage) }),
  }
}

function blockOf(block: JsonValue): ScenarioBlock[] {
  if (!isObject(block)) return []
  const { type, text, thinking, signature, name, input, id } = block
  if (type === "text" && typeof text === "string") return text === "" ? [] : [{ text }]
  if (type === "thinking" && typeof thinking === "string")
    return [{ thinking, ...(typeof signature === "string" && signature !== "" && { signature }) }]
  if (type === "tool_use" && typeof name === "string")
    return [{ tool: name, input: isObject(input) ? input : {}, ...(typeof id === "string" && { id }) }]
  return []
}

const counted = ["input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"] as const

const numbersIn = (usage: JsonObject): NonNullable<ScenarioReply["usage"]> =>
  Object.fromEntries(counted.flatMap((name) => (typeof usage[name] === "number" ? [[name, usage[name]]] : [])))

function parsed(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
