/** The Messages API's wire format: a message as server-sent events, or as one JSON object. */

import type { JsonObject, JsonValue } from "#lib/json.ts"
import { errorAnswer } from "./answer.ts"
import { decodeRequest } from "./request.ts"
import { citationOf } from "./search.ts"
import { slices, type Spoken, type SpokenBlock, type StreamPiece, tokensIn, words } from "./spoken.ts"
import { checkBody, checkHeaders } from "./strict.ts"
import type { SimWire } from "./wire.ts"

/** With a ping where the API sends its first. */
export function encodeStream(spoken: Spoken): readonly StreamPiece[] {
  const pieces: StreamPiece[] = [
    piece("message_start", JSON.stringify({ type: "message_start", message: envelope(spoken, "start") })),
  ]
  for (const [index, block] of spoken.content.entries()) {
    const at = (event: string, data: string, tokens = 0): void => {
      pieces.push({ ...piece(event, data, tokens), block: block.type })
    }
    const start = JSON.stringify({ type: "content_block_start", index, content_block: opened(block) })
    at("content_block_start", start)
    if (index === 0) pieces.push(pingPiece)
    for (const [kind, field, parts] of deltasOf(block)) {
      // Only the words differ from delta to delta, so the rest is written once.
      const head = `{"type":"content_block_delta","index":${index},"delta":{"type":"${kind}","${field}":`
      for (const part of parts) at("content_block_delta", `${head}${JSON.stringify(part)}}}`, tokensIn(part))
    }
    at("content_block_stop", `{"type":"content_block_stop","index":${index}}`)
  }
  const { stop_reason, stop_sequence, stop_details, container, usage } = envelope(spoken, "end")
  const delta = { stop_reason, stop_sequence, stop_details, container }
  pieces.push(
    piece("message_delta", JSON.stringify({ type: "message_delta", delta, usage })),
    piece("message_stop", `{"type":"message_stop"}`),
  )
  return pieces
}

export function encodeWhole(spoken: Spoken): JsonObject {
  return { ...envelope(spoken, "end"), content: spoken.content.map(closed) }
}

const errorPiece = (type: string, message: string): StreamPiece =>
  piece("error", JSON.stringify({ type: "error", error: { type, message } }))

const piece = (event: string, data: string, tokens = 0): StreamPiece => ({
  event,
  bytes: `event: ${event}\ndata: ${data}\n\n`,
  tokens,
})

const pingPiece: StreamPiece = piece("ping", `{"type":"ping"}`)

function envelope(spoken: Spoken, moment: "start" | "end"): JsonObject {
  const { id, model, stopReason, written1h } = spoken
  const { web_search_requests: searches, ...usage } = spoken.usage
  const started = moment === "start"
  return {
    id,
    type: "message",
    role: "assistant",
    model,
    content: [],
    stop_reason: started ? null : stopReason,
    stop_sequence: null,
    stop_details: !started && stopReason === "refusal" ? refusalDetails : null,
    container: null,
    diagnostics: null,
    usage: {
      ...usage,
      output_tokens: started ? 1 : usage.output_tokens,
      cache_creation: {
        ephemeral_5m_input_tokens: usage.cache_creation_input_tokens - written1h,
        ephemeral_1h_input_tokens: written1h,
      },
      output_tokens_details: null,
      server_tool_use: searches && !started ? { web_search_requests: searches, web_fetch_requests: 0 } : null,
      service_tier: "standard",
      inference_geo: null,
      speed: null,
    },
  }
}

const refusalDetails: JsonObject = { type: "refusal", category: null, explanation: null }

/** A block as in its start event: still empty. */
function opened(block: SpokenBlock): JsonObject {
  switch (block.type) {
    case "text":
      return block.cites ? { type: "text", text: "", citations: [] } : { type: "text", text: "" }
    case "thinking":
      return { type: "thinking", thinking: "", signature: "" }
    case "tool_use":
    case "server_tool_use":
      return { ...closed(block), input: {} }
    case "web_search_tool_result":
      return closed(block)
  }
}

function closed(block: SpokenBlock): JsonObject {
  if (block.type === "text")
    return { type: "text", text: block.text, ...(block.cites && { citations: block.cites.map(citationOf) }) }
  if (block.type === "thinking") return block
  if (block.type !== "tool_use") return { ...block, caller: { type: "direct" } }
  const { id, name, input, cutJson } = block
  return { type: "tool_use", id, name, input: cutJson === undefined ? input : {}, caller: { type: "direct" } }
}

type Deltas = readonly [kind: string, field: string, parts: readonly JsonValue[]]

function deltasOf(block: SpokenBlock): readonly Deltas[] {
  switch (block.type) {
    case "text":
      return [
        ["text_delta", "text", block.inOneDelta ? [block.text] : words(block.text)],
        ["citations_delta", "citation", (block.cites ?? []).map(citationOf)],
      ]
    case "thinking":
      return [
        ["thinking_delta", "thinking", words(block.thinking)],
        ["signature_delta", "signature", [block.signature]],
      ]
    case "tool_use":
      // The API opens a call's input with an empty delta.
      return [["input_json_delta", "partial_json", ["", ...slices(block.cutJson ?? JSON.stringify(block.input))]]]
    case "server_tool_use":
      return [["input_json_delta", "partial_json", ["", ...slices(JSON.stringify(block.input))]]]
    case "web_search_tool_result":
      // It comes whole in its start event.
      return []
  }
}

export const messagesWire: SimWire = {
  checkHeaders,
  decode: decodeRequest,
  checkBody,
  stream: encodeStream,
  whole: encodeWhole,
  error: errorAnswer,
  odd: {
    ping: pingPiece,
    malformed: piece("content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"ty`),
    unknown: piece("weather_report", `{"type":"weather_report","sky":"clear"}`),
    error: errorPiece,
  },
}
