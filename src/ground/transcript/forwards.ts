/** Reads the lines of a file from the front, in pieces. */

import { readPiece } from "./backwards.ts"

const pieceBytes = 1024 * 1024

/** Complete lines of about one piece, as bytes; a longer line comes alone. `end` is where a line ends. */
export function linesFrom(
  fd: number,
  from: number,
  end: number,
): { readonly lines: readonly Buffer[]; readonly read: number } {
  for (let length = pieceBytes; ; length *= 4) {
    const piece = readPiece(fd, from, Math.min(length, end - from))
    const isLast = from + piece.length >= end
    const whole = isLast ? piece.length : piece.lastIndexOf(0x0a) + 1
    if (whole === 0 && piece.length > 0) continue
    const lines: Buffer[] = []
    for (let at = 0; at < whole;) {
      const newline = piece.indexOf(0x0a, at)
      const stop = newline < 0 ? whole : newline
      if (stop > at) lines.push(piece.subarray(at, stop))
      at = stop + 1
    }
    return { lines, read: whole === 0 ? end - from : whole }
  }
}
