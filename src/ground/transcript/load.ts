/**
 * Reads a log back, whole or from its end. A torn last line is cut off, a corrupt one in the middle is skipped; both
 * are reported, neither is fatal.
 */

import { closeSync, fstatSync, openSync, truncateSync } from "node:fs"
import type { Entry } from "#agent/words/entry.ts"
import type { JsonObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { endOfLines, linesBackwards, readPiece, textOf } from "./backwards.ts"
import { openClearedResults } from "./cleared-results.ts"
import { linesInside } from "./inside.ts"
import { decodeEntry, parentIn } from "./line.ts"
import { unsealed } from "./seal.ts"
import { logFormat } from "./log.ts"
import { damagedNote, missingNote } from "./log-notes.ts"
import { isAfterGap, pathOf } from "./path.ts"

export interface Loaded {
  readonly entries: readonly Entry[]
  /** What had to be left out, for the user. */
  readonly notes: readonly string[]
}

export interface LoadedTail extends Loaded {
  /** The unread part before the first entry; 0 when everything was read. */
  readonly unreadBytes: number
}

export type LoadFailure =
  | { readonly kind: "unreadable"; readonly path: string; readonly message: string }
  | { readonly kind: "newer"; readonly path: string; readonly format: number }

/** What to do with a torn last line: only the process with the session's lock may cut it off. */
export interface TornLine {
  readonly torn: "cut" | "leave"
}

/** What a session continues with. */
export interface LoadedSession extends LoadedTail {
  /**
   * From this entry on all are whole, and it is not long ago; results before it that were cleared from the conversation
   * lack their text.
   */
  readonly wholeFrom: number
}

export function loadLog(path: string, options: TornLine = { torn: "cut" }): Result<Loaded, LoadFailure> {
  const read = readLog(path, { ...options, from: "the beginning" })
  return read.ok ? ok({ entries: read.value.entries, notes: read.value.notes }) : read
}

/**
 * The end of a log, from the last compaction on, which includes the state at that moment. If the conversation was
 * rewound to before that compaction, reads on to the previous one, or to the beginning.
 */
export function loadTail(path: string, options: TornLine = { torn: "cut" }): Result<LoadedTail, LoadFailure> {
  const read = readLog(path, { ...options, from: "the last compaction" })
  if (!read.ok) return read
  const { entries, notes, unreadBytes } = read.value
  return ok({ entries, notes, unreadBytes })
}

/** The same, without the text of results that were cleared from the conversation. */
export function loadSession(path: string): Result<LoadedSession, LoadFailure> {
  return readLog(path, { torn: "cut", from: "the last compaction", cleared: "without text" })
}

interface Line {
  readonly at: number
  /** Absent when it is damaged. */
  readonly line: JsonObject | undefined
  readonly entry: Entry | undefined
  /** It was found inside a damaged line, and has no line number of its own. */
  readonly isInside?: true
}

function readLog(
  path: string,
  {
    torn,
    from,
    cleared: how,
  }: TornLine & { readonly from: "the beginning" | "the last compaction"; readonly cleared?: "without text" },
): Result<LoadedSession, LoadFailure> {
  let fd: number | undefined
  try {
    fd = openSync(path, "r")
    const { size } = fstatSync(fd)
    const end = endOfLines(fd, size)
    const format = formatIn(fd, end)
    if (format > logFormat) return failed({ kind: "newer", path, format })

    const lines: Line[] = []
    const cleared = how && openClearedResults()
    /** The last entry without its text. */
    let lastCut: string | undefined
    let firstRecentTurn: string | undefined
    let looked = 0
    let enough: Loaded | undefined
    for (const { at, bytes } of linesBackwards(fd, end)) {
      const cut = cleared?.withoutText(bytes)
      const line = cut ?? unsealed(textOf(bytes))
      const entry = line && decodeEntry(line)
      if (!line) lines.push(...wholeInside(at, textOf(bytes)).toReversed())
      if (entry) cleared?.note(entry)
      if (cut) lastCut ??= entry?.uuid
      if (entry?.kind === "turn_start" && (end - at <= recentBytes || firstRecentTurn === undefined))
        firstRecentTurn = entry.uuid
      lines.push({ at, line, entry })
      if (from === "the beginning" || entry?.kind !== "compaction" || lines.length < looked * 1.5) continue
      // Each look goes over all that was read, so the next one waits until there is more than a little new.
      looked = lines.length
      const found = inOrder(lines.toReversed(), () => 0)
      if (!isEnough(found.entries)) continue
      enough = found
      break
    }
    const unreadBytes = lines.at(-1)?.at ?? 0
    const open = fd
    // Only notes have line numbers, which need to be counted from the beginning.
    const put = enough?.notes.length === 0 ? enough : inOrder(lines.toReversed(), () => countLines(open, unreadBytes))
    if (size > end && torn === "cut") truncateSync(path, end)
    const isRecent = end - unreadBytes <= recentBytes
    const wholeFrom = Math.max(
      lastCut === undefined ? 0 : wholeAfter(put.entries, lastCut),
      isRecent ? 0 : put.entries.findIndex(({ uuid }) => uuid === firstRecentTurn),
    )
    return ok({ ...put, notes: [...tornNote(size - end, torn), ...put.notes], unreadBytes, wholeFrom })
  } catch (error) {
    return failed({ kind: "unreadable", path, message: error instanceof Error ? error.message : String(error) })
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/** So much of a long conversation is shown at once; what is older is read when somebody scrolls to it. */
const recentBytes = 4_000_000

/** The beginning of a turn, where there is one. */
function wholeAfter(entries: readonly Entry[], uuid: string): number {
  const after = entries.findIndex((entry) => entry.uuid === uuid) + 1
  const turn = entries.findIndex(({ kind }, index) => index >= after && kind === "turn_start")
  return turn < 0 ? after : turn
}

export const tornNote = (bytes: number, torn: TornLine["torn"]): string[] =>
  bytes === 0
    ? []
    : [
        torn === "cut"
          ? `The last line of the session was torn and has been cut off (${bytes} bytes).`
          : `The last line of the session is torn and was left out (${bytes} bytes).`,
      ]

/**
 * Whether the conversation can be followed without a gap to the compaction at the start of these entries, or to its
 * own beginning after that.
 */
function isEnough(entries: readonly Entry[]): boolean {
  if (isOneChain(entries)) return true
  const path = pathOf(entries)
  const last = entries.at(-1)
  if (last?.kind === "head" && last.to !== (path.at(-1)?.uuid ?? null)) return false
  const [first] = path
  const begins = first === undefined || first.parentUuid === null || first === entries[0]
  return begins && !path.some((_, index) => isAfterGap(path, index))
}

/** Nothing was ever rewound, and nothing is missing: most logs need no tree to tell their conversation. */
const isOneChain = (entries: readonly Entry[]): boolean =>
  entries.every(
    ({ kind, parentUuid }, index) => kind !== "head" && (index === 0 || parentUuid === entries[index - 1]?.uuid),
  )

const wholeInside = (at: number, text: string): Line[] =>
  linesInside(Buffer.from(text)).map(({ line }) => ({ at, line, entry: decodeEntry(line), isInside: true }))

function inOrder(lines: readonly Line[], linesBefore: () => number): Loaded {
  const entries: Entry[] = []
  const notes: string[] = []
  const known = new Set<string>()
  /** Lines that are not our entries are links of the chain all the same: the entries around them are joined. */
  const skipped = new Map<string, string | null>()
  const isWhole = lines[0]?.at === 0
  let before: number | undefined
  let inside = 0
  const numberOf = (index: number): number => (before ??= linesBefore()) + index - inside + 1

  lines.forEach(({ line, entry, isInside }, index) => {
    if (isInside) inside++
    if (!line) {
      notes.push(damagedNote(numberOf(index), lines[index + 1]?.isInside === true))
      return
    }
    const { uuid } = line
    if (typeof uuid !== "string" || known.has(uuid)) return
    known.add(uuid)
    const parent = parentIn(line)
    const joined = parent === null ? null : (skipped.get(parent) ?? parent)
    if (!entry) {
      skipped.set(uuid, joined)
      return
    }
    // Before the first entry of a tail is what was not read.
    if (parent !== null && !known.has(parent) && (isWhole || entries.length > 0))
      notes.push(missingNote(numberOf(index)))
    entries.push(joined === entry.parentUuid ? entry : { ...entry, parentUuid: joined })
  })
  return { entries, notes }
}

const headerBytes = 8192

/** 0 when the first line names none. */
export function formatIn(fd: number, end: number): number {
  const [first = ""] = readPiece(fd, 0, Math.min(headerBytes, end)).toString("utf8").split("\n", 1)
  const header = unsealed(first)
  return header?.type === "header" && typeof header.format === "number" ? header.format : 0
}

/** Lines are only counted when one has to be reported. */
function countLines(fd: number, end: number): number {
  let count = 0
  for (let from = 0; from < end;) {
    const piece = readPiece(fd, from, Math.min(1 << 20, end - from))
    for (let at = piece.indexOf(0x0a); at >= 0; at = piece.indexOf(0x0a, at + 1)) count++
    from += piece.length
    if (piece.length === 0) break
  }
  return count
}
