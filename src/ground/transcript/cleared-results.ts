/**
 * Results that were cleared from the conversation: what is sent has a line in their place, so a resume verifies their
 * lines, but parses all of them except the text.
 */

import type { Entry } from "#agent/words/entry.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { isSealedLine } from "./seal.ts"

export interface ClearedResults {
  /** Every entry, from the end of the log to its beginning. */
  readonly note: (entry: Entry) => void
  /** The line with an empty text; undefined if its result is sent, or if it is short, damaged, or of another shape. */
  readonly withoutText: (line: Buffer) => JsonObject | undefined
}

/** Shorter lines cost little. */
const leastBytes = 4096

export function openClearedResults(): ClearedResults {
  const cleared = new Set<string>()
  let isRewound = false
  return {
    note(entry) {
      // What was cleared before a rewind may have been cleared on the branch that was left.
      if (entry.kind === "head") isRewound = true
      if (entry.kind === "stub" && !isRewound) for (const { callId } of entry.stubs) cleared.add(callId)
    },
    withoutText(line) {
      if (cleared.size === 0 || line.length < leastBytes) return undefined
      const opening = beginning.exec(line.toString("latin1", 0, beginningBytes))
      const callId = opening?.[1]
      if (!opening || callId === undefined || !cleared.has(callId)) return undefined
      const from = opening[0].length
      const ends = ending.map((mark) => line.indexOf(mark, from)).filter((at) => at >= 0)
      if (ends.length === 0 || !isSealedLine(line)) return undefined
      return parsed(line.toString("utf8", 0, from) + line.toString("utf8", Math.min(...ends)))
    },
  }
}

const beginningBytes = 8192
const beginning =
  /^\{"parentUuid":[^{}]*?"type":"user","message":\{"role":"user","content":\[\{"type":"tool_result","tool_use_id":"([^"\\]+)","content":"/
/** What follows the text. Inside it the quotation marks would be escaped. */
const ending = ['"}]},"toolUseResult":', '"}]},"codewright":', '","is_error":true}]},']

function parsed(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
