/**
 * Decodes the events of the Messages API one by one. Unknown events are ignored; untrustworthy ones break the answer.
 */

import { noUsage, type Usage } from "#agent/words/model.ts"
import type { AnswerEvent } from "#ground/models/attempt.ts"
import type { AdmittedIds } from "#ground/models/admitted-ids.ts"
import { type Decoder, end, garbled, more, type DecodeStatus } from "#ground/models/format.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { openOnce } from "./once.ts"
import { type BlocksParts, openBlocks } from "./decode-blocks.ts"
import { eventsOf } from "./whole.ts"

const spoiled = (why: string | undefined): DecodeStatus => (why === undefined ? more : garbled(why))

const knownNames: ReadonlySet<string> = new Set([
  "message_start",
  "content_block_start",
  "content_block_delta",
  "content_block_stop",
  "message_delta",
  "message_stop",
  "error",
])

export interface DecoderParts extends BlocksParts {
  readonly messageIds: AdmittedIds
}

/** One decoder per attempt; ids are admitted first. */
export function openDecoder({ messageIds, ...parts }: DecoderParts): Decoder {
  /** Held back until there is content, so that an attempt that breaks earlier leaves no trace. */
  let start: AnswerEvent | undefined
  let started = false
  let stopped = false
  let usage: Partial<Usage> = {}

  const release = (out: AnswerEvent[]): void => {
    if (start?.type !== "message_start") return
    out.push({ ...start, id: messageIds.admit(start.id) })
    start = undefined
  }

  const blocks = openBlocks(parts, release)

  const messageStart = (event: JsonObject): DecodeStatus => {
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

  const messageDelta = (event: JsonObject, out: AnswerEvent[]): DecodeStatus => {
    const { delta } = event
    if (!started || !isObject(delta)) return garbled("its end lacks a reason")
    usage = { ...usage, ...usageIn(event.usage) }
    if (typeof delta.stop_reason !== "string") return more
    release(out)
    stopped = true
    out.push({ type: "message_delta", stopReason: delta.stop_reason, usage })
    return more
  }

  const messageStop = (out: AnswerEvent[]): DecodeStatus => {
    if (!stopped || blocks.areOpen()) return garbled("it ended in the middle")
    out.push({ type: "message_stop" })
    return end
  }

  const understand = (event: JsonObject, out: AnswerEvent[]): DecodeStatus => {
    switch (event.type) {
      case "message_start":
        return messageStart(event)
      case "content_block_start":
        return started ? spoiled(blocks.start(event, out)) : garbled("a block began out of place")
      case "content_block_delta":
        return spoiled(blocks.delta(event, out))
      case "content_block_stop":
        return spoiled(blocks.stop(event, out))
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

  const decodeObject = openOnce(understand)
  return {
    decodeWhole(text, out) {
      for (const event of eventsOf(text)) {
        const status = decodeObject(event, out)
        if (status.kind !== "more") return status
      }
      return more
    },
    decodeEvent(name, data, out) {
      if (data === "" || (name !== null && !knownNames.has(name))) return more
      const event = parse(data)
      return isObject(event) ? decodeObject(event, out) : garbled("it contains malformed JSON")
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

function errorIn(error: JsonValue | undefined): DecodeStatus {
  const { type, message } = isObject(error) ? error : {}
  return {
    kind: "refused",
    type: typeof type === "string" ? type : "",
    message: typeof message === "string" ? message : "",
  }
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
