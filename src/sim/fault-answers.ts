/** What each fault does to an answer: instead of it, to the reply, or to the stream. */

import { jsonAnswer, pageAnswer, type Answer, type ErrorAnswer, type TimedBytes } from "./answer.ts"
import type { StreamPiece, Spoken } from "./spoken.ts"
import type { Fault, FaultName } from "./faults.ts"
import { pace } from "./pace.ts"
import type { Timing } from "./reply.ts"
import type { SimRequest } from "./request.ts"
import type { SimWire } from "./wire.ts"

const minute = 60_000

/** For faults before any content. */
export function errorFor(fault: Fault, now: number, requestId: string, wire: SimWire): Answer | undefined {
  switch (fault.name) {
    case "reset_before_headers":
      return { status: 0, headers: {}, parts: [], end: "nothing" }
    case "bad_gateway":
      return pageAnswer(502, "<html><body><h1>502 Bad Gateway</h1></body></html>")
    case "wrong_content_type":
      return pageAnswer(200, "<html><body>Please sign in to use this network.</body></html>")
    default: {
      const error = statusErrors(fault, now)[fault.name]
      return error && wire.error(error, requestId)
    }
  }
}

function statusErrors(fault: Fault, now: number): { readonly [name in FaultName]?: ErrorAnswer } {
  const limited = { status: 429, type: "rate_limit_error", message: "Too many requests for this minute." }
  const resetSeconds = fault.retryAfterSeconds ?? 3_600
  return {
    rate_limit: { ...limited, headers: { "retry-after": String(fault.retryAfterSeconds ?? 1) } },
    rate_limit_no_header: limited,
    rate_limit_reset_far: {
      ...limited,
      message: "The limit for this period is used up.",
      headers: {
        "retry-after": String(resetSeconds),
        "anthropic-ratelimit-requests-remaining": "0",
        "anthropic-ratelimit-requests-reset": new Date(now + resetSeconds * 1_000).toISOString(),
      },
    },
    server_error: { status: 500, type: "api_error", message: "Internal server error" },
    overloaded: { status: 529, type: "overloaded_error", message: "Overloaded" },
    unauthorized: { status: 401, type: "authentication_error", message: "invalid x-api-key" },
    too_long: {
      status: 400,
      type: "invalid_request_error",
      message: "prompt is too long: 200001 tokens > 200000 maximum",
    },
    too_large: { status: 413, type: "request_too_large", message: "Request exceeds the maximum size" },
  }
}

export interface AnswerParts {
  readonly timing: Timing | undefined
  readonly fault: Fault | undefined
  readonly request: SimRequest
  readonly wire: SimWire
}

/** The message as a stream, broken as the fault says. */
export function streamAnswer(spoken: Spoken, { timing, fault, request, wire }: AnswerParts): Answer {
  const pieces = wire.stream(spoken, request)
  const { odd } = wire
  const streamed = (chosen: readonly StreamPiece[], end: Answer["end"] = "finish"): Answer => ({
    status: 200,
    headers: {
      "content-type": wire.streams?.contentType ?? "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
    },
    ...(wire.streams?.binary && { encoding: "latin1" }),
    parts: pace(chosen, timing),
    end,
  })
  if (fault === undefined) return streamed(pieces)
  const cut = cutPoint(pieces, fault)
  switch (fault.name) {
    case "reset_mid_event":
      return streamed(withHalfEvent(pieces, cut), "reset")
    case "truncated_event":
      return streamed(withHalfEvent(pieces, cut))
    case "reset_after_tool_call":
      return streamed(pieces.slice(0, endOfFirstCall(pieces) + 1), "reset")
    case "reset_at_byte":
      return firstBytes(streamed(pieces, "reset"), fault)
    case "closed_at_byte":
      return firstBytes(streamed(pieces), fault)
    case "ping_stall":
      return streamed([...pieces.slice(0, 1), odd.ping], "silence")
    case "malformed_json":
      return streamed(pieces.with(cut, odd.malformed))
    case "repeated_block":
      return streamed(withCallTwice(pieces))
    case "unknown_event":
      return streamed(pieces.toSpliced(cut, 0, odd.unknown))
    case "error_event":
      return streamed([...pieces.slice(0, cut), odd.error("overloaded_error", "Overloaded")])
    case "slow_drip":
      return { ...streamed(pieces), parts: drip(pieces.map(({ bytes }) => bytes).join(""), fault) }
    case "keep_alive_closed":
      return streamed(pieces, "close")
    default:
      return streamed(pieces)
  }
}

/** The message as one object, broken as similarly as one object can be. */
export function wholeAnswer(spoken: Spoken, { timing, fault, request, wire }: AnswerParts, requestId: string): Answer {
  const value = wire.whole(spoken, request)
  const bytes = JSON.stringify(value)
  const atMs = timeToSpeak(spoken, timing)
  const answer: Answer = { ...jsonAnswer(200, value), parts: [{ bytes, atMs }] }
  const half: readonly TimedBytes[] = [{ bytes: bytes.slice(0, bytes.length / 2), atMs }]
  switch (fault?.name) {
    case "reset_mid_event":
    case "reset_after_tool_call":
      return { ...answer, parts: half, end: "reset" }
    case "truncated_event":
    case "malformed_json":
      return { ...answer, parts: half }
    case "reset_at_byte":
      return firstBytes({ ...answer, end: "reset" }, fault)
    case "closed_at_byte":
      return firstBytes(answer, fault)
    case "ping_stall":
      return { ...answer, parts: half, end: "silence" }
    case "error_event":
      return wire.error({ status: 529, type: "overloaded_error", message: "Overloaded" }, requestId)
    case "slow_drip":
      return { ...answer, parts: drip(bytes, fault) }
    case "keep_alive_closed":
      return { ...answer, end: "close" }
    default:
      return answer
  }
}

/** Halfway through by default, but never before any content. */
function cutPoint(pieces: readonly StreamPiece[], { afterEvents }: Fault): number {
  const firstDelta = pieces.findIndex(({ event }) => event === "content_block_delta")
  const wanted = afterEvents ?? Math.max(firstDelta + 1, Math.floor(pieces.length / 2))
  return Math.min(wanted, pieces.length - 1)
}

function withHalfEvent(pieces: readonly StreamPiece[], at: number): readonly StreamPiece[] {
  const broken = pieces[at]
  if (broken === undefined) return pieces
  return [...pieces.slice(0, at), { ...broken, bytes: broken.bytes.slice(0, broken.bytes.length / 2) }]
}

/** Cuts the body at an exact byte, even in the middle of a character. */
function firstBytes(answer: Answer, { afterBytes }: Fault): Answer {
  const { encoding = "utf8" } = answer
  const lengths = answer.parts.map(({ bytes }) => Buffer.byteLength(bytes, encoding))
  let left = afterBytes ?? Math.floor(lengths.reduce((sum, length) => sum + length, 0) / 2)
  const at = lengths.findIndex((length) => (left -= length) < 0)
  const broken = answer.parts[at]
  if (broken === undefined) return answer
  const kept = Buffer.from(broken.bytes, encoding).subarray(0, left + (lengths[at] ?? 0))
  const bytes = encoding === "latin1" ? kept.toString(encoding) : new TextDecoder().decode(kept, { stream: true })
  const tail = kept.subarray(Buffer.byteLength(bytes, encoding))
  return { ...answer, parts: [...answer.parts.slice(0, at), { ...broken, bytes }], ...(tail.length > 0 && { tail }) }
}

/** Like a proxy that lost its place: the first call again, from its beginning. */
function withCallTwice(pieces: readonly StreamPiece[]): readonly StreamPiece[] {
  const end = endOfFirstCall(pieces)
  const isStart = ({ event }: StreamPiece): boolean => event === "content_block_start"
  const start = pieces.slice(0, end).findLastIndex(isStart)
  return pieces.toSpliced(end + 1, 0, ...pieces.slice(start, end + 1))
}

function endOfFirstCall(pieces: readonly StreamPiece[]): number {
  const ends = (found: StreamPiece): boolean => found.event === "content_block_stop"
  const call = pieces.findIndex((found) => ends(found) && found.block === "tool_use")
  return call === -1 ? pieces.findLastIndex(ends) : call
}

const mostDrops = 200

function drip(bytes: string, { everyMs = 5 }: Fault): readonly TimedBytes[] {
  const size = Math.max(8, Math.ceil(bytes.length / mostDrops))
  return (bytes.match(new RegExp(`.{1,${size}}`, "gsu")) ?? []).map((drop, index) => ({
    bytes: drop,
    atMs: index * everyMs,
  }))
}

function timeToSpeak({ usage }: Spoken, { ttftMs = 0, tokensPerSecond = 0, pauses = [] }: Timing = {}): number {
  const speaking = tokensPerSecond > 0 ? (usage.output_tokens / tokensPerSecond) * 1_000 : 0
  return Math.min(ttftMs + speaking + pauses.reduce((sum, { ms }) => sum + ms, 0), 10 * minute)
}
