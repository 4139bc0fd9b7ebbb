/** Whole lines inside a damaged one: a torn line may have been written on without a newline, or zeros stand before it. */

import type { JsonObject } from "#lib/json.ts"
import { unsealed } from "./line.ts"

export interface InnerLine {
  /** Where it begins in the damaged one, in bytes. */
  readonly at: number
  readonly bytes: number
  readonly line: JsonObject
}

export function linesInside(damaged: Buffer): InnerLine[] {
  // One character for each byte, whatever was damaged.
  const begins = [...damaged.toString("latin1").matchAll(/\{"(?:parentUuid":|type":"header")/g)].map((one) => one.index)
  return begins.flatMap((at, index) => {
    const piece = damaged.subarray(at, begins[index + 1] ?? damaged.length)
    const line = unsealed(piece.toString("utf8"))
    // Without its checksum nobody knows whether it is all of the line.
    return line && typeof line.sum === "string" ? [{ at, bytes: piece.length, line }] : []
  })
}
