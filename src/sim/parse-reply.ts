/** Decodes an answer of the Messages API, streamed or whole, back into scenario form. */

import type { AssistantBlock } from "#agent/words/message.ts"
import { type ModelEvent, noUsage, type Usage } from "#agent/words/model.ts"
import { openReply } from "#agent/words/reply.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import type { ScenarioBlock, ScenarioReply } from "./scenario.ts"

/** Undefined when the text is not an answer, or one that broke off before a call: the client will ask again. */
export function parseReply(text: string): ScenarioReply | undefined {
  const whole = parsed(text)
  if (!whole) return parseStream(text)
  if (whole.type !== "message") return undefined
  const { content, stop_reason, usage } = whole
  const blocks = Array.isArray(content) ? content.flatMap((block) => blockIn(block) ?? []) : []
  return scenarioReply(blocks, stop_reason, isObject(usage) ? usageIn(usage) : undefined)
}

function parseStream(text: string): ScenarioReply | undefined {
  const reply = openReply()
  for (const line of text.split("\n")) {
    const wire = line.startsWith("data:") ? parsed(line.slice(5)) : undefined
    const event = wire && eventIn(wire)
    if (event) reply.onEvent(event)
  }
  const isBroken = reply.failure() !== undefined && !reply.blocks().some(({ type }) => type === "tool_use")
  if (!reply.begun() || isBroken) return undefined
  return scenarioReply(reply.blocks(), reply.stopReason(), reply.usage())
}

function eventIn(wire: JsonObject): ModelEvent | undefined {
  const index = typeof wire.index === "number" ? wire.index : 0
  switch (wire.type) {
    case "message_start": {
      const { usage } = isObject(wire.message) ? wire.message : {}
      return { type: "message_start", id: "", model: "", usage: { ...noUsage, ...usageIn(usage) } }
    }
    case "content_block_start": {
      const block = blockIn(wire.content_block)
      return block && { type: "block_start", index, block }
    }
    case "content_block_delta":
      return isObject(wire.delta) ? pieceIn(wire.delta, index) : undefined
    case "content_block_stop":
      return { type: "block_stop", index }
    case "message_delta": {
      const { stop_reason } = isObject(wire.delta) ? wire.delta : {}
      if (typeof stop_reason !== "string") return undefined
      return { type: "message_delta", stopReason: stop_reason, usage: usageIn(wire.usage) }
    }
    case "message_stop":
      return { type: "message_stop" }
    default:
      return undefined
  }
}

function pieceIn({ text, thinking, signature, partial_json }: JsonObject, index: number): ModelEvent | undefined {
  if (typeof text === "string") return { type: "text_delta", index, text }
  if (typeof thinking === "string") return { type: "thinking_delta", index, thinking }
  if (typeof signature === "string") return { type: "proof_delta", index, proof: { by: "", value: signature } }
  return typeof partial_json === "string" ? { type: "input_delta", index, json: partial_json } : undefined
}

function blockIn(block: JsonValue | undefined): AssistantBlock | undefined {
  if (!isObject(block)) return undefined
  const { type, text, thinking, signature, name, input, id } = block
  if (type === "text" && typeof text === "string") return { type, text }
  if (type === "thinking" && typeof thinking === "string")
    return {
      type,
      thinking,
      ...(typeof signature === "string" && signature !== "" && { proof: { by: "", value: signature } }),
    }
  if (type === "tool_use" && typeof name === "string")
    return { type, id: typeof id === "string" ? id : "", name, input: isObject(input) ? input : {} }
  return undefined
}

function scenarioReply(
  blocks: readonly AssistantBlock[],
  stopReason: JsonValue | undefined,
  usage: Partial<Usage> | undefined,
): ScenarioReply {
  return {
    content: blocks.flatMap(scenarioBlock),
    ...(typeof stopReason === "string" && { stopReason }),
    ...(usage && { usage }),
  }
}

function scenarioBlock(block: AssistantBlock): ScenarioBlock[] {
  switch (block.type) {
    case "text":
      return block.text === "" ? [] : [{ text: block.text }]
    case "thinking": {
      const value = block.proof?.value
      return [{ thinking: block.thinking, ...(typeof value === "string" && value !== "" && { signature: value }) }]
    }
    case "tool_use":
      return [{ tool: block.name, input: block.input, ...(block.id !== "" && { id: block.id }) }]
    case "redacted_thinking":
      return []
  }
}

const counted = ["input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"] as const

function usageIn(usage: JsonValue | undefined): Partial<Usage> {
  const from = isObject(usage) ? usage : {}
  return Object.fromEntries(counted.flatMap((name) => (typeof from[name] === "number" ? [[name, from[name]]] : [])))
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
