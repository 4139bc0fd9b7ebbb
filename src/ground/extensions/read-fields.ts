/**
 * The fields of front matter, as YAML. Some that people write are invalid YAML, mostly because of a colon in a
 * description: those are read again, field by field.
 */

import { optional } from "#lib/optional.ts"
import { isObject, type JsonValue } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"

/** Why a head is rejected, and on which of its lines, counted from 0. */
export interface HeadFault {
  readonly what: string
  readonly at?: number
}

export interface WrittenField {
  readonly key: string
  readonly value: JsonValue
  /** What follows the colon on the first line, as written. */
  readonly source: string
  /** Of the head, counted from 0. */
  readonly at?: number
  /** Names the value with a tag, such as `!x`, which means nothing here. */
  readonly tag?: string
  /** Set if YAML rejected it: `value` is the plain text of these lines. */
  readonly lines?: readonly string[]
  /** It looks like a field, but YAML parses it as part of another one. */
  readonly within?: true
}

const deepest = 12
const mostValues = 10_000
const mostAnchors = 16

/**
 * `isKnown`: whether a name is a field, so that `tools:Read` counts as one. The failure says why everything is
 * rejected.
 */
export function readFields(
  head: string,
  isKnown: (key: string) => boolean,
): Result<readonly WrittenField[], HeadFault> {
  // A few bytes of anchors can expand to an endless structure.
  if ((head.match(/(?:^|[\s[{,:-])&\S/g)?.length ?? 0) > mostAnchors)
    return failed({ what: "its front matter has too many anchors" })
  const lines = head.split("\n")
  const merge = lines.findIndex((line) => /^(?:<<\s*:|\?(?:\s|$))/.test(line))
  if (merge !== -1) return failed({ what: `merge keys and keys with ? are not read; write each field out`, at: merge })
  const parsed = yaml(head)
  if (parsed === undefined || (parsed !== null && !isObject(parsed))) return fieldByField(lines, isKnown)
  if (parsed === null) return ok([])
  const values = new Map<string, JsonValue>()
  for (const [key, value] of Object.entries(parsed)) {
    const copied = copyOf(value, { left: mostValues })
    if (copied === undefined) return failed({ what: `its field ${key} is nested too deeply or too large` })
    values.set(key, copied)
  }
  const places = keysIn(lines)
  for (const key of values.keys())
    if (!places.some((place) => place.key === key))
      return failed({ what: `its front matter must be lines of "field: value"` })
  return ok(
    places.map(({ key, source, line }, index) => {
      const value = values.get(key)
      if (value === undefined) return { key, source, value: source, at: line, within: true }
      return { key, source, value, at: line, ...optional("tag", tagIn(lines.slice(line, places[index + 1]?.line))) }
    }),
  )
}

/** The first tag of a field's lines. YAML drops those that it does not know. */
const tagIn = (lines: readonly string[]): string | undefined =>
  /(?:^|[\s[{,])(![A-Za-z]\S*)/.exec(
    lines.map((line) => line.replaceAll(/"[^"]*"|'[^']*'|(?:^|\s)#.*$/g, "")).join("\n"),
  )?.[1]

interface FieldLine {
  readonly key: string
  readonly source: string
  readonly line: number
}

/** A plain or quoted key, a colon, and the rest of the line. */
const keyLine = /^(?:(["'])([^"'\\]*)\1|([^\s"'#?!&*|>%@`[\]{},:-].*?))[ \t]*:(?:[ \t]+(.*))?$/
const tightKey = /^([A-Za-z_][\w-]*):(\S.*)$/

/** Top-level keys, with every repetition: YAML itself only keeps the last of equal ones. */
function keysIn(lines: readonly string[], isKnown: (key: string) => boolean = () => false): readonly FieldLine[] {
  const indent = indentOf(lines.find((line) => /^\s*[^\s#]/.test(line)) ?? "")
  return lines.flatMap((line, at) => {
    if (indentOf(line) !== indent) return []
    const text = line.slice(indent).trimEnd()
    const [, , quoted, plain, source = ""] = keyLine.exec(text) ?? []
    const key = quoted ?? plain
    if (key !== undefined) return [{ key, source, line: at }]
    const [, tight, rest = ""] = tightKey.exec(text) ?? []
    return tight !== undefined && isKnown(tight) ? [{ key: tight, source: rest, line: at }] : []
  })
}

const indentOf = (line: string): number => line.length - line.trimStart().length

function fieldByField(
  lines: readonly string[],
  isKnown: (key: string) => boolean,
): Result<readonly WrittenField[], HeadFault> {
  const places = keysIn(lines, isKnown)
  const written: WrittenField[] = []
  for (const [index, { key, source, line }] of places.entries()) {
    const own = lines.slice(line, places[index + 1]?.line)
    const value = valueOf(key, own) ?? valueOf(key, own.map(spacesForTabs))
    if (value !== undefined) {
      written.push({ key, source, value, at: line, ...optional("tag", tagIn(own)) })
      continue
    }
    const rest = own.slice(1).filter((one) => one.trim() !== "" && !one.startsWith("#"))
    const text = unquoted([source, ...rest].map((one) => one.trim()).join(" "))
    written.push({ key, source, value: text, at: line, lines: [source, ...rest] })
  }
  const stray = lines.slice(0, places[0]?.line).filter((line) => /^\s*[^\s#]/.test(line))
  return stray.length === 0
    ? ok(written)
    : ok([{ key: "", source: "", value: stray.join("\n"), at: 0, lines: stray }, ...written])
}

/** The value of lines that contain exactly one field; `null` is a value, too. */
function valueOf(key: string, lines: readonly string[]): JsonValue | undefined {
  const parsed = yaml(lines.join("\n"))
  if (!isObject(parsed)) return undefined
  const entries = Object.entries(parsed)
  const [only] = entries
  return entries.length === 1 && only?.[0] === key ? copyOf(only[1], { left: mostValues }) : undefined
}

const spacesForTabs = (line: string): string => line.replace(/^[ \t]+/, (indent) => indent.replaceAll("\t", "  "))

const unquoted = (text: string): string => text.trim().replace(/^(["'])(.*)\1$/s, "$2")

function yaml(text: string): unknown {
  try {
    return Bun.YAML.parse(text)
  } catch {
    return undefined
  }
}

/** A copy without cycles and of bounded size; undefined if that is impossible. */
function copyOf(value: unknown, room: { left: number }, depth = 0): JsonValue | undefined {
  if (depth > deepest || --room.left < 0) return undefined
  if (value === null || typeof value === "string" || typeof value === "boolean") return value
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value)
  if (Array.isArray(value)) {
    const copies: JsonValue[] = []
    for (const one of value) {
      const copied = copyOf(one, room, depth + 1)
      if (copied === undefined) return undefined
      copies.push(copied)
    }
    return copies
  }
  if (!isObject(value)) return undefined
  const copies: [string, JsonValue][] = []
  for (const [key, one] of Object.entries(value)) {
    const copied = copyOf(one, room, depth + 1)
    if (copied === undefined) return undefined
    copies.push([key, copied])
  }
  // Not by assignment: a key named __proto__ is a key like any other.
  return Object.fromEntries(copies)
}
