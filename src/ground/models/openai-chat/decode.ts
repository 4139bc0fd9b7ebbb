/**
 * Decodes a chat completion, streamed or whole. Servers differ in small ways; what can only mean one thing is understood,
 * anything else breaks the answer.
 */

import { noUsage, type Request, type StopReason, type Usage } from "#agent/words/model.ts"
import type { AdmittedIds } from "#ground/models/admitted-ids.ts"
import type { AnswerEvent } from "#ground/models/attempt.ts"
import { type Decoder, end, garbled, more, type DecodeStatus } from "#ground/models/format.ts"
import { isObject, type JsonObject, type JsonValue, objectIn } from "#lib/json.ts"
import { tokensForLength } from "#lib/tokens.ts"
import { type AnswerBlocks, openAnswerBlocks } from "#ground/models/answer-blocks.ts"
import { openTaggedText } from "./tagged-text.ts"
import { openCalls } from "./calls.ts"

export interface ChatDecoderParts {
  readonly by: string
  readonly toolIds: AdmittedIds
  readonly messageIds: AdmittedIds
}

/** The names under which servers send reasoning; some want it back under the same. */
type ReasoningField = "reasoning_content" | "reasoning"

export function openChatDecoder({ by, toolIds, messageIds }: ChatDecoderParts, request: Request): Decoder {
  const blocks = openAnswerBlocks(toolIds)
  const calls = openCalls(blocks)
  let said = 0
  let finish: string | undefined
  let usage: Partial<Usage> | undefined
  const reasoning = openReasoning(by, blocks)

  const text = openTaggedText({
    text: (piece, out) => blocks.text(piece, out),
    thinking: (piece, out) => blocks.thinking(piece, out),
    call: (name, json, out) => calls.whole(name, json, out),
    tools: request.tools,
  })

  function begin(chunk: JsonObject): void {
    // Each chunk repeats the id, which is admitted once.
    if (blocks.hasBegun()) return
    blocks.begin({
      type: "message_start",
      id: messageIds.admit(chunk.id),
      model: modelIn(chunk) ?? request.model,
      usage: noUsage,
    })
  }

  function decodeDelta(delta: JsonObject, out: AnswerEvent[]): DecodeStatus {
    said += reasoning.push(delta, out)
    const content = textOf(delta.content) || textOf(delta.refusal)
    if (content !== "") {
      reasoning.settle(out)
      said += content.length
      text.push(content, out)
    }
    const pieces = callsIn(delta)
    return pieces ? decodeCalls(pieces, out) : more
  }

  function decodeCalls(pieces: readonly JsonValue[], out: AnswerEvent[]): DecodeStatus {
    if (pieces.length > 0) reasoning.settle(out)
    for (const piece of pieces) {
      // A server that takes calls out of the text may leave them in it, too.
      text.release(out)
      if (!isObject(piece)) return garbled("a call is not an object")
      const wrong = calls.push(piece, out)
      if (wrong !== undefined) return garbled(wrong)
      said += argumentsOf(piece).length
    }
    return more
  }

  function decodeChunk(chunk: JsonObject, of: "delta" | "message", out: AnswerEvent[]): DecodeStatus {
    if (chunk.error !== undefined && chunk.error !== null) return errorIn(chunk.error)
    if (chunk.object === "error") return errorIn(chunk)
    begin(chunk)
    if (isObject(chunk.usage)) usage = usageIn(chunk.usage) ?? usage
    const choice = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined
    if (!isObject(choice)) return more
    const delta = choice[of]
    const status = isObject(delta) ? decodeDelta(delta, out) : more
    if (status.kind !== "more") return status
    if (typeof choice.finish_reason === "string" && choice.finish_reason !== "") finish = choice.finish_reason
    if (finish === "error") return errorIn(choice.error ?? null)
    return more
  }

  function close(out: AnswerEvent[]): DecodeStatus {
    // Before text that was held back: the proof belongs to what was thought until now.
    reasoning.settle(out)
    if (calls.count() > 0) text.release(out)
    else text.end(finish === "length" || finish === "content_filter" ? "cut" : "whole", out)
    const wrong = calls.end(out)
    if (wrong !== undefined) return garbled(wrong)
    blocks.end(out)
    const reason = stopReason(finish, calls.count() > 0)
    const used = usage ?? guessed(request, said)
    out.push({ type: "message_delta", stopReason: reason, usage: used }, { type: "message_stop" })
    return end
  }

  return {
    decodeEvent(_name, data, out) {
      if (data === "") return more
      if (data.startsWith("[") && data.trim() === "[DONE]")
        return finish === undefined && !blocks.hasBegun() ? more : close(out)
      const chunk = objectIn(data)
      return chunk ? decodeChunk(chunk, "delta", out) : garbled("it contains malformed JSON")
    },
    decodeWhole(body, out) {
      const answer = objectIn(body)
      if (!answer) return more
      const status = decodeChunk(answer, "message", out)
      // It is whole because its JSON is, also where it does not say why it ended.
      const [choice]: readonly JsonValue[] = Array.isArray(answer.choices) ? answer.choices : []
      return status.kind === "more" && isObject(choice) && isObject(choice.message) ? close(out) : status
    },
    // Some servers just end.
    ended: (out) => (finish === undefined ? more : close(out)),
  }
}

/** Of a server that does not count: without figures the conversation would seem empty. */
function guessed(request: Request, said: number): Partial<Usage> {
  const sent = request.messages.reduce((sum, { content }) => sum + JSON.stringify(content).length, 0)
  const listed = JSON.stringify(request.tools.filter(({ deferred }) => !deferred)).length
  const before = request.system.reduce((sum, part) => sum + part.text.length, listed)
  return { input_tokens: tokensForLength(sent + before), output_tokens: tokensForLength(said) }
}

interface Reasoning {
  /** How much was said of it. */
  readonly push: (delta: JsonObject, out: AnswerEvent[]) => number
  /** It ends where anything else begins: its proof is complete by then. */
  readonly settle: (out: AnswerEvent[]) => void
}

function openReasoning(by: string, blocks: AnswerBlocks): Reasoning {
  let details: JsonObject[] = []
  let field: ReasoningField | undefined
  return {
    push(delta, out) {
      if (Array.isArray(delta.reasoning_details)) details = merged(details, delta.reasoning_details)
      const from: ReasoningField = isText(delta.reasoning_content) ? "reasoning_content" : "reasoning"
      const piece = delta[from]
      if (!isText(piece)) return 0
      field = from
      blocks.thinking(piece, out)
      return piece.length
    },
    settle(out) {
      if (details.length > 0) blocks.proof({ by, value: { details } }, out)
      else if (field === "reasoning_content") blocks.proof({ by, value: { field } }, out)
      details = []
      field = undefined
    },
  }
}

/** The field with one call is older than the one with a list. */
function callsIn({ tool_calls, function_call }: JsonObject): readonly JsonValue[] | undefined {
  if (Array.isArray(tool_calls)) return tool_calls
  return isObject(tool_calls) ? [tool_calls] : isObject(function_call) ? [function_call] : undefined
}

const modelIn = ({ model }: JsonObject): string | undefined =>
  typeof model === "string" && model !== "" ? model : undefined

const isText = (value: JsonValue | undefined): value is string => typeof value === "string" && value !== ""

function stopReason(finish: string | undefined, hasCalls: boolean): StopReason {
  if (hasCalls && finish !== "length" && finish !== "content_filter") return "tool_use"
  switch (finish) {
    case "length":
      return "max_tokens"
    case "content_filter":
      return "refusal"
    case "max_tokens":
      return "max_tokens"
    case "stop":
    case "tool_calls":
    case "function_call":
    case "tool_use":
    case "eos":
    case "eos_token":
    case "end_turn":
    case "stop_sequence":
    case "COMPLETE":
    case undefined:
      return "end_turn"
    default:
      return finish
  }
}

/** A text, or a list of parts with texts. */
function textOf(value: JsonValue | undefined): string {
  if (typeof value === "string") return value
  if (!Array.isArray(value)) return ""
  return value.map((part: JsonValue) => (isObject(part) && typeof part.text === "string" ? part.text : "")).join("")
}

function argumentsOf({ function: called }: JsonObject): string {
  return isObject(called) && typeof called.arguments === "string" ? called.arguments : ""
}

/** Pieces of one detail have its index; text and signatures are put together, anything else is taken as it is. */
function merged(before: readonly JsonObject[], pieces: readonly JsonValue[]): JsonObject[] {
  const all = [...before]
  for (const piece of pieces) {
    if (!isObject(piece)) continue
    const at = typeof piece.index === "number" ? all.findIndex(({ index }) => index === piece.index) : -1
    const known = all[at]
    if (known)
      all[at] = { ...known, ...piece, ...joinedField("text", known, piece), ...joinedField("summary", known, piece) }
    else all.push(piece)
  }
  return all
}

function joinedField(name: "text" | "summary", known: JsonObject, piece: JsonObject): JsonObject {
  const [one, next] = [known[name], piece[name]]
  return typeof one === "string" ? { [name]: one + (typeof next === "string" ? next : "") } : {}
}

function errorIn(error: JsonValue): DecodeStatus {
  const { type, code, message } = isObject(error) ? error : { type: "", code: "", message: error }
  const status = Number(code)
  return {
    kind: "refused",
    type: typeof type === "string" && type !== "" ? type : typeof code === "string" ? code : "",
    message: typeof message === "string" ? message : "",
    ...(Number.isInteger(status) && status >= 400 && status < 600 && { status }),
  }
}

/** The counts of this format overlap: what was read from the cache is part of the prompt. */
function usageIn(usage: JsonObject): Partial<Usage> | undefined {
  const prompt = count(usage.prompt_tokens)
  // A prompt of nothing was not counted.
  if (!prompt) return undefined
  const details = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {}
  const read = count(details.cached_tokens) ?? count(usage.prompt_cache_hit_tokens) ?? 0
  const written = count(details.cache_write_tokens) ?? 0
  return {
    input_tokens: Math.max(prompt - read - written, 0),
    output_tokens: count(usage.completion_tokens) ?? 0,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
  }
}

const count = (value: JsonValue | undefined): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined
