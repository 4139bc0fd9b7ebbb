/**
 * Parses JSON with comments and trailing commas, and records where each value is, so that an error can name the
 * place.
 */

import type { JsonValue } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { afterSpace } from "./jsonc-spans.ts"

/** Both counted from 1; the column counts characters. */
export interface Position {
  readonly line: number
  readonly column: number
}

export interface JsoncProblem extends Position {
  readonly message: string
}

export interface RepeatedKey extends Position {
  readonly key: string
}

export type PathStep = string | number

export interface Jsonc {
  readonly value: JsonValue
  /** The nearest enclosing value when there is none at the path. */
  readonly positionOf: (path: readonly PathStep[]) => Position
  readonly keyPositionOf: (path: readonly PathStep[]) => Position
  /** Keys that occur twice in one object; the last one counts. */
  readonly repeated: readonly RepeatedKey[]
}

const deepest = 100

/** Names that lead some readers to the prototype of every object. */
const prototypeKeys: readonly string[] = ["__proto__", "constructor", "prototype"]

/** The failure names the line and column where parsing stopped. */
export function parseJsonc(text: string): Result<Jsonc, JsoncProblem> {
  const places: JsonPlaces = { values: new Map(), keys: new Map(), repeated: [] }
  try {
    const value = parse(text, places)
    const positionOf = (path: readonly PathStep[]): Position => positionAt(text, nearest(places.values, path))
    return ok({
      value,
      positionOf,
      keyPositionOf: (path) => {
        const offset = places.keys.get(pathKey(path))
        return offset === undefined ? positionOf(path) : positionAt(text, offset)
      },
      repeated: places.repeated.map(({ offset, key }) => ({ ...positionAt(text, offset), key })),
    })
  } catch (error) {
    if (!(error instanceof Misread)) throw error
    return failed({ ...positionAt(text, error.offset), message: error.message })
  }
}

interface JsonPlaces {
  readonly values: Map<string, number>
  readonly keys: Map<string, number>
  readonly repeated: { readonly offset: number; readonly key: string }[]
}

/** Never leaves this file: the quickest way out of a nested parser. */
class Misread extends Error {
  readonly offset: number
  constructor(offset: number, message: string) {
    super(message)
    this.offset = offset
  }
}

function parse(text: string, places: JsonPlaces): JsonValue {
  let at = text.startsWith("\uFEFF") ? 1 : 0

  const value = readValue([])
  skipSpace()
  if (at < text.length) throw new Misread(at, `${shown()} stands after the end of the settings. Remove it.`)
  return value

  function readValue(path: readonly PathStep[]): JsonValue {
    skipSpace()
    places.values.set(pathKey(path), at)
    if (path.length > deepest) throw new Misread(at, `The settings are nested deeper than ${deepest} levels.`)
    const first = text[at]
    if (first === "{") return readObject(path)
    if (first === "[") return readList(path)
    if (first === '"') return readString()
    return readWord()
  }

  function readObject(path: readonly PathStep[]): JsonValue {
    const object: { [key: string]: JsonValue } = {}
    at++
    for (;;) {
      skipSpace()
      if (take("}")) return object
      const keyAt = at
      if (text[at] !== '"') throw new Misread(at, `A key in double quotes or } was expected, but ${shown()} was found.`)
      const key = readString()
      if (prototypeKeys.includes(key)) throw new Misread(keyAt, `The key "${key}" has no meaning here. Remove it.`)
      const keyPath = [...path, key]
      if (Object.hasOwn(object, key)) places.repeated.push({ offset: keyAt, key })
      places.keys.set(pathKey(keyPath), keyAt)
      skipSpace()
      if (!take(":")) throw new Misread(at, `A colon was expected after "${key}", but ${shown()} was found.`)
      object[key] = readValue(keyPath)
      skipSpace()
      if (take(",") || text[at] === "}") continue
      throw new Misread(at, `A comma or } was expected after the value of "${key}", but ${shown()} was found.`)
    }
  }

  function readList(path: readonly PathStep[]): JsonValue {
    const list: JsonValue[] = []
    at++
    for (;;) {
      skipSpace()
      if (take("]")) return list
      list.push(readValue([...path, list.length]))
      skipSpace()
      if (take(",") || text[at] === "]") continue
      throw new Misread(at, `A comma or ] was expected in the list, but ${shown()} was found.`)
    }
  }

  function readString(): string {
    const from = at
    for (at++; at < text.length && text[at] !== '"' && text[at] !== "\n"; at++) if (text[at] === "\\") at++
    if (text[at] !== '"') throw new Misread(from, "This text has no closing double quote on its line.")
    at++
    try {
      return JSON.parse(text.slice(from, at)) as string
    } catch {
      throw new Misread(
        from,
        "This text holds a control character or a backslash that means nothing; write \\\\ for one.",
      )
    }
  }

  function readWord(): JsonValue {
    const word = /[^\s,:{}[\]"/]*/y
    word.lastIndex = at
    const found = word.exec(text)?.[0] ?? ""
    if (found === "true") return advance(found, true)
    if (found === "false") return advance(found, false)
    if (found === "null") return advance(found, null)
    if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(found)) return advance(found, Number(found))
    throw new Misread(at, `A value was expected, but ${shown()} was found.`)
  }

  function advance<T>(word: string, meaning: T): T {
    at += word.length
    return meaning
  }

  function take(character: string): boolean {
    if (text[at] !== character) return false
    at++
    return true
  }

  function skipSpace(): void {
    at = afterSpace(text, at, (comment) => {
      throw new Misread(comment, "This comment is never closed with */.")
    })
  }

  /** What is at this position, short enough for a sentence. */
  function shown(): string {
    if (at >= text.length) return "the end of the file"
    const word = /[\w$.-]+/y
    word.lastIndex = at
    return JSON.stringify((word.exec(text)?.[0] ?? String.fromCodePoint(text.codePointAt(at) ?? 0)).slice(0, 40))
  }
}

const pathKey = (path: readonly PathStep[]): string => path.join("\u0000")

function nearest(places: ReadonlyMap<string, number>, path: readonly PathStep[]): number {
  for (let length = path.length; length > 0; length--) {
    const offset = places.get(pathKey(path.slice(0, length)))
    if (offset !== undefined) return offset
  }
  return places.get("") ?? 0
}

function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset)
  const lineStart = before.lastIndexOf("\n") + 1
  const column = [...before.slice(lineStart).replace(/^\uFEFF/, "")].length + 1
  return { line: before.split("\n").length, column }
}
