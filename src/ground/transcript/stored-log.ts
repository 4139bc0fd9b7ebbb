/**
 * A log that is only looked at: its index is in memory, and its entries are read as they are wanted, a few megabytes at
 * a time. What is appended while it is open is not seen.
 */

import { closeSync, fstatSync, openSync } from "node:fs"
import type { Entry } from "#agent/words/entry.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { endOfLines } from "./backwards.ts"
import { fetchNow } from "./fetch.ts"
import { type IndexRows, openRows } from "./index-rows.ts"
import { onDemand } from "./on-demand.ts"
import { formatIn, type LoadFailure, tornNote } from "./load.ts"
import { logFormat } from "./log.ts"
import { type Branch, branchesIn } from "./path.ts"
import { scanNow } from "./scan.ts"
import { walkTo } from "./tree.ts"

export interface StoredLog {
  /** What had to be left out, for the user. */
  readonly notes: readonly string[]
  /** The current conversation in pieces. No call is parted from its result, unless there is very much between them. */
  readonly conversation: () => Iterable<StoredPiece>
  /** All of it, in the order in which it was written. */
  readonly entries: Iterable<Entry>
  /** The same as a list; the texts of results are read from the log when they are wanted. */
  readonly list: () => readonly Entry[]
  /** What leads to one of them, itself included; undefined when the log has no such entry. */
  readonly pathTo: (uuid: string) => Iterable<Entry> | undefined
  readonly ofKinds: (...kinds: readonly Entry["kind"][]) => readonly Entry[]
  readonly branches: () => readonly Branch[]
}

export interface StoredPiece {
  readonly entries: readonly Entry[]
  readonly isAfterGap: (index: number) => boolean
}

export function openStoredLog(path: string): Result<StoredLog, LoadFailure> {
  const rows = openRows()
  const notes: string[] = []
  try {
    const { end, torn, format } = extentOf(path)
    if (format > logFormat) return failed({ kind: "newer", path, format })
    notes.push(...tornNote(torn, "leave"))
    scanNow(path, end, rows, (note) => notes.push(note))
  } catch (error) {
    return failed({ kind: "unreadable", path, message: error instanceof Error ? error.message : String(error) })
  }
  const all = Array.from({ length: rows.count() }, (_, place) => place)
  const inPieces = (wanted: readonly number[]): Iterable<Entry> => ({
    *[Symbol.iterator]() {
      for (const places of piecesOf(rows, wanted)) yield* fetchNow(path, rows, places)
    },
  })
  return ok({
    notes,
    entries: inPieces(all),
    list: () =>
      [...piecesOf(rows, all)].flatMap((places) =>
        fetchNow(path, rows, places).map((entry) => lean(entry, path, rows)),
      ),
    pathTo(uuid) {
      const place = rows.placeOf(uuid)
      return place === undefined ? undefined : inPieces(walkTo(rows, place))
    },
    *conversation() {
      let isFirst = true
      for (const places of piecesOf(rows, walkTo(rows, rows.tip()))) {
        const entries = fetchNow(path, rows, places)
        const begins = isFirst
        isFirst = false
        yield {
          entries,
          isAfterGap: (index) => {
            const parent = entries[index]?.parentUuid ?? null
            return (!begins || index > 0) && parent !== null && rows.placeOf(parent) === undefined
          },
        }
      }
    },
    ofKinds(...kinds) {
      const wanted = new Set<Entry["kind"] | undefined>(kinds)
      return fetchNow(
        path,
        rows,
        all.filter((place) => wanted.has(rows.kindAt(place))),
      )
    },
    branches: () => branchesIn(rows, (place) => (place < 0 ? undefined : fetchNow(path, rows, [place])[0])),
  })
}

function lean(entry: Entry, path: string, rows: IndexRows): Entry {
  const place = entry.kind === "result" ? rows.placeOf(entry.uuid) : undefined
  if (entry.kind !== "result" || place === undefined || rows.rangeOf(place).bytes < leanBytes) return entry
  return onDemand(entry, () => {
    const [again] = fetchNow(path, rows, [place])
    if (again?.kind !== "result") throw new Error(`${path} has changed while it was read`)
    return again
  })
}

function extentOf(path: string): { readonly end: number; readonly torn: number; readonly format: number } {
  const fd = openSync(path, "r")
  try {
    const { size } = fstatSync(fd)
    const end = endOfLines(fd, size)
    return { end, torn: size - end, format: formatIn(fd, end) }
  } finally {
    closeSync(fd)
  }
}

const pieceBytes = 1_000_000
/** Shorter ones may as well stay in memory. */
const leanBytes = 2_000
const mostBytes = 64_000_000

/** Before a request every call has its result. */
const isBetween = (kind: Entry["kind"] | undefined): boolean =>
  kind === "request" || kind === "turn_start" || kind === "prompt"

function* piecesOf(rows: IndexRows, places: readonly number[]): Generator<readonly number[]> {
  let piece: number[] = []
  let bytes = 0
  for (const place of places) {
    const kind = rows.kindAt(place)
    if (kind === undefined) continue
    if (bytes >= mostBytes || (bytes >= pieceBytes && isBetween(kind))) {
      yield piece
      piece = []
      bytes = 0
    }
    piece.push(place)
    bytes += rows.rangeOf(place).bytes
  }
  if (piece.length > 0) yield piece
}
