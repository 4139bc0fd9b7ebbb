/** The Gemini API as the simulator serves it: chunks of an answer, or one. */

import type { StopReason } from "#agent/words/model.ts"
import type { JsonObject } from "#lib/json.ts"
import { type Answer, type ErrorAnswer, jsonAnswer } from "#sim/answer.ts"
import type { SimRequest } from "#sim/request.ts"
import { type Spoken, type SpokenBlock, type StreamPiece, tokensIn, words } from "#sim/spoken.ts"
import type { SimWire } from "#sim/wire.ts"
import { isThirdOrLater } from "./names.ts"
import { decodeGemini } from "./request.ts"
import { signPart } from "./signature.ts"
import { checkGemini, checkGeminiHeaders } from "./strict.ts"

export const geminiWire: SimWire = {
  checkHeaders: checkGeminiHeaders,
  decode: decodeGemini,
  checkBody: checkGemini,
  stream: chunks,
  whole: (spoken, request) => answer(spoken, wholeParts(spoken, request), finishOf(spoken.stopReason)),
  error: geminiError,
  odd: {
    ping: { event: "ping", bytes: ": waiting\n\n", tokens: 0 },
    malformed: { event: "content_block_delta", bytes: `data: {"candidates":[{"content":{"par\n\n`, tokens: 0 },
    unknown: { event: "weather_report", bytes: `data: {"weather":{"sky":"clear"}}\n\n`, tokens: 0 },
    error: (type, message) => ({
      event: "error",
      bytes: `data: ${JSON.stringify(statusOf({ status: 529, type, message }))}\n\n`,
      tokens: 0,
    }),
  },
}

/** Nothing marks the end of a block or of the stream. Faults cut there, so the piece exists; a comment would trip Google's older clients. */
const mark = ""

function chunks(spoken: Spoken, request: SimRequest): readonly StreamPiece[] {
  const chunk = (parts: readonly JsonObject[], finish?: string): string =>
    `data: ${JSON.stringify(answer(spoken, parts, finish))}\n\n`
  const pieces: StreamPiece[] = [{ event: "message_start", bytes: chunk([{ text: "" }]), tokens: 0 }]
  for (const { block, parts } of spokenParts(spoken, request)) {
    const event = block.type === "tool_use" ? "content_block_start" : "content_block_delta"
    for (const part of parts)
      pieces.push({ event, bytes: chunk([part]), tokens: tokensIn(part.text ?? ""), block: block.type })
    pieces.push({ event: "content_block_stop", bytes: mark, tokens: 0, block: block.type })
  }
  const last = signsText(spoken) ? [signed({ text: "" })] : [{ text: "" }]
  pieces.push({ event: "message_delta", bytes: chunk(last, finishOf(spoken.stopReason)), tokens: 0 })
  pieces.push({ event: "message_stop", bytes: mark, tokens: 0 })
  return pieces
}

function wholeParts(spoken: Spoken, request: SimRequest): readonly JsonObject[] {
  const parts = spokenParts(spoken, request).flatMap(({ block, parts: pieces }): readonly JsonObject[] => {
    if (block.type === "tool_use" || pieces.length === 0) return pieces
    return [{ ...pieces[0], text: pieces.map(({ text }) => text).join("") }]
  })
  const last = parts.at(-1)
  return last && signsText(spoken) ? [...parts.slice(0, -1), signed(last)] : parts
}

const signed = (part: JsonObject): JsonObject => ({ ...part, thoughtSignature: signPart(part) })

const hasCalls = ({ content }: Spoken): boolean => content.some(({ type }) => type === "tool_use")

/** An answer without calls signs its end. */
const signsText = (spoken: Spoken): boolean =>
  isThirdOrLater(spoken.model) && !hasCalls(spoken) && spoken.content.at(-1)?.type === "text"

interface BlockParts {
  readonly block: SpokenBlock
  readonly parts: readonly JsonObject[]
}

function spokenParts({ content, model }: Spoken, request: SimRequest): readonly BlockParts[] {
  const isNew = isThirdOrLater(model)
  const firstCall = content.find(({ type }) => type === "tool_use")
  return content.map((block): BlockParts => {
    switch (block.type) {
      case "text":
        return { block, parts: (block.inOneDelta ? [block.text] : words(block.text)).map((text) => ({ text })) }
      case "thinking":
        return { block, parts: request.thinks ? words(block.thinking).map((text) => ({ text, thought: true })) : [] }
      case "tool_use": {
        // A call comes whole or not at all.
        if (block.cutJson !== undefined) return { block, parts: [] }
        const { id, name, input: args } = block
        const part = { functionCall: { ...(isNew && { id }), name, args } }
        return { block, parts: [isNew && block === firstCall ? signed(part) : part] }
      }
      default:
        return { block, parts: [] }
    }
  })
}

function answer(spoken: Spoken, parts: readonly JsonObject[], finish: string | undefined): JsonObject {
  const { id, model, usage } = spoken
  const prompt = usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens
  return {
    candidates: [
      {
        ...(finish !== "SAFETY" && { content: { role: "model", parts } }),
        ...(finish !== undefined && { finishReason: finish }),
        index: 0,
      },
    ],
    usageMetadata: {
      promptTokenCount: prompt,
      ...(usage.cache_read_input_tokens > 0 && { cachedContentTokenCount: usage.cache_read_input_tokens }),
      ...(finish !== undefined && { candidatesTokenCount: usage.output_tokens }),
      totalTokenCount: prompt + usage.output_tokens,
    },
    modelVersion: model,
    responseId: id,
  }
}

function finishOf(reason: StopReason): string {
  switch (reason) {
    case "max_tokens":
    case "model_context_window_exceeded":
      return "MAX_TOKENS"
    case "refusal":
      return "SAFETY"
    default:
      // A scenario may name one of the API's own.
      return /^[A-Z_]+$/.test(reason) ? reason : "STOP"
  }
}

function geminiError(error: ErrorAnswer): Answer {
  const body = statusOf(error)
  return jsonAnswer(body.error.code, body)
}

interface RpcStatus {
  readonly [name: string]: JsonObject
  readonly error: JsonObject & { readonly code: number }
}

/** As the service says it: a wrong key is an invalid argument, and waits are details. */
function statusOf({ status, message, headers }: ErrorAnswer): RpcStatus {
  const wait = headers?.["retry-after"]
  const [code, name, usual] = named[status] ?? [status, "UNKNOWN", message]
  const details: JsonObject[] = []
  if (status === 401)
    details.push({ "@type": `${types}ErrorInfo`, reason: "API_KEY_INVALID", domain: "googleapis.com" })
  if (wait !== undefined) details.push({ "@type": `${types}RetryInfo`, retryDelay: `${wait}s` })
  const said = message.startsWith("prompt is too long")
    ? "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576)."
    : (usual ?? message)
  return { error: { code, message: said, status: name, ...(details.length > 0 && { details }) } }
}

const types = "type.googleapis.com/google.rpc."

const named: { readonly [status: number]: readonly [code: number, name: string, usual?: string] } = {
  400: [400, "INVALID_ARGUMENT"],
  401: [400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."],
  403: [403, "PERMISSION_DENIED"],
  404: [404, "NOT_FOUND"],
  413: [400, "INVALID_ARGUMENT", "Request payload size exceeds the limit: 20971520 bytes."],
  429: [429, "RESOURCE_EXHAUSTED"],
  500: [500, "INTERNAL", "An internal error has occurred. Please retry."],
  529: [503, "UNAVAILABLE", "The model is overloaded. Please try again later."],
}
