/** Reads the lines of a file backwards, in pieces: whoever only needs the end only reads the end. */

import { readSync } from "node:fs"
import { unsealed } from "./seal.ts"

export interface LineAt {
  /** Its offset in the file. */
  readonly at: number
  readonly bytes: Buffer
}

const firstPiece = 256 * 1024
const largestPiece = 8 * 1024 * 1024

/** From `end`, where a line ends, to the beginning. Lines of any length; empty ones are skipped. */
export function* linesBackwards(fd: number, end: number): Generator<LineAt> {
  /** The pieces of an incomplete line, last piece first: joined once, however long it is. */
  let pieces: Buffer[] = []
  let size = firstPiece
  for (let from = end; from > 0;) {
    const length = Math.min(size, from)
    const piece = readPiece(fd, from - length, length)
    from -= length
    let stop = piece.length
    for (;;) {
      const newline = stop === 0 ? -1 : piece.lastIndexOf(newlineByte, stop - 1)
      if (newline < 0) break
      const line = joined(piece.subarray(newline + 1, stop), pieces)
      pieces = []
      stop = newline
      if (line.length > 0) yield { at: from + newline + 1, bytes: line }
    }
    if (stop > 0) pieces.push(piece.subarray(0, stop))
    size = Math.min(size * 2, largestPiece)
  }
  const first = joined(Buffer.alloc(0), pieces)
  if (first.length > 0) yield { at: 0, bytes: first }
}

/** Editors and transfers may have left a carriage return at its end. */
export function textOf(line: Buffer): string {
  const end = line.at(-1) === 0x0d ? line.length - 1 : line.length
  return line.toString("utf8", 0, end)
}

/** Where the last complete line ends, with or without its newline; what follows is torn. */
export function endOfLines(fd: number, size: number): number {
  const end = endOfNewlines(fd, size)
  return end < size && unsealed(textOf(readPiece(fd, end, size - end))) ? size : end
}

function endOfNewlines(fd: number, size: number): number {
  for (let from = size; from > 0;) {
    const length = Math.min(firstPiece, from)
    from -= length
    const newline = readPiece(fd, from, length).lastIndexOf(newlineByte)
    if (newline >= 0) return from + newline + 1
  }
  return 0
}

export function readPiece(fd: number, from: number, length: number): Buffer {
  const piece = Buffer.allocUnsafe(length)
  let done = 0
  while (done < length) {
    const read = readSync(fd, piece, done, length - done, from + done)
    if (read === 0) break
    done += read
  }
  return done === length ? piece : piece.subarray(0, done)
}

const newlineByte = 0x0a

const joined = (beginning: Buffer, rest: readonly Buffer[]): Buffer =>
  rest.length === 0 ? beginning : Buffer.concat([beginning, ...rest.toReversed()])
