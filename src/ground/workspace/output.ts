/** Collects what a command prints in bounded memory: the beginning and the end are kept, all of it goes to a file. */

import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import { headAndTail } from "#lib/head-and-tail.ts"
import { readableOutput } from "#lib/readable-output.ts"

export interface Output {
  /** What was printed, made printable; cut in the middle when it is longer than the limit. */
  readonly text: string
  readonly bytes: number
  /** Where all of it is, when the text is cut. */
  readonly file?: string
}

export interface OutputLimits {
  /** Characters that are kept for the model. */
  readonly characters: number
  /** Bytes that go to the file at most. */
  readonly fileBytes: number
}

export interface OutputCollector {
  readonly add: (chunk: Uint8Array) => void
  readonly bytes: () => number
  /** Nothing is added after this. */
  readonly finish: () => Output
}

export function collectOutput({
  limits,
  file,
}: {
  readonly limits: OutputLimits
  readonly file: string
}): OutputCollector {
  // A character has at most four bytes, so this much surely holds half the limit at either end.
  const half = limits.characters * 2
  const head: Uint8Array[] = []
  const tail = lastBytes(half)
  let headBytes = 0
  let total = 0
  let spool: Spool | undefined

  function add(chunk: Uint8Array): void {
    total += chunk.length
    const room = half * 2 - headBytes
    // Copied: a chunk may be a window on a buffer that is filled again.
    if (room > 0) head.push(chunk.slice(0, room))
    headBytes += Math.min(room, chunk.length)
    if (chunk.length <= room) return
    if (spool === undefined) {
      spool = openSpool(file, head, limits.fileBytes)
      for (const kept of head) tail.add(kept)
    }
    const rest = chunk.subarray(Math.max(0, room))
    spool.add(rest)
    tail.add(rest)
  }

  function finish(): Output {
    spool?.close()
    const beginning = Buffer.concat(head)
    if (spool === undefined) {
      const text = readableOutput(beginning.toString("utf8"))
      if (text.length <= limits.characters) return { text, bytes: total }
      spool = openSpool(file, head, limits.fileBytes)
      spool.close()
      return { text: headAndTail(text, text, limits.characters, note(total, spool)), bytes: total, ...spool.where() }
    }
    const start = readableOutput(beginning.subarray(0, half).toString("utf8"))
    const end = readableOutput(tail.bytes().toString("utf8"))
    return { text: headAndTail(start, end, limits.characters, note(total, spool)), bytes: total, ...spool.where() }
  }

  return { add, bytes: () => total, finish }
}

function note(bytes: number, spool: Spool): string {
  const { file } = spool.where()
  const count = bytes.toLocaleString("en-US")
  if (file === undefined) return `[Cut here: ${count} bytes in all; they could not be kept in a file.]`
  return `[Cut here: ${count} bytes in all. ${spool.isWhole() ? "All of it is" : "The beginning is"} in ${file}; Read or Grep it there.]`
}

interface Spool {
  readonly add: (chunk: Uint8Array) => void
  readonly close: () => void
  readonly isWhole: () => boolean
  readonly where: () => { readonly file?: string }
}

/** The file for the whole output. A full disk ends the file, not the command. */
function openSpool(file: string, head: readonly Uint8Array[], most: number): Spool {
  let fd: number | undefined
  let written = 0
  let isWhole = true

  function add(chunk: Uint8Array): void {
    if (fd === undefined) return
    const part = chunk.subarray(0, most - written)
    if (part.length < chunk.length) isWhole = false
    try {
      for (let from = 0; from < part.length;) from += writeSync(fd, part, from)
      written += part.length
    } catch {
      isWhole = false
    }
  }

  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, "", { mode: 0o600 })
    fd = openSync(file, "a")
    for (const chunk of head) add(chunk)
  } catch {
    isWhole = false
  }
  const isKept = fd !== undefined
  return {
    add,
    close() {
      if (fd !== undefined) closeSync(fd)
      fd = undefined
    },
    isWhole: () => isWhole,
    where: () => (isKept ? { file } : {}),
  }
}

/** Keeps the last bytes of a stream in one buffer that is written round and round. */
function lastBytes(capacity: number) {
  let ring: Buffer | undefined
  let next = 0
  let isRound = false
  return {
    add(chunk: Uint8Array): void {
      ring ??= Buffer.allocUnsafe(capacity)
      const part = chunk.subarray(Math.max(0, chunk.length - capacity))
      const first = Math.min(part.length, capacity - next)
      ring.set(part.subarray(0, first), next)
      ring.set(part.subarray(first), 0)
      if (next + part.length >= capacity) isRound = true
      next = (next + part.length) % capacity
    },
    bytes(): Buffer {
      if (ring === undefined) return Buffer.alloc(0)
      const all = isRound ? Buffer.concat([ring.subarray(next), ring.subarray(0, next)]) : ring.subarray(0, next)
      // The first character may have lost its first bytes.
      let start = 0
      while (start < 3 && ((all[start] ?? 0) & 0xc0) === 0x80) start++
      return all.subarray(start)
    },
  }
}
