/**
 * Parses JSON with comments and trailing commas, and records where each value is, so that an error can name the
 * place, and one value can be changed while the rest stays.
 */

import type { JsonValue } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"

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

/** `end` is exclusive. */
interface JsoncSpan {
  readonly start: number
  readonly end: number
}

/** A value and where it is. */
export interface JsoncNode extends JsoncSpan {
  readonly value: JsonValue
  readonly elements: readonly JsoncElement[]
}

/** An element of a list, or a member of an object with its key, and the position of its comma, if it has one. */
export interface JsoncElement extends JsoncSpan {
  readonly key: PathStep
  readonly node: JsoncNode
  readonly comma: number | undefined
}

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
  const repeated: { readonly offset: number; readonly key: string }[] = []
  try {
    const root = parse(text, repeated)
    return ok({
      value: root.value,
      positionOf: (path) => positionAt(text, nearest(root, path).node.start),
      keyPositionOf: (path) => {
        const { node, element, isFound } = nearest(root, path)
        return positionAt(text, (isFound ? element : undefined)?.start ?? node.start)
      },
      repeated: repeated.map(({ offset, key }) => ({ ...positionAt(text, offset), key })),
    })
  } catch (error) {
    if (!(error instanceof Misread)) throw error
    return failed({ ...positionAt(text, error.offset), message: error.message })
  }
}

/** Where everything is in a text that was parsed before. */
export const rootOf = (text: string): JsoncNode => parse(text, [])

export const memberOf = ({ elements }: JsoncNode, key: PathStep): JsoncNode | undefined =>
  elementOf(elements, key)?.node

/** Of a key that is given twice the last one counts. */
const elementOf = (elements: readonly JsoncElement[], key: PathStep): JsoncElement | undefined =>
  elements.findLast((each) => each.key === key)

/** Never leaves this file: the quickest way out of a nested parser. */
class Misread extends Error {
  readonly offset: number
  constructor(offset: number, message: string) {
    super(message)
    this.offset = offset
  }
}

function valueOf(word: string): JsonValue | undefined {
  if (word === "true" || word === "false") return word === "true"
  if (word === "null") return null
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(word) ? Number(word) : undefined
}

function parse(text: string, repeated: { readonly offset: number; readonly key: string }[]): JsoncNode {
  let at = text.startsWith("\uFEFF") ? 1 : 0

  const root = readValue(0)
  skipSpace()
  if (at < text.length) throw new Misread(at, `${shown()} stands after the end of the settings. Remove it.`)
  return root

  function readValue(depth: number): JsoncNode {
    skipSpace()
    if (depth > deepest) throw new Misread(at, `The settings are nested deeper than ${deepest} levels.`)
    const start = at
    const first = text[at]
    if (first === "{") {
      const elements = readMembers(depth)
      return { start, end: at, value: Object.fromEntries(elements.map(({ key, node }) => [key, node.value])), elements }
    }
    if (first === "[") {
      const elements = readList(depth)
      return { start, end: at, value: elements.map(({ node }) => node.value), elements }
    }
    const value = first === '"' ? readString() : readWord()
    return { start, end: at, value, elements: [] }
  }

  function readMembers(depth: number): readonly JsoncElement[] {
    const members: JsoncElement[] = []
    const known = new Set<string>()
    at++
    for (;;) {
      skipSpace()
      if (accept("}")) return members
      const start = at
      if (text[at] !== '"') throw new Misread(at, `A key in double quotes or } was expected, but ${shown()} was found.`)
      const key = readString()
      if (prototypeKeys.includes(key)) throw new Misread(start, `The key "${key}" has no meaning here. Remove it.`)
      if (known.has(key)) repeated.push({ offset: start, key })
      known.add(key)
      skipSpace()
      if (!accept(":")) throw new Misread(at, `A colon was expected after "${key}", but ${shown()} was found.`)
      const node = readValue(depth + 1)
      members.push({ key, node, start, end: at, comma: readComma("}", `} was expected after the value of "${key}"`) })
    }
  }

  function readList(depth: number): readonly JsoncElement[] {
    const list: JsoncElement[] = []
    at++
    for (;;) {
      skipSpace()
      if (accept("]")) return list
      const node = readValue(depth + 1)
      const { start, end } = node
      list.push({ key: list.length, node, start, end, comma: readComma("]", "] was expected in the list") })
    }
  }

  /** Where it is; undefined before the end of the list or object. */
  function readComma(close: "}" | "]", expected: string): number | undefined {
    skipSpace()
    if (text[at] === close) return undefined
    if (accept(",")) return at - 1
    throw new Misread(at, `A comma or ${expected}, but ${shown()} was found.`)
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
    const value = valueOf(found)
    if (value === undefined) throw new Misread(at, `A value was expected, but ${shown()} was found.`)
    at += found.length
    return value
  }

  function accept(character: string): boolean {
    if (text[at] !== character) return false
    at++
    return true
  }

  function skipSpace(): void {
    at = afterSpace(text, at)
  }

  /** What is at this position, short enough for a sentence. */
  function shown(): string {
    if (at >= text.length) return "the end of the file"
    const word = /[\w$.-]+/y
    word.lastIndex = at
    return JSON.stringify((word.exec(text)?.[0] ?? String.fromCodePoint(text.codePointAt(at) ?? 0)).slice(0, 40))
  }
}

/** The offset after whitespace and comments. */
function afterSpace(text: string, from: number): number {
  for (let at = from; ;) {
    while (at < text.length && " \t\r\n".includes(text[at] ?? "")) at++
    if (text.startsWith("//", at)) {
      const end = text.indexOf("\n", at)
      at = end === -1 ? text.length : end
    } else if (text.startsWith("/*", at)) {
      const end = text.indexOf("*/", at + 2)
      if (end === -1) throw new Misread(at, "This comment is never closed with */.")
      at = end + 2
    } else return at
  }
}

/** The value at the path, or the nearest one around it. */
function nearest(
  root: JsoncNode,
  path: readonly PathStep[],
): { readonly node: JsoncNode; readonly element: JsoncElement | undefined; readonly isFound: boolean } {
  let node = root
  let element: JsoncElement | undefined
  for (const step of path) {
    const next = elementOf(node.elements, step)
    if (!next) return { node, element, isFound: false }
    element = next
    node = next.node
  }
  return { node, element, isFound: true }
}

function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset)
  const lineStart = before.lastIndexOf("\n") + 1
  const column = [...before.slice(lineStart).replace(/^\uFEFF/, "")].length + 1
  return { line: before.split("\n").length, column }
}
