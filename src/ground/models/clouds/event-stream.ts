/** Amazon's event stream: frames of bytes, each with its length, its headers and two checksums. */

import { type Framing, type RawEvent, serverSentEvents } from "#ground/models/server-sent-events.ts"
import { objectIn } from "#lib/json.ts"

/** A gateway in front of Bedrock may answer as Anthropic does. */
export const bedrockFramings: readonly Framing[] = [
  { type: "application/vnd.amazon.eventstream", events: framesIn },
  serverSentEvents,
]

/** The length of the frame, that of its headers, and the checksum of both. */
const preludeBytes = 12
const checksumBytes = 4
const smallestFrame = preludeBytes + checksumBytes
/** More than the service sends in one frame. */
const largestFrame = 32 * 1024 * 1024

/** Gives what the frames of each piece mean to the Messages API. A damaged frame ends the stream with an error. */
export function framesIn(body: ReadableStream<Uint8Array>): AsyncIterator<readonly RawEvent[]> {
  const pieces = body.getReader()
  const take = openFrameReader()
  return {
    async next() {
      for (;;) {
        const { done, value } = await pieces.read()
        if (done) return { done, value: undefined }
        const events = take(value)
        if (events.length > 0) return { done: false, value: events }
      }
    },
  }
}

function openFrameReader(): (piece: Uint8Array) => readonly RawEvent[] {
  let held: Uint8Array[] = []
  let size = 0
  let needed = preludeBytes

  return (piece) => {
    held.push(piece)
    size += piece.length
    // A long frame comes in many pieces, which are joined once.
    if (size < needed) return []
    const bytes = held.length === 1 ? piece : Buffer.concat(held, size)
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const events: RawEvent[] = []
    let at = 0
    needed = preludeBytes
    while (size - at >= preludeBytes) {
      const length = frameLength(bytes, view, at)
      if (size - at < length) {
        needed = length
        break
      }
      const event = eventIn(bytes.subarray(at, at + length), view.getUint32(at + 4))
      if (event) events.push(event)
      at += length
    }
    held = at === size ? [] : [bytes.subarray(at)]
    size -= at
    return events
  }
}

/** The checksum comes first: a wrong length would make us wait for bytes that never come. */
function frameLength(bytes: Uint8Array, view: DataView, at: number): number {
  const length = view.getUint32(at)
  const isWhole = Bun.hash.crc32(bytes.subarray(at, at + 8)) === view.getUint32(at + 8)
  if (!isWhole || length < smallestFrame || length > largestFrame || view.getUint32(at + 4) > length - smallestFrame)
    throw damaged()
  return length
}

/** Undefined for a kind of event that is not about the answer. */
function eventIn(frame: Uint8Array, headerBytes: number): RawEvent | undefined {
  const end = frame.length - checksumBytes
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength)
  if (Bun.hash.crc32(frame.subarray(0, end)) !== view.getUint32(end)) throw damaged()
  const payloadAt = preludeBytes + headerBytes
  const headers = headersIn(frame.subarray(preludeBytes, payloadAt))
  const payload = utf8.decode(frame.subarray(payloadAt, end))
  switch (headers[":message-type"]) {
    case "event": {
      if (headers[":event-type"] !== "chunk") return undefined
      const { bytes } = objectIn(payload) ?? {}
      if (typeof bytes !== "string") throw damaged()
      return { event: null, data: Buffer.from(bytes, "base64").toString("utf8") }
    }
    case "exception":
      return exception(headers[":exception-type"] ?? "", objectIn(payload) ?? {})
    case "error":
      return errorEvent("api_error", headers[":error-message"] ?? headers[":error-code"] ?? "")
    default:
      return undefined
  }
}

const utf8 = new TextDecoder("utf-8")

const damaged = (): Error => new Error("a part of the stream is damaged")

/** Exceptions in the middle of a stream, by Anthropic's names for the same. */
const exceptions: { readonly [name: string]: string } = {
  throttlingException: "rate_limit_error",
  validationException: "invalid_request_error",
  modelTimeoutException: "timeout_error",
  serviceUnavailableException: "overloaded_error",
}

function exception(name: string, { message, originalMessage }: { readonly [name: string]: unknown }): RawEvent {
  const words = [message, originalMessage].find((each) => typeof each === "string")
  return errorEvent(exceptions[name] ?? "api_error", typeof words === "string" ? words : name)
}

const errorEvent = (type: string, message: string): RawEvent => ({
  event: "error",
  data: JSON.stringify({ type: "error", error: { type, message } }),
})

/** How many bytes a value of each type has; those of types 6 and 7 begin with their length. */
const valueBytes: readonly number[] = [0, 0, 1, 2, 4, 8, -1, -1, 8, 16]
const textType = 7

/** Those that are text. */
function headersIn(bytes: Uint8Array): { readonly [name: string]: string } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const headers: { [name: string]: string } = {}
  let at = 0
  try {
    while (at < bytes.length) {
      const nameEnd = at + 1 + view.getUint8(at)
      const name = utf8.decode(bytes.subarray(at + 1, nameEnd))
      const type = view.getUint8(nameEnd)
      const fixed = valueBytes[type]
      if (fixed === undefined) throw damaged()
      const from = nameEnd + (fixed < 0 ? 3 : 1)
      at = from + (fixed < 0 ? view.getUint16(nameEnd + 1) : fixed)
      if (type === textType) headers[name] = utf8.decode(bytes.subarray(from, at))
    }
  } catch {
    throw damaged()
  }
  return headers
}
