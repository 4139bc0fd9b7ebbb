/** Reads one source: its text, its values, and what is wrong with it. */

import { realpathSync } from "node:fs"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { nearNames } from "#lib/near.ts"
import { readBounded } from "./bounded-file.ts"
import { type Jsonc, type PathStep, type Position, parseJsonc } from "./jsonc.ts"
import type { Complaint } from "./kinds.ts"
import { isProjectSource, type Source, type SourceName } from "./sources.ts"
import { visible } from "./visible.ts"
import { type InvalidValueRule, readingOf, valueAt, withReadings } from "./wrong-values.ts"

/** After an error nothing of that source is used; a warning only leaves out what it names. */
export interface SettingsProblem {
  readonly level: "error" | "warning"
  readonly kind: "unreadable" | "syntax" | "wrong_value" | "unknown_key" | "repeated_key"
  readonly source: SourceName
  readonly file: string
  readonly at?: Position
  readonly message: string
}

export interface SourceText {
  readonly source: Source
  readonly text: string
  readonly realFile: string | undefined
}

export interface SourceValues {
  readonly source: Source
  readonly value: JsonObject
  readonly positionOf: (path: readonly PathStep[]) => Position
}

export function problemLine({ file, at, message }: SettingsProblem): string {
  return visible(at ? `${file}:${at.line}:${at.column}: ${message}` : `${file}: ${message}`)
}

/** Undefined when an optional file does not exist. */
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

/** `values` is absent when there is an error. */
export function decodeSource(
  { source, text }: SourceText,
  check: SettingsCheck,
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
  const { complaints, readings, counted } = understand(value, check, source.name)
  const problems: SettingsProblem[] = [
    ...repeated.map(({ line, column, key }): SettingsProblem => ({
      // A repeated key in a project's file could be read in two ways, and only one of them would be shown.
      level: isProjectSource(source.name) ? "error" : "warning",
      kind: "repeated_key",
      ...of,
      at: { line, column },
      message: isProjectSource(source.name)
        ? repeatedInProject(key)
        : `The key "${key}" is given twice; the last one counts.`,
    })),
    ...complaints.map((complaint): SettingsProblem => ({
      ...of,
      ...problemOf(complaint, parsed.value, readings.get(complaint.path)),
    })),
  ]
  if (counted === undefined || problems.some(({ level }) => level === "error")) return { problems }
  return { values: { source, value: counted, positionOf }, problems }
}

interface Understood {
  readonly complaints: readonly Complaint[]
  /** By the path of what is wrong. */
  readonly readings: ReadonlyMap<Complaint["path"], InvalidValueRule>
  /** What counts; undefined if a guard cannot be read. */
  readonly counted: JsonObject | undefined
}

function understand(value: JsonValue, check: SettingsCheck, name: SourceName): Understood {
  const all = check(value)
  if (all.length === 0 && isObject(value)) return { complaints: all, readings: new Map(), counted: value }
  const refused = all.map(({ path }): [Complaint["path"], InvalidValueRule] => [path, { kind: "refuse" }])
  const readings = new Map(
    all.flatMap(({ kind, path }) => (kind === "wrong" ? [[path, readingFor(path, value, name)] as const] : [])),
  )
  if (!isObject(value)) return { complaints: all, readings: new Map(refused), counted: undefined }
  const used = [...readings.values()].flatMap((reading) => (reading.kind === "use" ? [reading.path] : []))
  const complaints = all.filter(({ kind, path }) => kind === "wrong" || !used.some((top) => isBelow(path, top)))
  const unknown = complaints.flatMap(({ kind, path }) => (kind === "unknown_key" ? [path] : []))
  const counted = withReadings(unknown.reduce(without, value), [...readings.values()])
  // What is left must pass by itself: a setting that still does not is ignored whole, but never a guard.
  const wrong = check(counted).flatMap(({ kind, path }) => (kind === "wrong" ? [path[0]] : []))
  if (wrong.some((key) => guards.includes(key))) return { complaints, readings: new Map(refused), counted: undefined }
  const rest = Object.entries(counted).filter(([key]) => !wrong.includes(key))
  return { complaints, readings, counted: Object.fromEntries(rest) }
}

type SettingsCheck = (value: unknown) => readonly Complaint[]

const guards: readonly (PathStep | undefined)[] = ["permissions", "sandbox", "hooks"]

const isBelow = (path: readonly PathStep[], top: readonly PathStep[]): boolean =>
  top.every((step, i) => path[i] === step)

/** A machine's policy counts whole or not at all: its author is not there to see what was ignored. */
const readingFor = (path: readonly PathStep[], value: JsonValue, name: SourceName): InvalidValueRule =>
  name === "managed" ? { kind: "refuse" } : readingOf(path, value)

/** The same wording for every file of a project. */
export const repeatedInProject = (key: string): string =>
  `The key "${key}" is given twice, so nothing of this file is used. Remove one of them.`

function problemOf(
  complaint: Complaint,
  jsonc: Jsonc,
  reading: InvalidValueRule = { kind: "refuse" },
): Omit<SettingsProblem, "source" | "file"> {
  const name = shownPath(complaint.path)
  if (complaint.kind === "unknown_key") {
    const key = String(complaint.path.at(-1))
    const near = nearNames(key, complaint.known, 1)[0]
    const message = `There is no setting "${name}"${near ? `; did you mean "${near}"?` : "."} It is ignored.`
    return { level: "warning", kind: "unknown_key", at: jsonc.keyPositionOf(complaint.path), message }
  }
  const found = valueAt(jsonc.value, complaint.path)
  const message = `${name === "" ? "The file" : `"${name}"`} must be ${complaint.wanted}, but ${shownValue(found)}.`
  const at = jsonc.positionOf(complaint.path)
  if (reading.kind === "refuse") return { level: "error", kind: "wrong_value", at, message }
  return { level: "warning", kind: "wrong_value", at, message: `${message} ${insteadOf(complaint.path, reading)}` }
}

function insteadOf(path: readonly PathStep[], reading: Exclude<InvalidValueRule, { kind: "refuse" }>): string {
  if (reading.kind === "use") return `It is read as ${JSON.stringify(reading.value)}.`
  return reading.path.length === path.length ? "It is ignored." : `"${shownPath(reading.path)}" is ignored.`
}

function shownPath(path: readonly PathStep[]): string {
  return path.map((step, i) => (typeof step === "number" ? `[${step}]` : i === 0 ? step : `.${step}`)).join("")
}

function shownValue(value: JsonValue | undefined): string {
  if (value === undefined) return "it is missing"
  if (Array.isArray(value)) return "it is a list"
  if (isObject(value)) return "it is an object"
  return `it is ${JSON.stringify(value).slice(0, 60)}`
}

/** The object without the value at a path; lists on the way keep their length. */
function without(object: JsonObject, path: readonly PathStep[]): JsonObject {
  const [step, ...rest] = path
  if (typeof step !== "string") return object
  if (rest.length === 0) return Object.fromEntries(Object.entries(object).filter(([key]) => key !== step))
  const inner = object[step]
  return isObject(inner) ? { ...object, [step]: without(inner, rest) } : object
}
