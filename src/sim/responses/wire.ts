/** The Responses API as the simulator serves it: events with their numbers, or one object. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { type ErrorAnswer, jsonAnswer } from "#sim/answer.ts"
import { checkChatHeaders } from "#sim/chat/strict.ts"
import { listIn, type SimRequest } from "#sim/request.ts"
import { slices, type Spoken, type SpokenBlock, type StreamPiece, tokensIn, words } from "#sim/spoken.ts"
import type { SimWire } from "#sim/wire.ts"
import { encrypt } from "./encrypted.ts"
import { decodeResponses } from "./request.ts"
import { checkResponses } from "./strict.ts"

/** A time that does not change, so that answers can be compared. */
const created = 1_790_000_000

export const responsesWire: SimWire = {
  checkHeaders: checkChatHeaders,
  decode: decodeResponses,
  checkBody: checkResponses,
  stream: events,
  whole: (spoken, request) => responseOf(spoken, request, itemsOf(spoken, request)),
  error: (error) => jsonAnswer(statusOf(error), { error: errorObject(error) }, error.headers),
  odd: {
    ping: { event: "ping", bytes: ": waiting\n\n", tokens: 0 },
    malformed: {
      event: "content_block_delta",
      bytes: `event: response.output_text.delta\ndata: {"type":"response.output_text.delta","del\n\n`,
      tokens: 0,
    },
    unknown: {
      event: "weather_report",
      bytes: `event: response.weather\ndata: {"type":"response.weather","sky":"clear"}\n\n`,
      tokens: 0,
    },
    error(type, message) {
      const { code, param } = errorObject({ status: 529, type, message })
      const data = JSON.stringify({ type: "error", code, message, param, sequence_number: 0 })
      return { event: "error", bytes: `event: error\ndata: ${data}\n\n`, tokens: 0 }
    },
  },
}

/** This provider has no status of its own for being overloaded. */
const statusOf = ({ status }: ErrorAnswer): number => (status === 529 ? 503 : status)

/** Faults are in the words of Messages; the codes of this provider differ. */
const codes: { readonly [type: string]: readonly [type: string, code: string] } = {
  rate_limit_error: ["requests", "rate_limit_exceeded"],
  api_error: ["server_error", "server_error"],
  overloaded_error: ["service_unavailable_error", "server_is_overloaded"],
  authentication_error: ["invalid_request_error", "invalid_api_key"],
}

function errorObject({ type, message, param, code }: ErrorAnswer): JsonObject {
  const [kind, usual] = codes[type] ?? [
    type,
    message.startsWith("prompt is too long") ? "context_length_exceeded" : null,
  ]
  const place = /^([a-z_]+(?:[.[\]\w]*)): /.exec(message)?.[1]
  return { message, type: kind, param: param ?? place ?? null, code: code ?? usual }
}

type Write = (type: string, event: string, fields: JsonObject, more?: Pick<StreamPiece, "block" | "tokens">) => void

function events(spoken: Spoken, request: SimRequest): readonly StreamPiece[] {
  const pieces: StreamPiece[] = []
  const write: Write = (type, event, fields, more = { tokens: 0 }) => {
    const data = JSON.stringify({ type, sequence_number: pieces.length, ...fields })
    pieces.push({ event, bytes: `event: ${type}\ndata: ${data}\n\n`, ...more })
  }
  const items = itemsOf(spoken, request)
  const response = responseOf(spoken, request, items)
  const begun = { ...response, status: "in_progress", output: [], usage: null, incomplete_details: null }
  write("response.created", "message_start", { response: begun })
  write("response.in_progress", "in_progress", { response: begun })
  for (const [output_index, { item, block }] of items.entries()) {
    const at: Write = (type, event, fields, more) =>
      write(type, event, { output_index, ...fields }, { tokens: 0, ...more, block: block.type })
    at("response.output_item.added", "content_block_start", { item: begunItem(item) })
    writeParts(at, item, block)
    at("response.output_item.done", "content_block_stop", { item })
  }
  const last = response.status === "incomplete" ? "response.incomplete" : "response.completed"
  write(last, "message_stop", { response })
  return pieces
}

function begunItem(item: JsonObject): JsonObject {
  switch (item.type) {
    case "message":
      return { ...item, status: "in_progress", content: [] }
    case "function_call":
      return { ...item, status: "in_progress", arguments: "" }
    default:
      return { ...item, summary: [] }
  }
}

function writeParts(write: Write, item: JsonObject, block: SpokenBlock): void {
  const item_id = item.id ?? ""
  const delta = "content_block_delta"
  switch (block.type) {
    case "text": {
      const at = { item_id, content_index: 0 }
      const [part] = listIn(item.content)
      write("response.content_part.added", "part", { ...at, part: { ...(isObject(part) && part), text: "" } })
      for (const piece of block.inOneDelta ? [block.text] : words(block.text))
        write("response.output_text.delta", delta, { ...at, delta: piece, logprobs: [] }, { tokens: tokensIn(piece) })
      write("response.output_text.done", "part", { ...at, text: block.text, logprobs: [] })
      write("response.content_part.done", "part", { ...at, part: part ?? null })
      return
    }
    case "thinking": {
      const [part] = listIn(item.summary)
      if (part === undefined) return
      const at = { item_id, summary_index: 0 }
      write("response.reasoning_summary_part.added", "part", { ...at, part: { type: "summary_text", text: "" } })
      for (const piece of words(block.thinking))
        write("response.reasoning_summary_text.delta", delta, { ...at, delta: piece }, { tokens: tokensIn(piece) })
      write("response.reasoning_summary_text.done", "part", { ...at, text: block.thinking })
      write("response.reasoning_summary_part.done", "part", { ...at, part })
      return
    }
    case "tool_use":
      for (const piece of slices(String(item.arguments)))
        write("response.function_call_arguments.delta", delta, { item_id, delta: piece }, { tokens: tokensIn(piece) })
      if (block.cutJson === undefined)
        write("response.function_call_arguments.done", "part", { item_id, arguments: item.arguments ?? "" })
  }
}

interface SpokenItem {
  readonly item: JsonObject
  readonly block: SpokenBlock
}

function itemsOf(spoken: Spoken, { sent = {} }: SimRequest): readonly SpokenItem[] {
  const name = spoken.id.slice(spoken.id.indexOf("_") + 1)
  const hasSummary = isObject(sent.reasoning) && typeof sent.reasoning.summary === "string"
  const isEncrypted = listIn(sent.include).includes("reasoning.encrypted_content")
  return spoken.content.flatMap((block, index) => {
    const item = itemOf(block, `${name}${index}`, { hasSummary, isEncrypted })
    return item ? [{ item, block }] : []
  })
}

function itemOf(
  block: SpokenBlock,
  name: string,
  { hasSummary, isEncrypted }: { readonly hasSummary: boolean; readonly isEncrypted: boolean },
): JsonObject | undefined {
  switch (block.type) {
    case "text": {
      const part: JsonObject = { type: "output_text", annotations: [], logprobs: [], text: block.text }
      return { id: `msg_${name}`, type: "message", status: "completed", role: "assistant", content: [part] }
    }
    case "thinking": {
      const id = `rs_${name}`
      const summary = hasSummary && block.thinking !== "" ? [{ type: "summary_text", text: block.thinking }] : []
      return { id, type: "reasoning", summary, ...(isEncrypted && { encrypted_content: encrypt(id, block.signature) }) }
    }
    case "tool_use":
      return {
        id: `fc_${name}`,
        type: "function_call",
        status: block.cutJson === undefined ? "completed" : "incomplete",
        arguments: block.cutJson ?? JSON.stringify(block.input),
        call_id: block.id,
        name: block.name,
      }
    default:
      return undefined
  }
}

function responseOf(spoken: Spoken, { sent = {} }: SimRequest, items: readonly SpokenItem[]): JsonObject {
  const reason = incompleteReason(spoken)
  return {
    id: spoken.id.replace(/^[a-z]+_/, "resp_"),
    object: "response",
    created_at: created,
    status: reason === undefined ? "completed" : "incomplete",
    background: false,
    error: null,
    incomplete_details: reason === undefined ? null : { reason },
    instructions: sent.instructions ?? null,
    max_output_tokens: sent.max_output_tokens ?? null,
    metadata: sent.metadata ?? {},
    model: spoken.model,
    output: items.map(({ item }) => item),
    parallel_tool_calls: sent.parallel_tool_calls ?? true,
    previous_response_id: null,
    prompt_cache_key: sent.prompt_cache_key ?? null,
    reasoning: sent.reasoning ?? { effort: null, summary: null },
    service_tier: "default",
    store: sent.store ?? true,
    temperature: 1,
    text: sent.text ?? { format: { type: "text" } },
    tool_choice: sent.tool_choice ?? "auto",
    tools: sent.tools ?? [],
    top_p: 1,
    truncation: "disabled",
    usage: usageOf(spoken),
    user: null,
  }
}

function incompleteReason({ stopReason }: Spoken): string | undefined {
  if (stopReason === "max_tokens" || stopReason === "model_context_window_exceeded") return "max_output_tokens"
  return stopReason === "refusal" ? "content_filter" : undefined
}

function usageOf({ usage, content }: Spoken): JsonObject {
  const input = usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens
  const thoughts = content.reduce((sum, block) => sum + (block.type === "thinking" ? tokensIn(block.thinking) : 0), 0)
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: usage.cache_read_input_tokens,
      cache_write_tokens: usage.cache_creation_input_tokens,
    },
    output_tokens: usage.output_tokens,
    output_tokens_details: { reasoning_tokens: Math.min(thoughts, usage.output_tokens) },
    total_tokens: input + usage.output_tokens,
  } satisfies { readonly [name: string]: JsonValue }
}
