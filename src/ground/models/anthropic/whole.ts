/** An answer in one piece, as the events it would have streamed. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"

/** As far as the text is a message. An error stays the error it is. */
export function eventsOf(text: string): readonly JsonObject[] {
  const answer = parse(text)
  if (!isObject(answer)) return []
  if (answer.type === "error") return [answer]
  const content: readonly JsonValue[] = Array.isArray(answer.content) ? answer.content : []
  return [
    { type: "message_start", message: answer },
    ...content.flatMap((block, index) => blockEvents(isObject(block) ? block : {}, index)),
    { type: "message_delta", delta: { stop_reason: answer.stop_reason ?? null }, usage: answer.usage ?? null },
    { type: "message_stop" },
  ]
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function blockEvents(block: JsonObject, index: number): JsonObject[] {
  return [
    { type: "content_block_start", index, content_block: { ...block, ...emptied(block) } },
    ...deltas(block).map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ]
}

function emptied(block: JsonObject): JsonObject {
  switch (block.type) {
    case "text":
      return { text: "" }
    case "thinking":
      return { thinking: "", signature: "" }
    case "tool_use":
      return { input: {} }
    default:
      return {}
  }
}

function deltas(block: JsonObject): JsonObject[] {
  switch (block.type) {
    case "text":
      return [
        { type: "text_delta", text: block.text ?? null },
        ...(Array.isArray(block.citations) ? block.citations : []).map((citation: JsonValue) => ({
          type: "citations_delta",
          citation,
        })),
      ]
    case "thinking":
      return [
        { type: "thinking_delta", thinking: block.thinking ?? null },
        { type: "signature_delta", signature: block.signature ?? "" },
      ]
    case "tool_use":
      return [{ type: "input_json_delta", partial_json: JSON.stringify(block.input ?? {}) }]
    default:
      return []
  }
}
