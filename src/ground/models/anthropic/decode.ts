/** Understands the events of the Messages API one by one. What it does not know it ignores; what it cannot trust is a break. */

import type { AssistantBlock } from "#agent/words/message.ts"
import { noUsage, type Usage } from "#agent/words/model.ts"
import type { AnswerEvent } from "#ground/models/attempt.ts"
import type { AdmittedIds } from "#ground/models/admitted-ids.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { openOnce } from "./once.ts"
import { citationIn, searchResultIn } from "./search.ts"
import type { Taken } from "./taken.ts"

/** Understands one answer. */
export interface Decoder {
  /** Takes an event of the stream as it came, and puts what it means into `out`. */
  readonly take: (name: string | null, data: string, out: AnswerEvent[]) => Taken
  /** Takes an event that is already an object. */
  readonly takeObject: (event: JsonObject, out: AnswerEvent[]) => Taken
}

const more: Taken = { kind: "more" }
const end: Taken = { kind: "end" }
const garbled = (why: string): Taken => ({ kind: "garbled", why })

const knownNames: ReadonlySet<string> = new Set([
  "message_start",
  "content_block_start",
  "content_block_delta",
  "content_block_stop",
  "message_delta",
  "message_stop",
  "error",
])

type BlockKind = AssistantBlock["type"] | "ignored"

/** The ids that were used so far, in this conversation and others of the port. */
export interface KnownIds {
  readonly toolIds: AdmittedIds
  readonly messageIds: AdmittedIds
}

/** What the provider says of its own searches is taken only from whoever was asked to search. */
export type Searching = "with_search" | "plain"

/** One decoder serves one attempt; the ids it meets are admitted first. */
export function openDecoder({ toolIds, messageIds }: KnownIds, searching: Searching = "plain"): Decoder {
  /** The provider's index of each open block, with ours: blocks we leave out must not leave gaps. */
  const open = new Map<number, { readonly kind: BlockKind; readonly index: number }>()
  /** Held back until there is content, so that an attempt that breaks before it leaves no trace. */
  let start: AnswerEvent | undefined
  let started = false
  let stopped = false
  let blocks = 0
  let usage: Partial<Usage> = {}

  const release = (out: AnswerEvent[]): void => {
    if (start?.type !== "message_start") return
    out.push({ ...start, id: messageIds.admit(start.id) })
    start = undefined
  }

  const messageStart = (event: JsonObject): Taken => {
    const { message } = event
    if (started) return garbled("a second message began")
    if (!isObject(message) || typeof message.id !== "string" || typeof message.model !== "string")
      return garbled("its beginning lacks an id or a model")
    started = true
    start = {
      type: "message_start",
      id: message.id,
      model: message.model,
      usage: { ...noUsage, ...usageIn(message.usage) },
    }
    return more
  }

  const blockStart = (event: JsonObject, out: AnswerEvent[]): Taken => {
    const { index, content_block } = event
    if (!started || typeof index !== "number" || !isObject(content_block) || open.has(index))
      return garbled("a block began out of place")
    const block = blockIn(content_block, toolIds)
    if (block === "unreadable") return garbled("a block lacks its fields")
    if (block === "unknown") {
      const found = searching === "with_search" ? searchResultIn(content_block) : undefined
      if (found) {
        release(out)
        out.push(found)
      }
      open.set(index, { kind: "ignored", index: -1 })
      return more
    }
    release(out)
    open.set(index, { kind: block.type, index: blocks })
    out.push({ type: "block_start", index: blocks++, block })
    return more
  }

  const blockDelta = (event: JsonObject, out: AnswerEvent[]): Taken => {
    const { delta } = event
    const block = typeof event.index === "number" ? open.get(event.index) : undefined
    if (!block || !isObject(delta)) return garbled("a piece belongs to no block")
    if (block.kind === "ignored") return more
    const piece =
      searching === "with_search" && delta.type === "citations_delta"
        ? citationIn(delta, block.index)
        : pieceIn(delta, block.kind, block.index)
    if (piece === "unreadable") return garbled("a piece does not fit its block")
    if (piece) out.push(piece)
    return more
  }

  const blockStop = (event: JsonObject, out: AnswerEvent[]): Taken => {
    const block = typeof event.index === "number" ? open.get(event.index) : undefined
    if (!block) return garbled("a block ended that had not begun")
    open.delete(Number(event.index))
    if (block.kind !== "ignored") out.push({ type: "block_stop", index: block.index })
    return more
  }

  const messageDelta = (event: JsonObject, out: AnswerEvent[]): Taken => {
    const { delta } = event
    if (!started || !isObject(delta)) return garbled("its end lacks a reason")
    usage = { ...usage, ...usageIn(event.usage) }
    if (typeof delta.stop_reason !== "string") return more
    release(out)
    stopped = true
    out.push({ type: "message_delta", stopReason: delta.stop_reason, usage })
    return more
  }

  const messageStop = (out: AnswerEvent[]): Taken => {
    if (!stopped || open.size > 0) return garbled("it ended in the middle")
    out.push({ type: "message_stop" })
    return end
  }

  const understand = (event: JsonObject, out: AnswerEvent[]): Taken => {
    switch (event.type) {
      case "message_start":
        return messageStart(event)
      case "content_block_start":
        return blockStart(event, out)
      case "content_block_delta":
        return blockDelta(event, out)
      case "content_block_stop":
        return blockStop(event, out)
      case "message_delta":
        return messageDelta(event, out)
      case "message_stop":
        return messageStop(out)
      case "error":
        return errorIn(event.error)
      default:
        return typeof event.type === "string" ? more : garbled("an event has no type")
    }
  }

  const takeObject = openOnce(understand)
  return {
    takeObject,
    take(name, data, out) {
      if (data === "" || (name !== null && !knownNames.has(name))) return more
      const event = parse(data)
      return isObject(event) ? takeObject(event, out) : garbled("it contains malformed JSON")
    },
  }
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    return undefined
  }
}

function blockIn(block: JsonObject, toolIds: AdmittedIds): AssistantBlock | "unknown" | "unreadable" {
  switch (block.type) {
    case "text":
      return { type: "text", text: textIn(block.text) }
    case "thinking":
      return { type: "thinking", thinking: textIn(block.thinking), signature: textIn(block.signature) }
    case "redacted_thinking":
      return typeof block.data === "string" ? { type: "redacted_thinking", data: block.data } : "unreadable"
    case "tool_use":
      if (typeof block.name !== "string") return "unreadable"
      return {
        type: "tool_use",
        id: toolIds.admit(block.id),
        name: block.name,
        input: isObject(block.input) ? block.input : {},
      }
    default:
      return typeof block.type === "string" ? "unknown" : "unreadable"
  }
}

/** The piece a delta adds, nothing when its sort is unknown. */
function pieceIn(
  delta: JsonObject,
  kind: AssistantBlock["type"],
  index: number,
): AnswerEvent | "unreadable" | undefined {
  switch (delta.type) {
    case "text_delta":
      if (kind !== "text" || typeof delta.text !== "string") return "unreadable"
      return { type: "text_delta", index, text: delta.text }
    case "input_json_delta":
      if (kind !== "tool_use" || typeof delta.partial_json !== "string") return "unreadable"
      return { type: "input_delta", index, json: delta.partial_json }
    case "thinking_delta":
      if (kind !== "thinking" || typeof delta.thinking !== "string") return "unreadable"
      return { type: "thinking_delta", index, thinking: delta.thinking }
    case "signature_delta":
      if (kind !== "thinking" || typeof delta.signature !== "string") return "unreadable"
      return { type: "signature_delta", index, signature: delta.signature }
    default:
      return typeof delta.type === "string" ? undefined : "unreadable"
  }
}

function errorIn(error: JsonValue | undefined): Taken {
  const { type, message } = isObject(error) ? error : {}
  return { kind: "refused", type: textIn(type), message: textIn(message) }
}

const counted = ["input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"] as const

function usageIn(value: JsonValue | undefined): Partial<Usage> {
  if (!isObject(value)) return {}
  const usage: { -readonly [K in keyof Usage]?: number } = {}
  for (const field of counted) {
    const count = value[field]
    if (isCount(count)) usage[field] = count
  }
  const searches = isObject(value.server_tool_use) ? value.server_tool_use.web_search_requests : undefined
  if (isCount(searches) && searches > 0) usage.web_search_requests = searches
  return usage
}

const isCount = (value: JsonValue | undefined): value is number =>
  typeof value === "number" && Number.isFinite(value) && value >= 0

const textIn = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "")
