/** Parts of an answer as the raw stream events of the Messages API, for clients that show text as it comes. */

import type { AssistantBlock } from "#agent/words/message.ts"
import type { ModelEvent } from "#agent/words/model.ts"

/** Undefined for what is no event of an answer: retries, failures, searches. */
export function streamEvent(event: ModelEvent, messageId: string): object | undefined {
  switch (event.type) {
    case "message_start": {
      const { model, usage } = event
      const message = { id: messageId, type: "message", role: "assistant", model, content: [] }
      return { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null, usage } }
    }
    case "block_start":
      return { type: "content_block_start", index: event.index, content_block: emptied(event.block) }
    case "text_delta":
      return delta(event.index, { type: "text_delta", text: event.text })
    case "thinking_delta":
      return delta(event.index, { type: "thinking_delta", thinking: event.thinking })
    case "proof_delta": {
      const { value } = event.proof
      return typeof value === "string" ? delta(event.index, { type: "signature_delta", signature: value }) : undefined
    }
    case "input_delta":
      return delta(event.index, { type: "input_json_delta", partial_json: event.json })
    case "block_stop":
      return { type: "content_block_stop", index: event.index }
    case "message_delta":
      return {
        type: "message_delta",
        delta: { stop_reason: event.stopReason, stop_sequence: null },
        usage: event.usage,
      }
    case "message_stop":
      return { type: "message_stop" }
    default:
      return undefined
  }
}

const delta = (index: number, change: object): object => ({ type: "content_block_delta", index, delta: change })

function emptied(block: AssistantBlock): object {
  switch (block.type) {
    case "text":
      return { type: "text", text: "" }
    case "thinking":
      return { type: "thinking", thinking: "", signature: "" }
    case "redacted_thinking":
      return { type: "redacted_thinking", data: typeof block.proof.value === "string" ? block.proof.value : "" }
    case "tool_use":
      return { type: "tool_use", id: block.id, name: block.name, input: {} }
  }
}
