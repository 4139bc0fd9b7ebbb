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
  const push = openFrameReader()
  return {
    async next() {
      for (;;) {
        const { done, value } = await pieces.read()
        if (done) return { done, value: undefined }
        const events = push(value)
        if (events.length > 0) return { done: false, value: events }
      }
    },
  }
}

function openFrameReader(): (piece: Uint8Array) => readonly RawEvent[] {
  const eventIn = openFrame()
  let buffered: Uint8Array[] = []
  let size = 0
  let needed = preludeBytes

  return (piece) => {
    buffered.push(piece)
    size += piece.length
    // A long frame comes in many pieces, which are joined once.
    if (size < needed) return []
    const bytes =
      buffered.length === 1 ? Buffer.from(piece.buffer, piece.byteOffset, piece.length) : Buffer.concat(buffered, size)
    // A character a byte: parts of it are cheaper than parts of the bytes.
    const text = bytes.toString("latin1", 0, size)
    const events: RawEvent[] = []
    let at = 0
    needed = preludeBytes
    while (size - at >= preludeBytes) {
      const length = bytes.readUInt32BE(at)
      if (length > size - at) {
        needed = trusted(bytes, at, length)
        break
      }
      const event = eventIn(bytes, text, at, length)
      if (event) events.push(event)
      at += length
    }
    buffered = at === size ? [] : [bytes.subarray(at)]
    size -= at
    return events
  }
}

/** The length of a frame that is not all there yet: a wrong one would make us wait for bytes that never come. */
function trusted(bytes: Buffer, at: number, length: number): number {
  const isWhole = Bun.hash.crc32(bytes.subarray(at, at + 8)) === bytes.readUInt32BE(at + 8)
  if (!isWhole || length > largestFrame) throw damaged()
  return length
}

/** There are thousands of frames in an answer, and nearly all have the same headers. */
function openFrame(): (bytes: Buffer, text: string, at: number, length: number) => RawEvent | undefined {
  let lastHead = ""
  let lastHeaders: FrameHeaders = {}
  let memory = Buffer.alloc(4096)

  return (bytes, text, at, length) => {
    const end = at + length - checksumBytes
    // The checksum of the frame covers its lengths, too.
    if (length < smallestFrame || Bun.hash.crc32(bytes.subarray(at, end)) !== bytes.readUInt32BE(end)) throw damaged()
    const headAt = at + preludeBytes
    const payloadAt = headAt + bytes.readUInt32BE(at + 4)
    if (payloadAt > end) throw damaged()
    if (payloadAt - headAt !== lastHead.length || !text.startsWith(lastHead, headAt)) {
      lastHeaders = headersIn(bytes.subarray(headAt, payloadAt))
      lastHead = text.slice(headAt, payloadAt)
    }
    switch (lastHeaders[":message-type"]) {
      case "event":
        return lastHeaders[":event-type"] === "chunk"
          ? { event: null, data: decoded(base64In(text, payloadAt, end)) }
          : undefined
      case "exception":
        return exception(lastHeaders[":exception-type"] ?? "", objectIn(bytes.toString("utf8", payloadAt, end)) ?? {})
      case "error":
        return errorEvent("api_error", lastHeaders[":error-message"] ?? lastHeaders[":error-code"] ?? "")
      // A kind of event that is not about the answer.
      default:
        return undefined
    }
  }

  /** Into memory that is used again: a buffer for each would cost more than all the rest. */
  function decoded(base64: string): string {
    if (base64.length > memory.length) memory = Buffer.alloc(base64.length * 2)
    return memory.toString("utf8", 0, memory.write(base64, "base64"))
  }
}

type FrameHeaders = { readonly [name: string]: string }

const chunkStart = '{"bytes":"'

/** As the service writes it; any other JSON is read as JSON. */
function base64In(text: string, at: number, end: number): string {
  const from = at + chunkStart.length
  const to = text.startsWith(chunkStart, at) ? text.indexOf('"', from) : -1
  const plain = to !== -1 && to < end ? text.slice(from, to) : undefined
  const bytes = plain === undefined || plain.includes("\\") ? objectIn(text.slice(at, end))?.bytes : plain
  if (typeof bytes !== "string") throw damaged()
  return bytes
}

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
function headersIn(bytes: Buffer): FrameHeaders {
  const headers: { [name: string]: string } = {}
  let at = 0
  try {
    while (at < bytes.length) {
      const nameEnd = at + 1 + bytes.readUInt8(at)
      const name = bytes.toString("utf8", at + 1, nameEnd)
      const type = bytes.readUInt8(nameEnd)
      const fixed = valueBytes[type]
      if (fixed === undefined) throw damaged()
      const from = nameEnd + (fixed < 0 ? 3 : 1)
      at = from + (fixed < 0 ? bytes.readUInt16BE(nameEnd + 1) : fixed)
      if (type === textType) headers[name] = bytes.toString("utf8", from, at)
    }
  } catch {
    throw damaged()
  }
  return headers
}
