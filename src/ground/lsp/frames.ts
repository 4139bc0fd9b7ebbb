/** Messages behind a Content-Length header, as language servers write them: bytes in, JSON objects out, all bounded. */

import { isObject, type JsonObject } from "#lib/json.ts"

export interface FrameSplitter {
  readonly push: (chunk: Uint8Array) => void
}

export interface FrameListener {
  readonly onMessage: (message: JsonObject) => void
  /** Nothing that comes after it can be understood. */
  readonly onBroken: (why: string) => void
}

const mostHeaderBytes = 16_000
const mostBodyBytes = 32_000_000
/** Some servers print a greeting first. */
const mostStrangeBytes = 64_000
const mostUnreadable = 20

export const frameOf = (message: JsonObject): string => {
  const body = JSON.stringify(message)
  return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

export function openFrames({ onMessage, onBroken }: FrameListener): FrameSplitter {
  let chunks: Uint8Array[] = []
  let size = 0
  /** Undefined while the header is read. */
  let length: number | undefined
  let strange = 0
  let unreadable = 0
  let isBroken = false

  function fail(why: string): void {
    isBroken = true
    chunks = []
    onBroken(why)
  }

  /** Everything that is there, in one piece; copied only where it came in several. */
  function whole(): Buffer {
    const [first, ...more] = chunks
    const all =
      first && more.length === 0 ? Buffer.from(first.buffer, first.byteOffset, first.byteLength) : Buffer.concat(chunks)
    chunks = [all]
    return all
  }

  /** Consumes this many bytes from the front. */
  function consume(count: number): Buffer {
    const all = whole()
    const rest = all.subarray(count)
    chunks = rest.length === 0 ? [] : [rest]
    size = rest.length
    return all.subarray(0, count)
  }

  /** Whether there was one, or something to skip. */
  function readHeader(): boolean {
    const end = headerEnd(whole())
    if (end === undefined) {
      if (size > mostHeaderBytes) fail("it printed something that is not a message")
      return false
    }
    const found = /(?:^|\n)content-length:[ \t]*(\d{1,12})[ \t]*\r?\n/i.exec(
      `${consume(end.after).toString("latin1")}\n`,
    )
    if (found) length = Number(found[1])
    else strange += end.after
    if (length !== undefined && length > mostBodyBytes)
      fail(`it sent a message of more than ${mostBodyBytes / 1_000_000} MB`)
    else if (strange > mostStrangeBytes) fail("it printed something that is not a message")
    return !isBroken
  }

  function readBody(bytes: number): boolean {
    if (size < bytes) return false
    const message = parsed(consume(bytes))
    length = undefined
    if (message) onMessage(message)
    else if (++unreadable > mostUnreadable) fail("it sent messages that are not JSON")
    return !isBroken
  }

  return {
    push(chunk) {
      if (isBroken) return
      chunks.push(chunk)
      size += chunk.length
      while (size > 0 && (length === undefined ? readHeader() : readBody(length))) {
        // One message after the other.
      }
    },
  }
}

function headerEnd(bytes: Buffer): { readonly after: number } | undefined {
  const strict = bytes.indexOf("\r\n\r\n")
  if (strict !== -1) return { after: strict + 4 }
  const loose = bytes.indexOf("\n\n")
  return loose === -1 ? undefined : { after: loose + 2 }
}

function parsed(body: Buffer): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
