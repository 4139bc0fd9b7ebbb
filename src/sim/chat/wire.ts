/** Chat Completions as the simulator serves them: chunks, or one object. */

import type { StopReason } from "#agent/words/model.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { jsonAnswer } from "#sim/answer.ts"
import { slices, type Spoken, type SpokenBlock, type StreamPiece, tokensIn, words } from "#sim/spoken.ts"
import type { SimRequest } from "#sim/request.ts"
import type { SimWire } from "#sim/wire.ts"
import { decodeChat } from "./request.ts"
import { checkChat, checkChatHeaders } from "./strict.ts"

/** A time that does not change, so that answers can be compared. */
const created = 1_790_000_000

export const chatWire: SimWire = {
  checkHeaders: checkChatHeaders,
  decode: decodeChat,
  checkBody: checkChat,
  stream: chunks,
  whole: completion,
  error({ status, type, message, headers }, _requestId) {
    const code = message.startsWith("prompt is too long") ? "context_length_exceeded" : null
    return jsonAnswer(status, { error: { message, type, param: null, code } }, headers)
  },
  odd: {
    ping: { event: "ping", bytes: ": waiting\n\n", tokens: 0 },
    malformed: { event: "content_block_delta", bytes: `data: {"id":"x","choices":[{"delta":{"con\n\n`, tokens: 0 },
    unknown: { event: "weather_report", bytes: `data: {"object":"weather.report","sky":"clear"}\n\n`, tokens: 0 },
    error: (type, message) => ({
      event: "error",
      bytes: `data: ${JSON.stringify({ error: { message, type, code: type === "overloaded_error" ? 529 : 500 } })}\n\n`,
      tokens: 0,
    }),
  },
}

function chunks(spoken: Spoken, request: SimRequest): readonly StreamPiece[] {
  const head = { id: spoken.id, object: "chat.completion.chunk", created, model: spoken.model }
  const chunk = (delta: JsonObject, finish: string | null = null): string =>
    `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] })}\n\n`
  const pieces: StreamPiece[] = [
    { event: "message_start", bytes: chunk({ role: "assistant", content: "", refusal: null }), tokens: 0 },
  ]
  let calls = 0
  for (const block of spoken.content) {
    const at = (event: string, delta: JsonObject, tokens = 0): void => {
      pieces.push({ event, bytes: chunk(delta), tokens, block: block.type })
    }
    for (const delta of deltasOf(block, calls)) at(delta.event, delta.value, delta.tokens)
    if (block.type === "tool_use") calls++
    // A block has no end of its own on this wire; faults cut here.
    pieces.push({ event: "content_block_stop", bytes: ": \n\n", tokens: 0, block: block.type })
  }
  pieces.push({ event: "message_delta", bytes: chunk({}, finishOf(spoken.stopReason)), tokens: 0 })
  const { stream_options: options } = request.sent ?? {}
  if (isObject(options) && options.include_usage === true)
    pieces.push({
      event: "usage",
      bytes: `data: ${JSON.stringify({ ...head, choices: [], usage: usageOf(spoken) })}\n\n`,
      tokens: 0,
    })
  pieces.push({ event: "message_stop", bytes: "data: [DONE]\n\n", tokens: 0 })
  return pieces
}

/** Longer ones are refused when they come back. */
const callId = ({ id }: { readonly id: string }): string => id.slice(0, 40)

interface ChatDelta {
  readonly event: string
  readonly value: JsonObject
  readonly tokens?: number
}

function deltasOf(block: SpokenBlock, index: number): readonly ChatDelta[] {
  const event = "content_block_delta"
  switch (block.type) {
    case "text":
      return (block.inOneDelta ? [block.text] : words(block.text)).map((content) => ({
        event,
        value: { content },
        tokens: tokensIn(content),
      }))
    case "thinking":
      return words(block.thinking).map((piece) => ({
        event,
        value: { reasoning_content: piece },
        tokens: tokensIn(piece),
      }))
    case "tool_use": {
      const { name } = block
      const start = { index, id: callId(block), type: "function", function: { name, arguments: "" } }
      return [
        { event: "content_block_start", value: { tool_calls: [start] } },
        ...slices(block.cutJson ?? JSON.stringify(block.input)).map((piece) => ({
          event,
          value: { tool_calls: [{ index, function: { arguments: piece } }] },
          tokens: tokensIn(piece),
        })),
      ]
    }
    default:
      return []
  }
}

function completion(spoken: Spoken): JsonObject {
  const { content } = spoken
  const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("")
  const reasoning = content.flatMap((block) => (block.type === "thinking" ? [block.thinking] : [])).join("")
  const calls = content.flatMap((block) =>
    block.type === "tool_use"
      ? [
          {
            id: callId(block),
            type: "function",
            function: { name: block.name, arguments: block.cutJson ?? JSON.stringify(block.input) },
          },
        ]
      : [],
  )
  const message = {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    refusal: null,
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
  return {
    id: spoken.id,
    object: "chat.completion",
    created,
    model: spoken.model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishOf(spoken.stopReason) }],
    usage: usageOf(spoken),
  }
}

function usageOf({ usage }: Spoken): JsonObject {
  const prompt = usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.output_tokens,
    total_tokens: prompt + usage.output_tokens,
    prompt_tokens_details: {
      cached_tokens: usage.cache_read_input_tokens,
      ...(usage.cache_creation_input_tokens > 0 && { cache_write_tokens: usage.cache_creation_input_tokens }),
    },
  }
}

function finishOf(reason: StopReason): string {
  switch (reason) {
    case "tool_use":
      return "tool_calls"
    case "max_tokens":
    case "model_context_window_exceeded":
      return "length"
    case "refusal":
      return "content_filter"
    default:
      return "stop"
  }
}
