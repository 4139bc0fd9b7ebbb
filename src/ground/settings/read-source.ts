/** Reads one source: its text, its values, and what is wrong with it. A file with an error is left out whole. */

import { realpathSync } from "node:fs"
import { isObject, type JsonObject } from "#lib/json.ts"
import { nearNames } from "#lib/near.ts"
import { readBounded } from "./bounded-file.ts"
import { type Jsonc, type PathStep, type Position, parseJsonc } from "./jsonc.ts"
import type { Complaint } from "./schema.ts"
import { isProjectSource, type Source, type SourceName } from "./sources.ts"
import { visible } from "./visible.ts"

/** Something wrong in a source. After an error nothing of that source is used; a warning leaves out only what it names. */
export interface SettingsProblem {
  readonly level: "error" | "warning"
  readonly kind: "unreadable" | "syntax" | "wrong_value" | "unknown_key" | "repeated_key"
  readonly source: SourceName
  readonly file: string
  readonly at?: Position
  readonly message: string
}

/** The text of a source that is there, with the real path of its file. */
export interface SourceText {
  readonly source: Source
  readonly text: string
  readonly realFile: string | undefined
}

/** The values of a source that is whole. */
export interface SourceValues {
  readonly source: Source
  readonly value: JsonObject
  readonly positionOf: (path: readonly PathStep[]) => Position
}

/** A problem as one line: the place, then what is wrong there. */
export function problemLine({ file, at, message }: SettingsProblem): string {
  return visible(at ? `${file}:${at.line}:${at.column}: ${message}` : `${file}: ${message}`)
}

/** The text of a source; nothing when its file does not exist and need not. */
export function readSource(source: Source): SourceText | SettingsProblem | undefined {
  if (source.text !== undefined) return { source, text: source.text, realFile: undefined }
  const unreadable = (message: string): SettingsProblem => ({
    level: "error",
    kind: "unreadable",
    source: source.name,
    file: source.file,
    message,
  })
  const read = readBounded(source.file)
  if (!read.ok) return unreadable(read.failure)
  if (read.value !== undefined) return { source, text: read.value, realFile: realFileOf(source.file) }
  return source.required ? unreadable("There is no such file.") : undefined
}

function realFileOf(file: string): string | undefined {
  try {
    return realpathSync(file)
  } catch {
    return undefined
  }
}

/** Understands a text as settings with the given check; `values` is absent when there is an error. */
export function decodeSource(
  { source, text }: SourceText,
  check: (value: unknown) => readonly Complaint[],
): { readonly values?: SourceValues; readonly problems: readonly SettingsProblem[] } {
  // An empty file is what an editor leaves behind, and says nothing.
  if (text.trim() === "") return { problems: [] }
  const of = { source: source.name, file: source.file }
  const parsed = parseJsonc(text)
  if (!parsed.ok) {
    const { message, line, column } = parsed.failure
    return { problems: [{ level: "error", kind: "syntax", ...of, at: { line, column }, message }] }
  }
  const { value, positionOf, repeated } = parsed.value
  const complaints = check(value)
  const problems: SettingsProblem[] = [
    ...repeated.map(({ line, column, key }): SettingsProblem => ({
      // What a project's file says twice could be read in two ways, and only one of them would be shown.
      level: isProjectSource(source.name) ? "error" : "warning",
      kind: "repeated_key",
      ...of,
      at: { line, column },
      message: isProjectSource(source.name)
        ? repeatedInProject(key)
        : `The key "${key}" is given twice; the last one counts.`,
    })),
    ...complaints.map((complaint): SettingsProblem => ({ ...of, ...problemOf(complaint, parsed.value) })),
  ]
  if (!isObject(value) || problems.some(({ level }) => level === "error")) return { problems }
  const unknown = complaints.flatMap((complaint) => (complaint.kind === "unknown_key" ? [complaint.path] : []))
  return { values: { source, value: unknown.reduce(without, value), positionOf }, problems }
}

/** The same words for every file of a project. */
export const repeatedInProject = (key: string): string =>
  `The key "${key}" is given twice, so nothing of this file is used. Remove one of them.`

function problemOf(complaint: Complaint, jsonc: Jsonc): Omit<SettingsProblem, "source" | "file"> {
  const name = shownPath(complaint.path)
  if (complaint.kind === "unknown_key") {
    const key = String(complaint.path.at(-1))
    const near = nearNames(key, complaint.known, 1)[0]
    const message = `There is no setting "${name}"${near ? `; did you mean "${near}"?` : "."} It is ignored.`
    return { level: "warning", kind: "unknown_key", at: jsonc.keyPositionOf(complaint.path), message }
  }
  const found = valueAt(jsonc.value, complaint.path)
  const message = `${name === "" ? "The file" : `"${name}"`} must be ${complaint.wanted}, but ${shownValue(found)}.`
  return { level: "error", kind: "wrong_value", at: jsonc.positionOf(complaint.path), message }
}

function shownPath(path: readonly PathStep[]): string {
  return path.map((step, i) => (typeof step === "number" ? `[${step}]` : i === 0 ? step : `.${step}`)).join("")
}

function shownValue(value: unknown): string {
  if (value === undefined) return "it is missing"
  if (Array.isArray(value)) return "it is a list"
  if (isObject(value)) return "it is an object"
  return `it is ${JSON.stringify(value).slice(0, 60)}`
}

function valueAt(value: unknown, path: readonly PathStep[]): unknown {
  return path.reduce<unknown>((inner, step) => {
    if (Array.isArray(inner)) return inner[Number(step)]
    return isObject(inner) && Object.hasOwn(inner, step) ? inner[step] : undefined
  }, value)
}

/** The object without what stands at a path; the lists on the way stay as they are. */
function without(object: JsonObject, path: readonly PathStep[]): JsonObject {
  const [step, ...rest] = path
  if (typeof step !== "string") return object
  if (rest.length === 0) return Object.fromEntries(Object.entries(object).filter(([key]) => key !== step))
  const inner = object[step]
  return isObject(inner) ? { ...object, [step]: without(inner, rest) } : object
}
