/** Scans a log from its beginning, piece by piece, and records what each line is. Yields between pieces. */

import { closeSync, openSync } from "node:fs"
import { readPiece } from "./backwards.ts"
import { scanLine, linkOf } from "./scan-line.ts"
import type { GrowingRows, Range } from "./index-rows.ts"
import { linesInside } from "./inside.ts"
import { damagedNote, missingNote } from "./log-notes.ts"
import type { Link } from "./tree.ts"

const pieceBytes = 512 * 1024

/** Rejects when the file cannot be read. */
export async function scan(path: string, end: number, rows: GrowingRows): Promise<void> {
  const { open } = await import("node:fs/promises")
  const file = await open(path)
  try {
    const lines = openLines(rows)
    for (let from = 0; from < end;) {
      const piece = Buffer.allocUnsafe(Math.min(pieceBytes, end - from))
      const { bytesRead } = await file.read(piece, 0, piece.length, from)
      if (bytesRead === 0) break
      lines.push(piece.subarray(0, bytesRead))
      from += bytesRead
    }
    lines.end()
  } finally {
    await file.close()
  }
}

/** The synchronous version. */
export function scanNow(path: string, end: number, rows: GrowingRows, report: Report = () => {}): void {
  const fd = openSync(path, "r")
  try {
    const lines = openLines(rows, report)
    for (let from = 0; from < end;) {
      const piece = readPiece(fd, from, Math.min(pieceBytes * 2, end - from))
      if (piece.length === 0) break
      lines.push(piece)
      from += piece.length
    }
    lines.end()
  } finally {
    closeSync(fd)
  }
}

/** Hears a sentence about each line that is damaged or comes after a gap. */
type Report = (note: string) => void

function openLines(
  rows: GrowingRows,
  report: Report = () => {},
): { readonly push: (piece: Buffer) => void; readonly end: () => void } {
  /** The pieces of an incomplete line: joined once, however long it is. */
  let begun: Buffer[] = []
  let at = 0
  let number = 0
  const put = (line: Buffer): void => {
    const isReturn = line.at(-1) === 0x0d
    number++
    note(isReturn ? line.subarray(0, -1) : line, { at, number }, rows, report)
    at += line.length + 1
  }
  return {
    push(piece) {
      let from = 0
      for (;;) {
        const newline = piece.indexOf(0x0a, from)
        if (newline < 0) break
        const rest = piece.subarray(from, newline)
        put(begun.length === 0 ? rest : Buffer.concat([...begun, rest]))
        begun = []
        from = newline + 1
      }
      if (from < piece.length) begun.push(piece.subarray(from))
    },
    end() {
      if (begun.length > 0) put(Buffer.concat(begun))
      begun = []
    },
  }
}

function note(
  line: Buffer,
  { at, number }: { readonly at: number; readonly number: number },
  rows: GrowingRows,
  report: Report,
): void {
  if (line.length === 0) return
  const add = (link: Link, range: Range): void => {
    const { parentUuid } = link
    const isLinked = parentUuid === null || rows.placeOf(parentUuid) !== undefined
    if (!isLinked && link.kind !== undefined && rows.placeOf(link.uuid) === undefined) report(missingNote(number))
    rows.add(link, range)
  }
  const seen = scanLine(line)
  if (seen === "other") return
  if (seen) return add(seen, { at, bytes: line.length })
  const inside = linesInside(line)
  report(damagedNote(number, inside.length > 0))
  for (const inner of inside) {
    const link = linkOf(inner.line)
    if (link !== "other") add(link, { at: at + inner.at, bytes: inner.bytes })
  }
}
