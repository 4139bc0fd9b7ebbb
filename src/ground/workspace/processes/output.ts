/** Collects a command's output in bounded memory: the beginning and the end are kept, and more of it in a file. */

import { headAndTail } from "#lib/head-and-tail.ts"
import { optional } from "#lib/optional.ts"
import { readableOutput } from "#lib/readable-output.ts"
import { openEnds, unfinishedEnd } from "./output-ends.ts"
import { defaultOutputFiles, type OutputReservation, type OutputRoom } from "./output-room.ts"
import { openSpool, type Spool } from "./spool.ts"

export interface Output {
  /** Made printable; cut in the middle when it exceeds the limit. */
  readonly text: string
  readonly bytes: number
  /** Its offset in the full output. */
  readonly from: number
  /** Where the full output is, if it is kept in a file. */
  readonly file?: string
  /** If it was cut: the line in the text that says so to the model, and how many lines are missing there. */
  readonly cut?: { readonly note: string; readonly lines: number }
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
  /** The most bytes written to the file; otherwise what the session has room for. */
  readonly fileBytes?: number
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
  /** The same, but more of them, from the file. */
  readonly ending: (most: number) => Uint8Array | undefined
  readonly total: () => number
  /** Nothing is added after this; what was not taken yet still can be. */
  readonly close: () => void
}

/** Enough for the last line, if it is readable at all. */
const recentBytes = 512

export function collectOutput({
  limits,
  file,
  room,
}: {
  readonly limits: OutputLimits
  readonly file: string
  readonly room?: OutputRoom | undefined
}): OutputCollector {
  // A character has at most four bytes, so this is certainly enough for half the limit at either end.
  const half = limits.characters * 2
  let fresh = openEnds(half)
  let from = 0
  let total = 0
  let lines = 0
  let recent: Uint8Array = new Uint8Array(0)
  let spool: Spool | undefined
  let reserved: OutputReservation | undefined
  let isClosed = false
  const listeners = new Set<(chunk: Uint8Array) => void>()

  /** Until the file exists, nothing was cut or taken, so everything is still in memory. */
  function keepAll(): Spool {
    if (spool) return spool
    reserved = room?.reserve()
    const most = Math.min(limits.fileBytes ?? defaultOutputFiles.commandBytes, reserved?.bytes ?? Infinity)
    return (spool = openSpool(file, fresh.beginning(), { most, note: leftOutNote(most) }))
  }

  function add(chunk: Uint8Array): void {
    if (!fresh.hasRoomFor(chunk.length)) keepAll()
    spool?.add(chunk)
    fresh.add(chunk)
    total += chunk.length
    lines += linesIn(chunk)
    recent = chunk.length >= recentBytes ? chunk.slice(-recentBytes) : joined(recent, chunk)
    for (const heard of listeners) heard(chunk)
  }

  function finish(): Output {
    if (!isClosed) keepAll()
    const unfinished = isClosed ? new Uint8Array(0) : unfinishedEnd(fresh.ending())
    const bytes = total - from - unfinished.length
    const { text, note: said } = textOf(bytes, unfinished.length)
    const shown = text.trimEnd().split("\n").length - 1
    const cut = said === undefined ? undefined : { note: said, lines: Math.max(0, lines - shown) }
    const taken: Output = { text, bytes, from, ...spoolFile(spool), ...optional("cut", cut) }
    lines = 0
    fresh = openEnds(half)
    fresh.add(unfinished)
    from += bytes
    return taken
  }

  function closeSpool(): void {
    spool?.close()
    reserved?.settle(spool?.bytes() ?? 0)
  }

  function textOf(bytes: number, unfinishedLength: number): { readonly text: string; readonly note?: string } {
    const beginning = fresh.beginning()
    if (!fresh.isCut()) {
      const text = readableOutput(beginning.subarray(0, beginning.length - unfinishedLength).toString("utf8"))
      if (text.length <= limits.characters) return { text }
      const late = keepAll()
      if (isClosed) closeSpool()
      const said = note(bytes, from, late, reserved)
      return { text: headAndTail(text, text, limits.characters, said), note: said }
    }
    const ending = fresh.ending()
    const start = readableOutput(beginning.subarray(0, half).toString("utf8"))
    const end = readableOutput(ending.subarray(0, ending.length - unfinishedLength).toString("utf8"))
    const said = note(bytes, from, keepAll(), reserved)
    return { text: headAndTail(start, end, limits.characters, said), note: said }
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
    whole: () => (spool?.kept() === "all" ? spool.file() : undefined),
    ending: (most) => spool?.ending(most),
    recent: () => recent,
    total: () => total,
    close() {
      isClosed = true
      closeSpool()
    },
  }
}

/** No one scrolls through more than this. */
const tailBytes = 64 * 1024

export function tailOf(output: Pick<OutputCollector, "ending" | "recent" | "total">): OutputTail {
  const bytes = output.ending(tailBytes) ?? output.recent()
  const text = readableOutput(Buffer.from(bytes).toString("utf8"))
  const total = output.total()
  const isCut = total > bytes.length
  // The first line begins somewhere in the middle, unless it is the only one.
  return { text: isCut ? text.slice(text.indexOf("\n", 0) + 1) : text, isCut, bytes: total }
}

function linesIn(chunk: Uint8Array): number {
  let count = 0
  for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) count++
  return count
}

const joined = (before: Uint8Array, chunk: Uint8Array): Uint8Array =>
  Buffer.concat([before, chunk]).subarray(-recentBytes)

function spoolFile(spool: Spool | undefined): { readonly file?: string } {
  const file = spool?.file()
  return file === undefined ? {} : { file }
}

function note(bytes: number, from: number, spool: Spool, reserved: OutputReservation | undefined): string {
  const count = `${counted(bytes)} ${from === 0 ? "in all" : "since the last time"}`
  const file = spool.file()
  if (file !== undefined) return `[Cut here: ${count}. ${keptWords[spool.kept()]} in ${file}; Read or Grep it there.]`
  return reserved?.bytes === 0
    ? `[Cut here: ${count}. The rest is not kept: this session has as much output in files as it may have (setting storage.sessionOutputMb).]`
    : `[Cut here: ${count}; they could not be kept in a file.]`
}

const keptWords: { readonly [kept in ReturnType<Spool["kept"]>]: string } = {
  all: "All of it is",
  ends: "Its beginning and its end are",
  beginning: "The beginning is",
}

const leftOutNote =
  (most: number) =>
  (leftOut: number): string =>
    `\n[${counted(leftOut)} are left out here: at most ${counted(most)} of this output are kept (settings storage.commandOutputMb and storage.sessionOutputMb).]\n`

const counted = (bytes: number): string => `${bytes.toLocaleString("en-US")} bytes`
