/**
 * Blocks from a log, validated: an incomplete one must not reach the conversation, or every later request would be
 * refused.
 */

import type { AssistantBlock, Author, Message, PromptBlock, ResultContent, UserBlock } from "#agent/words/message.ts"
import { noUsage, type Usage } from "#agent/words/model.ts"
import { optional } from "#lib/optional.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"

/** The valid blocks of a prompt; undefined when there are none. */
export function promptBlocks(content: JsonValue | undefined): readonly PromptBlock[] | undefined {
  if (typeof content === "string") return [{ type: "text", text: content }]
  const kept = blocksIn(content).filter(isPromptBlock)
  return kept.length === 0 ? undefined : (kept as unknown as readonly PromptBlock[])
}

/** Leaves out what is invalid. */
export function resultContent(content: JsonValue | undefined): ResultContent {
  if (typeof content === "string") return content
  return blocksIn(content).filter((block) => isPromptBlock(block) || isReference(block)) as unknown as ResultContent
}

/** Undefined when it is of an unknown kind or lacks a field. */
export function assistantBlock(value: JsonValue | undefined): AssistantBlock | undefined {
  if (!isObject(value)) return undefined
  const fields = assistantFields.get(value.type)
  const whole = fields?.every((field) => typeof value[field] === "string")
  if (!whole || (value.type === "tool_use" && !isObject(value.input))) return undefined
  const { signature, data, proof, ...block } = value
  const proved = isProof(proof) ? proof : oldProof(signature ?? data)
  if (value.type === "redacted_thinking" && !proved) return undefined
  return { ...block, ...(proved && { proof: proved }) } as unknown as AssistantBlock
}

const isProof = (value: JsonValue | undefined): value is JsonObject =>
  isObject(value) && typeof value.by === "string" && value.value !== undefined

/** Older logs know one provider, and store its proof under that provider's name for it. */
const oldProof = (value: JsonValue | undefined): JsonObject | undefined =>
  typeof value === "string" && value !== "" ? { by: "anthropic", value } : undefined

/** Leaves out invalid parts, and messages without any valid one. */
export function messagesIn(value: JsonValue | undefined): readonly Message[] {
  return blocksIn(value).flatMap(({ role, content, by }): Message[] => {
    const blocks: readonly JsonValue[] = Array.isArray(content) ? content : []
    if (role === "assistant") {
      const whole = blocks.flatMap((block) => assistantBlock(block) ?? [])
      return whole.length === 0 ? [] : [{ role, content: whole, ...optional("by", authorIn(by)) }]
    }
    const whole = blocks.flatMap((block) => userBlock(block) ?? [])
    return role !== "user" || whole.length === 0 ? [] : [{ role, content: whole }]
  })
}

function authorIn(by: JsonValue | undefined): Author | undefined {
  if (!isObject(by) || typeof by.model !== "string" || typeof by.provider !== "string") return undefined
  return { model: by.model, provider: by.provider }
}

function userBlock(block: JsonValue): UserBlock | undefined {
  if (!isObject(block)) return undefined
  if (block.type !== "tool_result") return isPromptBlock(block) ? (block as unknown as UserBlock) : undefined
  const { tool_use_id: id, content, is_error: isError } = block
  if (typeof id !== "string") return undefined
  return {
    type: "tool_result",
    tool_use_id: id,
    content: resultContent(content),
    ...(isError === true && { is_error: true }),
  }
}

/** 0 for what is not a number. */
export function usageIn(value: JsonValue | undefined): Usage {
  if (!isObject(value)) return noUsage
  const searches = count(value.web_search_requests)
  return {
    input_tokens: count(value.input_tokens),
    output_tokens: count(value.output_tokens),
    cache_creation_input_tokens: count(value.cache_creation_input_tokens),
    cache_read_input_tokens: count(value.cache_read_input_tokens),
    ...(searches > 0 && { web_search_requests: searches }),
  }
}

const count = (value: JsonValue | undefined): number => (typeof value === "number" ? value : 0)

const assistantFields: ReadonlyMap<JsonValue | undefined, readonly string[]> = new Map([
  ["text", ["text"]],
  ["thinking", ["thinking"]],
  ["redacted_thinking", []],
  ["tool_use", ["id", "name"]],
])

const blocksIn = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : []

const isReference = ({ type, tool_name: name }: JsonObject): boolean =>
  type === "tool_reference" && typeof name === "string" && name !== ""

function isPromptBlock({ type, text, source }: JsonObject): boolean {
  if (type === "text") return typeof text === "string"
  if (type !== "image" && type !== "document") return false
  if (!isObject(source)) return false
  if (source.type === "url") return typeof source.url === "string"
  return source.type === "base64" && typeof source.media_type === "string" && typeof source.data === "string"
}
