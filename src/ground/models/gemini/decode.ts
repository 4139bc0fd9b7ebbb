/** Decodes an answer of `generateContent`, streamed or whole. Calls come whole; nothing marks the end of a stream. */

import { noUsage, type Request, type StopReason, type Usage } from "#agent/words/model.ts"
import type { AdmittedIds } from "#ground/models/admitted-ids.ts"
import { type AnswerBlocks, openAnswerBlocks } from "#ground/models/answer-blocks.ts"
import type { AnswerEvent } from "#ground/models/attempt.ts"
import { type Decoder, end, garbled, more, type DecodeStatus } from "#ground/models/format.ts"
import { readRpcStatus } from "#ground/models/rpc-status.ts"
import { isObject, type JsonObject, type JsonValue, objectIn } from "#lib/json.ts"
import { proofOfCall, proofOfParts, type SignedPart } from "./signatures.ts"

export interface GeminiDecoderParts {
  readonly by: string
  readonly toolIds: AdmittedIds
  readonly messageIds: AdmittedIds
}

export function openGeminiDecoder({ by, toolIds, messageIds }: GeminiDecoderParts, request: Request): Decoder {
  const blocks = openAnswerBlocks(toolIds)
  const parts = openParts(by, blocks)
  let finish: string | undefined
  /** Every chunk has the counts so far. */
  let counts: JsonObject = {}

  function begin({ responseId, modelVersion }: JsonObject): void {
    // Each chunk repeats the id, which is admitted once.
    if (blocks.hasBegun()) return
    const model = typeof modelVersion === "string" ? modelVersion : request.model
    blocks.begin({ type: "message_start", id: messageIds.admit(responseId), model, usage: noUsage })
  }

  function decodeChunk(chunk: JsonObject, out: AnswerEvent[]): DecodeStatus {
    if (isObject(chunk.error)) return errorIn(chunk.error)
    const candidate = Array.isArray(chunk.candidates) ? chunk.candidates[0] : undefined
    const feedback = isObject(chunk.promptFeedback) ? chunk.promptFeedback.blockReason : undefined
    if (isObject(chunk.usageMetadata)) counts = chunk.usageMetadata
    if (!isObject(candidate) && typeof feedback !== "string") return more
    begin(chunk)
    if (!isObject(candidate)) {
      finish ??= String(feedback)
      return more
    }
    const content = isObject(candidate.content) ? candidate.content.parts : undefined
    const list: readonly JsonValue[] = Array.isArray(content) ? content : []
    for (const part of list) {
      const wrong = isObject(part) ? parts.push(part, out) : "a part is not an object"
      if (wrong !== undefined) return garbled(wrong)
    }
    if (typeof candidate.finishReason === "string") finish = candidate.finishReason
    return finish !== undefined && failedFinishes.has(finish) ? garbled(failureWords(finish)) : more
  }

  function close(reason: string, out: AnswerEvent[]): DecodeStatus {
    // It happens that nothing comes. After results a model may have nothing to add; to a prompt it has.
    if (reason === "STOP" && parts.isEmpty() && !followsResults(request)) return garbled("it is empty")
    blocks.end(out)
    out.push({ type: "message_delta", stopReason: stopReason(reason, parts.calls() > 0), usage: usageIn(counts) })
    out.push({ type: "message_stop" })
    return end
  }

  return {
    decodeEvent(_name, data, out) {
      if (data === "") return more
      const chunk = objectIn(data)
      return chunk ? decodeChunk(chunk, out) : garbled("it contains malformed JSON")
    },
    decodeWhole(body, out) {
      const answer = objectIn(body)
      if (!answer) return more
      const status = decodeChunk(answer, out)
      return status.kind === "more" && finish !== undefined ? close(finish, out) : status
    },
    ended: (out) => (finish === undefined ? more : close(finish, out)),
  }
}

const followsResults = ({ messages }: Request): boolean =>
  messages.at(-1)?.content.some(({ type }) => type === "tool_result") === true

interface Parts {
  /** Takes a part; returns why it cannot be trusted. */
  readonly push: (part: JsonObject, out: AnswerEvent[]) => string | undefined
  readonly calls: () => number
  /** Whether there was neither text nor a call. */
  readonly isEmpty: () => boolean
}

function openParts(by: string, blocks: AnswerBlocks): Parts {
  const calls = new Map<string, string>()
  let counted = 0
  let hasText = false
  /** Text or thoughts that are open: how long they are by now, and which stretches are signed. */
  let open: { readonly kind: "text" | "thinking"; length: number; readonly signed: SignedPart[] } | undefined

  function decodeText(text: string, part: JsonObject, out: AnswerEvent[]): void {
    const signature = typeof part.thoughtSignature === "string" ? part.thoughtSignature : ""
    const isThought = part.thought === true
    // A signature often comes last, on a part without text: it belongs to what is open.
    const kind = text === "" ? (open?.kind ?? "thinking") : isThought ? "thinking" : "text"
    if (text === "" && signature === "") return
    if (open?.kind !== kind) open = { kind, length: 0, signed: [] }
    const start = open.length
    open.length += text.length
    if (text !== "") (kind === "text" ? blocks.text : blocks.thinking)(text, out)
    hasText ||= kind === "text" && text.trim() !== ""
    if (signature === "") return
    const isPlain = kind === "thinking" && !isThought
    open.signed.push({ start, end: open.length, signature, ...(isPlain && { plain: true }) })
    const proof = proofOfParts(by, open.signed)
    if (kind === "text") blocks.textProof(proof, out)
    else blocks.proof(proof, out)
  }

  function takeCall(call: JsonObject, part: JsonObject, out: AnswerEvent[]): string | undefined {
    const { id, name, args } = call
    if (typeof name !== "string" || name === "") return "a call has no name"
    const input = JSON.stringify(isObject(args) ? args : {})
    // The same call under the same id was delivered twice.
    if (typeof id === "string" && id !== "" && calls.get(id) === name + input) return undefined
    if (typeof id === "string") calls.set(id, name + input)
    const signature = part.thoughtSignature
    open = undefined
    counted++
    const proof = typeof signature === "string" && signature !== "" ? proofOfCall(by, signature) : undefined
    const index = blocks.openCall(id, name, out, proof)
    blocks.input(index, input, out)
    blocks.stop(index, out)
    return undefined
  }

  return {
    push(part, out) {
      if (isObject(part.functionCall)) return takeCall(part.functionCall, part, out)
      decodeText(typeof part.text === "string" ? part.text : "", part, out)
      return undefined
    },
    calls: () => counted,
    isEmpty: () => counted === 0 && !hasText,
  }
}

/** The model wrote something that is no call, or nothing at all: it is asked again. */
const failedFinishes: ReadonlySet<string> = new Set([
  "MALFORMED_FUNCTION_CALL",
  "UNEXPECTED_TOOL_CALL",
  "MALFORMED_RESPONSE",
])

const failureWords = (finish: string): string => `the model wrote a call that cannot be read (${finish})`

function stopReason(finish: string, hasCalls: boolean): StopReason {
  switch (finish) {
    case "STOP":
    case "FINISH_REASON_UNSPECIFIED":
    case "TOO_MANY_TOOL_CALLS":
      return hasCalls ? "tool_use" : "end_turn"
    case "MAX_TOKENS":
    // Longer than one request may answer.
    case "CONTINUATION":
      return "max_tokens"
    default:
      return "refusal"
  }
}

function errorIn(error: JsonObject): DecodeStatus {
  const { code, message } = error
  return {
    kind: "refused",
    type: "",
    message: typeof message === "string" ? message : "",
    ...(typeof code === "number" && code >= 400 && code < 600 && { status: code }),
    ...readRpcStatus(error),
  }
}

/** The prompt includes what was read from the cache, and thoughts are counted apart from the answer. */
function usageIn(counts: JsonObject): Partial<Usage> {
  const prompt = count(counts.promptTokenCount)
  if (prompt === undefined) return {}
  const read = count(counts.cachedContentTokenCount) ?? 0
  return {
    input_tokens: Math.max(prompt - read, 0) + (count(counts.toolUsePromptTokenCount) ?? 0),
    output_tokens: (count(counts.candidatesTokenCount) ?? 0) + (count(counts.thoughtsTokenCount) ?? 0),
    cache_read_input_tokens: read,
    cache_creation_input_tokens: 0,
  }
}

const count = (value: JsonValue | undefined): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined
