/** Blocks as they stand in a log, checked: what is not whole must not reach the conversation, or no request would be taken again. */

import type { AssistantBlock, PromptBlock, ResultContent } from "#agent/words/message.ts"
import { noUsage, type Usage } from "#agent/words/model.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"

/** The blocks of a prompt that can be understood; nothing when there are none. */
export function promptBlocks(content: JsonValue | undefined): readonly PromptBlock[] | undefined {
  if (typeof content === "string") return [{ type: "text", text: content }]
  const kept = blocksIn(content).filter(isPromptBlock)
  return kept.length === 0 ? undefined : (kept as unknown as readonly PromptBlock[])
}

/** What a tool answered with; what cannot be understood of it is left out. */
export function resultContent(content: JsonValue | undefined): ResultContent {
  if (typeof content === "string") return content
  return blocksIn(content).filter(isPromptBlock) as unknown as ResultContent
}

/** One block of an answer, or nothing when it is of an unknown kind or lacks a field. */
export function assistantBlock(value: JsonValue | undefined): AssistantBlock | undefined {
  if (!isObject(value)) return undefined
  const fields = assistantFields.get(value.type)
  const whole = fields?.every((field) => typeof value[field] === "string")
  if (!whole || (value.type === "tool_use" && !isObject(value.input))) return undefined
  return value as unknown as AssistantBlock
}

/** What was used, with nothing for what is not a number. */
export function usageIn(value: JsonValue | undefined): Usage {
  if (!isObject(value)) return noUsage
  const count = (field: keyof Usage): number => (typeof value[field] === "number" ? value[field] : 0)
  return {
    input_tokens: count("input_tokens"),
    output_tokens: count("output_tokens"),
    cache_creation_input_tokens: count("cache_creation_input_tokens"),
    cache_read_input_tokens: count("cache_read_input_tokens"),
  }
}

const assistantFields: ReadonlyMap<JsonValue | undefined, readonly string[]> = new Map([
  ["text", ["text"]],
  ["thinking", ["thinking", "signature"]],
  ["redacted_thinking", ["data"]],
  ["tool_use", ["id", "name"]],
])

const blocksIn = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : []

function isPromptBlock({ type, text, source }: JsonObject): boolean {
  if (type === "text") return typeof text === "string"
  if (type !== "image" && type !== "document") return false
  return (
    isObject(source) &&
    source.type === "base64" &&
    typeof source.media_type === "string" &&
    typeof source.data === "string"
  )
}
