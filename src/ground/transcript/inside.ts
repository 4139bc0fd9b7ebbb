/**
 * Complete lines inside a damaged one: something may have been appended to a torn line without a newline, or after
 * zeros.
 */

import type { JsonObject } from "#lib/json.ts"
import { unsealed } from "./seal.ts"

export interface InnerLine {
  /** Its offset in the damaged line, in bytes. */
  readonly at: number
  readonly bytes: number
  readonly line: JsonObject
}

export function linesInside(damaged: Buffer): InnerLine[] {
  // One character per byte, whatever was damaged.
  const begins = [...damaged.toString("latin1").matchAll(/\{"(?:parentUuid":|type":"header")/g)].map((one) => one.index)
  return begins.flatMap((at, index) => {
    const piece = damaged.subarray(at, begins[index + 1] ?? damaged.length)
    const line = unsealed(piece.toString("utf8"))
    // Without its checksum there is no way to know whether the line is complete.
    return line && typeof line.sum === "string" ? [{ at, bytes: piece.length, line }] : []
  })
}
