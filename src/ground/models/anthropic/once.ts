/**
 * Every content block counts once, even when a proxy delivers it twice: by its index, or a call by its id and input.
 */

import type { AnswerEvent } from "#ground/models/attempt.ts"
import { more, type DecodeStatus } from "#ground/models/format.ts"
import { isObject, type JsonObject } from "#lib/json.ts"

type DecodeJson = (event: JsonObject, out: AnswerEvent[]) => DecodeStatus

interface AnswerBlock {
  readonly type: unknown
  readonly id: unknown
  readonly name: unknown
  readonly json: string[]
  /** Its events, held back while it may be a repeated call. */
  readonly delayed?: JsonObject[]
}

/** Passes every event on to `decode`, except those of repeated blocks. */
export function openOnce(decode: DecodeJson): DecodeJson {
  const open = new Map<number, AnswerBlock>()
  const done = new Map<number, AnswerBlock>()
  const repeated = new Set<number>()
  let messageId: unknown

  const start = (event: JsonObject, index: number, out: AnswerEvent[]): DecodeStatus => {
    const { type, id, name } = isObject(event.content_block) ? event.content_block : {}
    const before = done.get(index)
    if (before && (before.type !== type || before.id !== id))
      return { kind: "garbled", why: "a block began in the place of another" }
    if (before) {
      repeated.add(index)
      return more
    }
    const isKnown =
      type === "tool_use" && typeof id === "string" && id !== "" && [...done.values()].some((one) => one.id === id)
    const block: AnswerBlock = { type, id, name, json: [], ...(isKnown && { delayed: [event] }) }
    if (!open.has(index)) open.set(index, block)
    return isKnown ? more : decode(event, out)
  }

  const piece = (event: JsonObject, index: number, out: AnswerEvent[]): DecodeStatus => {
    const block = open.get(index)
    if (!block && done.has(index)) return more
    if (isObject(event.delta) && typeof event.delta.partial_json === "string")
      block?.json.push(event.delta.partial_json)
    block?.delayed?.push(event)
    return block?.delayed ? more : decode(event, out)
  }

  const stop = (event: JsonObject, index: number, out: AnswerEvent[]): DecodeStatus => {
    const block = open.get(index)
    if (!block && done.has(index)) {
      repeated.delete(index)
      return more
    }
    open.delete(index)
    if (!block?.delayed) {
      if (block) done.set(index, block)
      return decode(event, out)
    }
    const isSame = [...done.values()].some((other) => isSameCall(other, block))
    done.set(index, block)
    if (isSame) return more
    // Another call with a used id: some servers count badly. It gets an id of its own.
    for (const delayedEvent of block.delayed) {
      const status = decode(delayedEvent, out)
      if (status.kind !== "more") return status
    }
    return decode(event, out)
  }

  return (event, out) => {
    const index = typeof event.index === "number" ? event.index : -1
    switch (event.type) {
      case "content_block_delta":
        return piece(event, index, out)
      case "content_block_start":
        return start(event, index, out)
      case "content_block_stop":
        return stop(event, index, out)
      case "message_start": {
        const id = isObject(event.message) ? event.message.id : undefined
        if (messageId !== undefined && id === messageId) return more
        messageId = id
        return decode(event, out)
      }
      case "message_stop": {
        const isOpen = repeated.size > 0 || [...open.values()].some(({ delayed }) => delayed)
        return isOpen ? { kind: "garbled", why: "it ended in the middle" } : decode(event, out)
      }
      default:
        return decode(event, out)
    }
  }
}

const isSameCall = (a: AnswerBlock, b: AnswerBlock): boolean =>
  a.type === "tool_use" && a.id === b.id && a.name === b.name && inputOf(a) === inputOf(b)

/** The input, whatever its whitespace. */
function inputOf({ json }: AnswerBlock): string {
  const text = json.join("")
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return text
  }
}
