/** Collects a command's output in bounded memory: the beginning and the end are kept, all of it goes to a file. */

import { headAndTail } from "#lib/head-and-tail.ts"
import { readableOutput } from "#lib/readable-output.ts"
import { openEnds, unfinishedEnd } from "./output-ends.ts"
import { openSpool, type Spool } from "./spool.ts"

export interface Output {
  /** Made printable; cut in the middle when it exceeds the limit. */
  readonly text: string
  readonly bytes: number
  /** Its offset in the full output. */
  readonly from: number
  /** Where the full output is, if it is kept in a file. */
  readonly file?: string
}

/** The end of the output, in whole lines. */
export interface OutputTail {
  readonly text: string
  /** There is output before it. */
  readonly isCut: boolean
  /** The size of the whole output. */
  readonly bytes: number
}

export interface OutputLimits {
  /** Characters kept for the model. */
  readonly characters: number
  /** The most bytes written to the file. */
  readonly fileBytes: number
}

export interface OutputCollector {
  readonly add: (chunk: Uint8Array) => void
  /** Hears what is added from now on; the result unsubscribes. */
  readonly onAdd: (heard: (chunk: Uint8Array) => void) => () => void
  /** From now on everything goes to the file as it arrives, however short; otherwise only long output does. */
  readonly keepAll: () => void
  /** Output since the last call. Half a character or half a terminal sequence waits for its other half. */
  readonly finish: () => Output
  readonly file: () => string | undefined
  /** The file, if it exists and is complete. */
  readonly whole: () => string | undefined
  /** The last bytes, taken or not. */
  readonly recent: () => Uint8Array
  readonly total: () => number
  /** Nothing is added after this; what was not taken yet still can be. */
  readonly close: () => void
}

/** Enough for the last line, if it is readable at all. */
const recentBytes = 512

export function collectOutput({
  limits,
  file,
}: {
  readonly limits: OutputLimits
  readonly file: string
}): OutputCollector {
  // A character has at most four bytes, so this is certainly enough for half the limit at either end.
  const half = limits.characters * 2
  let fresh = openEnds(half)
  let from = 0
  let total = 0
  let recent: Uint8Array = new Uint8Array(0)
  let spool: Spool | undefined
  let isClosed = false
  const listeners = new Set<(chunk: Uint8Array) => void>()

  /** Until the file exists, nothing was cut or taken, so everything is still in memory. */
  function keepAll(): Spool {
    spool ??= openSpool(file, fresh.beginning(), limits.fileBytes)
    return spool
  }

  function add(chunk: Uint8Array): void {
    if (!fresh.hasRoomFor(chunk.length)) keepAll()
    spool?.add(chunk)
    fresh.add(chunk)
    total += chunk.length
    recent = chunk.length >= recentBytes ? chunk.slice(-recentBytes) : joined(recent, chunk)
    for (const heard of listeners) heard(chunk)
  }

  function finish(): Output {
    if (!isClosed) keepAll()
    const held = isClosed ? new Uint8Array(0) : unfinishedEnd(fresh.ending())
    const bytes = total - from - held.length
    const text = textOf(bytes, held.length)
    const taken: Output = { text, bytes, from, ...given(spool) }
    fresh = openEnds(half)
    fresh.add(held)
    from += bytes
    return taken
  }

  function textOf(bytes: number, held: number): string {
    const beginning = fresh.beginning()
    if (!fresh.isCut()) {
      const text = readableOutput(beginning.subarray(0, beginning.length - held).toString("utf8"))
      if (text.length <= limits.characters) return text
      const late = keepAll()
      if (isClosed) late.close()
      return headAndTail(text, text, limits.characters, note(bytes, from, late))
    }
    const ending = fresh.ending()
    const start = readableOutput(beginning.subarray(0, half).toString("utf8"))
    const end = readableOutput(ending.subarray(0, ending.length - held).toString("utf8"))
    return headAndTail(start, end, limits.characters, note(bytes, from, keepAll()))
  }

  return {
    add,
    onAdd(heard) {
      listeners.add(heard)
      return () => void listeners.delete(heard)
    },
    keepAll: () => void keepAll(),
    finish,
    file: () => spool?.file(),
    whole: () => (spool?.isWhole() ? spool.file() : undefined),
    recent: () => recent,
    total: () => total,
    close() {
      isClosed = true
      spool?.close()
    },
  }
}

/** No one scrolls through more than this. */
const tailBytes = 64 * 1024

export async function tailOf(output: Pick<OutputCollector, "whole" | "recent" | "total">): Promise<OutputTail> {
  const bytes = (await fileEnd(output.whole())) ?? output.recent()
  const text = readableOutput(Buffer.from(bytes).toString("utf8"))
  const total = output.total()
  const isCut = total > bytes.length
  // The first line begins somewhere in the middle, unless it is the only one.
  return { text: isCut ? text.slice(text.indexOf("\n", 0) + 1) : text, isCut, bytes: total }
}

async function fileEnd(path: string | undefined): Promise<Uint8Array | undefined> {
  if (path === undefined) return undefined
  try {
    const file = Bun.file(path)
    return await file.slice(Math.max(0, file.size - tailBytes)).bytes()
  } catch {
    return undefined
  }
}

const joined = (before: Uint8Array, chunk: Uint8Array): Uint8Array =>
  Buffer.concat([before, chunk]).subarray(-recentBytes)

function given(spool: Spool | undefined): { readonly file?: string } {
  const file = spool?.file()
  return file === undefined ? {} : { file }
}

function note(bytes: number, from: number, spool: Spool): string {
  const file = spool.file()
  const count = `${bytes.toLocaleString("en-US")} bytes ${from === 0 ? "in all" : "since the last time"}`
  if (file === undefined) return `[Cut here: ${count}; they could not be kept in a file.]`
  return `[Cut here: ${count}. ${spool.isWhole() ? "All of it is" : "The beginning is"} in ${file}; Read or Grep it there.]`
}
