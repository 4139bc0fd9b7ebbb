/** What a line of the log is, at a glance: its checksum is verified, but hardly anything of a long line is parsed. */

import type { Entry } from "#agent/words/entry.ts"
import type { JsonObject } from "#lib/json.ts"
import { decodeEntry, parentIn } from "./line.ts"
import { entryKinds } from "./entry-kinds.ts"
import { isSealedLine, unsealed } from "./seal.ts"
import type { Link } from "./tree.ts"

/** Undefined for a damaged line; `other` for a valid one that is not part of the chain, like the header. */
export type ScannedLine = Link | "other" | undefined

/**
 * The pattern cannot occur inside a string, because its quotation marks would be escaped there; and no object closes
 * between `uuid` and the end of the line, so it belongs to the line itself.
 */
const ending = /"uuid":"([^"\\]+)","timestamp":"[^"\\]+","sum":"[0-9a-f]{8}"\}$/
/** Lines of agents are parsed: their parent may be elsewhere. */
const opening = /^\{"parentUuid":(?:null|"([^"\\]+)"),"isSidechain":false,.*?"type":"(\w+)"(?:,"subtype":"(\w+)")?/
const ofResult = /^,"message":\{"role":"user","content":\[\{"type":"tool_result"/

export function scanLine(line: Buffer): ScannedLine {
  const last = ending.exec(line.toString("latin1", Math.max(0, line.length - 256)))
  // Most lines tell what they are soon.
  const [beginning, first] = last ? (openingOf(line, 768) ?? openingOf(line, 8192) ?? []) : []
  const [, uuid] = last ?? []
  const [whole = "", parentUuid, type, subtype] = first ?? []
  const kind = first ? kindOf(type, subtype, ofResult.test((beginning ?? "").slice(whole.length))) : undefined
  // Heads contain more that is needed; other lines are not in our format, and their fields may be anywhere.
  if (uuid === undefined || kind === undefined || kind === "head") return parsed(line)
  return isSealedLine(line) ? { uuid, parentUuid: parentUuid ?? null, kind } : undefined
}

/** Undefined if it is not in so many bytes, with a little to spare. */
function openingOf(line: Buffer, bytes: number): readonly [string, RegExpExecArray] | undefined {
  const beginning = line.toString("latin1", 0, Math.min(line.length, bytes))
  const found = opening.exec(beginning)
  return found && (found[0].length + spareBytes <= beginning.length || line.length <= bytes)
    ? [beginning, found]
    : undefined
}

const spareBytes = 80

function kindOf(type: unknown, subtype: unknown, isResult: boolean): Entry["kind"] | undefined {
  if (type === "user") return isResult ? "result" : "prompt"
  if (type === "assistant") return "reply"
  if (type === "attachment") return "attachment"
  return type === "system" ? entryKinds.find((kind) => kind === subtype) : undefined
}

function parsed(bytes: Buffer): ScannedLine {
  const line = unsealed(bytes.toString("utf8"))
  return line && linkOf(line)
}

/** A parsed line's place in the chain; one that looks like an entry but is invalid is a link all the same. */
export function linkOf(line: JsonObject): Link | "other" {
  const { uuid } = line
  if (typeof uuid !== "string") return "other"
  const parentUuid = parentIn(line)
  const entry = decodeEntry(line)
  return { uuid, parentUuid, kind: entry?.kind, ...(entry?.kind === "head" && { to: entry.to }) }
}
