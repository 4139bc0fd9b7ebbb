/** Reads single entries out of a log by their offsets: neighbours are read together. */

import { closeSync, openSync } from "node:fs"
import type { Entry } from "#agent/words/entry.ts"
import { readPiece } from "./backwards.ts"
import type { IndexRows, Range } from "./index-rows.ts"
import { decodeEntry } from "./line.ts"
import { unsealed } from "./seal.ts"

/** In the order of the places. Invalid entries are left out. Rejects when the file cannot be read. */
export async function fetchEntries(path: string, rows: IndexRows, places: readonly number[]): Promise<Entry[]> {
  if (places.length === 0) return []
  // Loaded when it is first used: a start does not need it, and would take 2 ms longer.
  const { open } = await import("node:fs/promises")
  const file = await open(path)
  try {
    const entries: Entry[] = []
    for (const { from, bytes, ranges } of reads(rows, places)) {
      const piece = Buffer.allocUnsafe(bytes)
      const { bytesRead } = await file.read(piece, 0, bytes, from)
      entries.push(...entriesIn(piece.subarray(0, bytesRead), from, ranges))
    }
    return entries
  } finally {
    await file.close()
  }
}

/** The synchronous version; it throws. */
export function fetchNow(path: string, rows: IndexRows, places: readonly number[]): Entry[] {
  if (places.length === 0) return []
  const fd = openSync(path, "r")
  try {
    return [...reads(rows, places)].flatMap(({ from, bytes, ranges }) =>
      entriesIn(readPiece(fd, from, bytes), from, ranges),
    )
  } finally {
    closeSync(fd)
  }
}

interface OneRead {
  readonly from: number
  readonly bytes: number
  readonly ranges: readonly Range[]
}

/** Reading across a gap of this size costs less than another read. */
const bridgedBytes = 16 * 1024
/** Parsed in one go. */
const mostBytes = 256 * 1024

function* reads(rows: IndexRows, places: readonly number[]): Generator<OneRead> {
  let ranges: Range[] = []
  let from = 0
  let end = 0
  for (const place of places) {
    const range = rows.rangeOf(place)
    const isClose = range.at >= end && range.at - end <= bridgedBytes && range.at + range.bytes - from <= mostBytes
    if (ranges.length > 0 && !isClose) {
      yield { from, bytes: end - from, ranges }
      ranges = []
    }
    if (ranges.length === 0) from = range.at
    ranges.push(range)
    end = range.at + range.bytes
  }
  if (ranges.length > 0) yield { from, bytes: end - from, ranges }
}

const entriesIn = (piece: Buffer, from: number, ranges: readonly Range[]): Entry[] =>
  ranges.flatMap(({ at, bytes }) => {
    const line = unsealed(piece.toString("utf8", at - from, at - from + bytes))
    return (line && decodeEntry(line)) ?? []
  })
