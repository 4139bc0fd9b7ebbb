/** Decodes an answer of the Responses API, streamed or whole. Unknown events are ignored; untrustworthy ones break the answer. */

import { noUsage, type Request, type StopReason, type Usage } from "#agent/words/model.ts"
import type { AdmittedIds } from "#ground/models/admitted-ids.ts"
import { openAnswerBlocks } from "#ground/models/answer-blocks.ts"
import type { AnswerEvent } from "#ground/models/attempt.ts"
import { type Decoder, end, garbled, more, type DecodeStatus } from "#ground/models/format.ts"
import { isObject, type JsonObject, type JsonValue, objectIn } from "#lib/json.ts"
import { errorIn } from "./errors.ts"
import { openOutputItems, type OutputItems } from "./output-items.ts"

export interface ResponsesDecoderParts {
  readonly by: string
  readonly toolIds: AdmittedIds
  readonly messageIds: AdmittedIds
}

export function openResponsesDecoder(
  { by, toolIds, messageIds }: ResponsesDecoderParts,
  { model }: Pick<Request, "model">,
): Decoder {
  const blocks = openAnswerBlocks(toolIds)
  const output = openOutputItems(blocks, by)

  function begin(response: JsonObject): void {
    if (blocks.hasBegun()) return
    blocks.begin({
      type: "message_start",
      id: messageIds.admit(response.id),
      model: typeof response.model === "string" && response.model !== "" ? response.model : model,
      usage: noUsage,
    })
  }

  /** The end is said by an event of its own; what did not stream is in it. */
  function close(response: JsonObject, out: AnswerEvent[]): DecodeStatus {
    begin(response)
    if (!output.hasItems() && Array.isArray(response.output)) {
      const wrong = output.whole(response.output, out)
      if (wrong !== undefined) return garbled(wrong)
    }
    blocks.end(out)
    const stopReason = stopReasonOf(response, output)
    out.push({ type: "message_delta", stopReason, usage: usageIn(response.usage) }, { type: "message_stop" })
    return end
  }

  function understand(event: JsonObject, out: AnswerEvent[]): DecodeStatus {
    const response = isObject(event.response) ? event.response : undefined
    switch (event.type) {
      case "response.output_text.delta":
        return spoiled(output.piece("text", event, out))
      case "response.function_call_arguments.delta":
        return spoiled(output.piece("input", event, out))
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        return spoiled(output.piece("thought", event, out))
      case "response.refusal.delta":
        return spoiled(output.piece("refusal", event, out))
      case "response.output_item.added":
        return spoiled(output.added(event, out))
      case "response.output_item.done":
        return spoiled(output.done(event, out))
      case "response.created":
      case "response.in_progress":
        if (response) begin(response)
        return response ? more : garbled("its beginning lacks a response")
      case "response.completed":
      case "response.incomplete":
        return response ? close(response, out) : garbled("its end lacks a response")
      case "response.failed":
        return errorIn(response?.error)
      case "error":
        // The event is the error itself, or has it.
        return errorIn(isObject(event.error) ? event.error : { ...event, type: null })
      default:
        return typeof event.type === "string" ? more : garbled("an event has no type")
    }
  }

  return {
    decodeEvent(name, data, out) {
      if (data === "" || data === "[DONE]" || (name !== null && !knownNames.has(name))) return more
      const event = objectIn(data)
      return event ? understand(event, out) : garbled("it contains malformed JSON")
    },
    decodeWhole(text, out) {
      const response = objectIn(text)
      if (!response) return more
      if (isObject(response.error)) return errorIn(response.error)
      return response.status === "completed" || response.status === "incomplete" ? close(response, out) : more
    },
  }
}

const knownNames: ReadonlySet<string> = new Set([
  "response.created",
  "response.in_progress",
  "response.output_item.added",
  "response.output_text.delta",
  "response.refusal.delta",
  "response.reasoning_summary_text.delta",
  "response.reasoning_text.delta",
  "response.function_call_arguments.delta",
  "response.output_item.done",
  "response.completed",
  "response.incomplete",
  "response.failed",
  "error",
  "message",
])

const spoiled = (why: string | undefined): DecodeStatus => (why === undefined ? more : garbled(why))

function stopReasonOf({ status, incomplete_details }: JsonObject, output: OutputItems): StopReason {
  if (status !== "incomplete") return output.hasCalls() ? "tool_use" : output.isRefusal() ? "refusal" : "end_turn"
  const reason = isObject(incomplete_details) ? incomplete_details.reason : undefined
  if (reason === "content_filter") return "refusal"
  return typeof reason === "string" && reason !== "max_output_tokens" ? reason : "max_tokens"
}

/** The counts of this format overlap: what was read from the cache, or written to it, is part of the input. */
function usageIn(usage: JsonValue | undefined): Partial<Usage> {
  if (!isObject(usage)) return {}
  const details = isObject(usage.input_tokens_details) ? usage.input_tokens_details : {}
  const read = count(details.cached_tokens)
  const written = count(details.cache_write_tokens)
  return {
    input_tokens: Math.max(count(usage.input_tokens) - read - written, 0),
    output_tokens: count(usage.output_tokens),
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
  }
}

const count = (value: JsonValue | undefined): number =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : 0
