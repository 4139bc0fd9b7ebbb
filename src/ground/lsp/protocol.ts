/** What language servers answer, decoded: problems, places, symbols, hover texts and edits. Anything malformed is left out. */

import { fileURLToPath, pathToFileURL } from "node:url"
import { isObject, type JsonValue } from "#lib/json.ts"
import { optional } from "#lib/optional.ts"

/** Lines and columns are counted from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

export interface Problem extends Position {
  readonly severity: "error" | "warning" | "info"
  readonly message: string
  /** Who found it and under which number: `ts 2322`. */
  readonly code?: string
}

export interface Location extends Position {
  readonly path: string
  /** The last line and the column behind the last character. */
  readonly endLine: number
  readonly endColumn: number
}

export interface CodeSymbol {
  readonly name: string
  readonly kind: string
  readonly depth: number
  readonly line: number
  readonly endLine: number
  /** Absent for symbols of one document. */
  readonly path?: string
  readonly within?: string
}

export interface TextChange extends Location {
  readonly text: string
}

/** More than this is not even decoded. */
const mostProblems = 1_000
const mostPlaces = 5_000
const longestMessage = 2_000

export const uriOf = (path: string): string => pathToFileURL(path).href

/** Undefined for anything that is no file of this machine. */
export function pathOf(uri: JsonValue | undefined): string | undefined {
  if (typeof uri !== "string" || !uri.startsWith("file:")) return undefined
  try {
    const path = fileURLToPath(uri)
    return path.includes("\0") ? undefined : path
  } catch {
    return undefined
  }
}

const listOf = (value: JsonValue | undefined, most: number): readonly JsonValue[] =>
  Array.isArray(value) ? value.slice(0, most) : []

export const problemsIn = (value: JsonValue | undefined): readonly Problem[] =>
  listOf(value, mostProblems).flatMap((one) => problemIn(one) ?? [])

function problemIn(value: JsonValue): Problem | undefined {
  if (!isObject(value)) return undefined
  const at = rangeIn(value.range)
  const { message, severity, source, code } = value
  if (!at || typeof message !== "string") return undefined
  const number = typeof code === "number" || typeof code === "string" ? String(code) : ""
  const from = typeof source === "string" ? source : ""
  const named = [from, number]
    .filter((part) => part !== "")
    .join(" ")
    .slice(0, 60)
  return {
    line: at.line,
    column: at.column,
    severity: severity === 1 || severity === undefined ? "error" : severity === 2 ? "warning" : "info",
    message: message.slice(0, longestMessage).toWellFormed(),
    ...optional("code", named === "" ? undefined : named.toWellFormed()),
  }
}

type Range = Omit<Location, "path">

function rangeIn(value: JsonValue | undefined): Range | undefined {
  if (!isObject(value)) return undefined
  const start = positionIn(value.start)
  const end = positionIn(value.end) ?? start
  return start && end && { ...start, endLine: end.line, endColumn: end.column }
}

function positionIn(value: JsonValue | undefined): Position | undefined {
  if (!isObject(value)) return undefined
  const { line, character } = value
  if (!isCount(line) || !isCount(character)) return undefined
  return { line: line + 1, column: character + 1 }
}

const isCount = (value: JsonValue | undefined): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0

/** One place, a list of them, or links to them. */
export const locationsIn = (value: JsonValue): readonly Location[] =>
  (Array.isArray(value) ? listOf(value, mostPlaces) : [value]).flatMap((one) => locationIn(one) ?? [])

function locationIn(value: JsonValue | undefined): Location | undefined {
  if (!isObject(value)) return undefined
  const path = pathOf(value.uri ?? value.targetUri)
  const range = rangeIn(value.range ?? value.targetSelectionRange ?? value.targetRange)
  return path === undefined || !range ? undefined : { path, ...range }
}

/** Of a document, as a tree or flat, or of the workspace. */
export function symbolsIn(value: JsonValue): readonly CodeSymbol[] {
  const found: CodeSymbol[] = []
  const walk = (all: readonly JsonValue[], depth: number): void => {
    for (const one of all) {
      if (found.length >= mostPlaces || depth > 20) return
      if (!isObject(one) || typeof one.name !== "string") continue
      const place = locationIn(one.location)
      const uri = isObject(one.location) ? pathOf(one.location.uri) : undefined
      const range = rangeIn(one.range) ?? place
      if (!range && uri === undefined) continue
      const within = typeof one.containerName === "string" ? one.containerName.slice(0, 200) : undefined
      found.push({
        name: one.name.slice(0, 200).toWellFormed(),
        kind: symbolKinds[typeof one.kind === "number" ? one.kind - 1 : -1] ?? "symbol",
        depth,
        line: range?.line ?? 1,
        endLine: range?.endLine ?? 1,
        ...optional("path", uri),
        ...optional("within", within === "" ? undefined : within?.toWellFormed()),
      })
      walk(listOf(one.children, mostPlaces), depth + 1)
    }
  }
  walk(listOf(value, mostPlaces), 0)
  return found
}

const symbolKinds: readonly string[] = [
  "file",
  "module",
  "namespace",
  "package",
  "class",
  "method",
  "property",
  "field",
  "constructor",
  "enum",
  "interface",
  "function",
  "variable",
  "constant",
  "string",
  "number",
  "boolean",
  "array",
  "object",
  "key",
  "null",
  "enum member",
  "struct",
  "event",
  "operator",
  "type parameter",
]

/** The text of a hover answer: markup, a marked string, or a list of those. */
export function hoverIn(value: JsonValue): string {
  if (!isObject(value)) return ""
  const textOf = (part: JsonValue | undefined): string => {
    if (typeof part === "string") return part
    return isObject(part) && typeof part.value === "string" ? part.value : ""
  }
  const { contents } = value
  const parts = Array.isArray(contents) ? contents.map(textOf) : [textOf(contents)]
  return parts
    .filter((part) => part.trim() !== "")
    .join("\n\n")
    .toWellFormed()
}

/** The changes of a rename, in the order of their files; new and moved files are left out. */
export function changesIn(value: JsonValue): readonly TextChange[] {
  if (!isObject(value)) return []
  const { changes, documentChanges } = value
  const files: (readonly [string | undefined, readonly JsonValue[]])[] = Array.isArray(documentChanges)
    ? documentChanges.flatMap((one: JsonValue) =>
        isObject(one) && isObject(one.textDocument)
          ? [[pathOf(one.textDocument.uri), listOf(one.edits, mostPlaces)] as const]
          : [],
      )
    : Object.entries(isObject(changes) ? changes : {}).map(([uri, edits]) => [pathOf(uri), listOf(edits, mostPlaces)])
  return files.flatMap(([path, edits]) =>
    path === undefined
      ? []
      : edits.flatMap((edit) => {
          const range = isObject(edit) ? rangeIn(edit.range) : undefined
          const text = isObject(edit) ? edit.newText : undefined
          return range && typeof text === "string" ? [{ path, ...range, text }] : []
        }),
  )
}
