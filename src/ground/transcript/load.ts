/** Reads a log back. A torn last line is cut off, a corrupt one in the middle is skipped; both are reported, neither is fatal. */

import { readFileSync, truncateSync } from "node:fs"
import type { Entry } from "#agent/words/entry.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { decodeEntry, unsealed } from "./line.ts"
import { logFormat } from "./log.ts"

export interface Loaded {
  readonly entries: readonly Entry[]
  /** What had to be left out, for the person. */
  readonly notes: readonly string[]
}

export type LoadFailure =
  | { readonly kind: "unreadable"; readonly path: string; readonly message: string }
  | { readonly kind: "newer"; readonly path: string; readonly format: number }

export function loadLog(path: string): Result<Loaded, LoadFailure> {
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (error) {
    return failed({ kind: "unreadable", path, message: error instanceof Error ? error.message : String(error) })
  }
  const notes: string[] = []
  const whole = bytes.lastIndexOf(0x0a) + 1
  if (whole < bytes.length) {
    notes.push(`The last line of the session was torn and has been cut off (${bytes.length - whole} bytes).`)
    truncateSync(path, whole)
  }

  const entries: Entry[] = []
  const known = new Set<string>()
  const lines = bytes.subarray(0, whole).toString("utf8").split("\n")
  for (const [index, text] of lines.entries()) {
    if (text === "") continue
    const line = unsealed(text)
    if (!line) {
      notes.push(`Line ${index + 1} of the session is damaged and was skipped.`)
      continue
    }
    if (line.type === "header") {
      if (typeof line.format === "number" && line.format > logFormat)
        return failed({ kind: "newer", path, format: line.format })
      continue
    }
    const entry = decodeEntry(line)
    const isCopy = typeof line.uuid === "string" && known.has(line.uuid)
    if (typeof line.uuid === "string") known.add(line.uuid)
    // Lines of other kinds belong to other programs or to newer versions; they are links of the chain all the same.
    if (!entry || isCopy) continue
    if (entry.parentUuid !== null && !known.has(entry.parentUuid))
      notes.push(
        `Something is missing before line ${index + 1} of the session; the conversation goes on after the gap.`,
      )
    entries.push(entry)
  }
  return ok({ entries, notes })
}
