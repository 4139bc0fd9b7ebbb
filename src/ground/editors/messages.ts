/** What an editor sends, decoded and bounded. It is data of another program: whatever does not fit is dropped. */

import { fileURLToPath } from "node:url"
import { isObject, type JsonValue, objectIn } from "#lib/json.ts"

export interface EditorSelection {
  readonly path: string
  /** Lines count from 1. Absent if nothing is selected: the file is only open. */
  readonly lines?: { readonly from: number; readonly to: number }
  /** The beginning of a long one. */
  readonly text: string
}

/** Lines count from 1. */
export interface EditorMention {
  readonly path: string
  readonly from?: number
  readonly to?: number
}

export interface EditorProblem {
  readonly path: string
  readonly line: number
  readonly severity: "error" | "warning" | "info"
  readonly message: string
}

const mostText = 20_000
const mostPath = 4_096
const mostProblems = 500
const mostMessage = 1_000
const mostTabs = 50

/** Undefined if no file is in front. */
export function selectionIn(value: JsonValue | undefined): EditorSelection | undefined {
  if (!isObject(value) || value.success === false) return undefined
  const path = pathOf(value.filePath) ?? pathOf(value.fileUrl)
  if (path === undefined) return undefined
  const text = typeof value.text === "string" ? value.text : ""
  const range = isObject(value.selection) ? value.selection : {}
  const from = lineOf(range.start)
  const to = lineOf(range.end)
  if (text === "" || from === undefined || to === undefined || to < from) return { path, text: "" }
  // A selection of whole lines ends at the beginning of the line after them.
  const last = to > from && isObject(range.end) && range.end.character === 0 ? to - 1 : to
  return { path, lines: { from: from + 1, to: last + 1 }, text: text.slice(0, mostText).toWellFormed() }
}

export function mentionIn(value: JsonValue | undefined): EditorMention | undefined {
  // Some editors write it relative to their folder.
  const path = isObject(value) ? (pathOf(value.filePath) ?? plainName(value.filePath)) : undefined
  if (!isObject(value) || path === undefined) return undefined
  const { lineStart: from, lineEnd: to } = value
  if (!isLine(from)) return { path }
  return { path, from: from + 1, to: (isLine(to) && to >= from ? to : from) + 1 }
}

export function problemsIn(text: string): readonly EditorProblem[] {
  const files = listIn(text)
  return files
    .flatMap((file) => {
      const path = isObject(file) ? pathOf(file.uri) : undefined
      if (!isObject(file) || path === undefined || !Array.isArray(file.diagnostics)) return []
      return file.diagnostics.slice(0, mostProblems).flatMap((one) => problemIn(one, path) ?? [])
    })
    .slice(0, mostProblems)
}

function problemIn(value: JsonValue, path: string): EditorProblem | undefined {
  if (!isObject(value) || typeof value.message !== "string") return undefined
  const line = isObject(value.range) ? lineOf(value.range.start) : undefined
  const message = value.message.slice(0, mostMessage).toWellFormed()
  return { path, line: (line ?? 0) + 1, severity: severityOf(value.severity), message }
}

function severityOf(value: JsonValue | undefined): EditorProblem["severity"] {
  if (value === 1 || value === "Error") return "error"
  return value === 2 || value === "Warning" ? "warning" : "info"
}

/** The files of open tabs, the one in front left out. */
export function tabsIn(text: string): readonly string[] {
  const tabs = objectIn(text)?.tabs
  if (!Array.isArray(tabs)) return []
  const paths = tabs.flatMap((tab) => {
    const isFile = isObject(tab) && tab.isUntitled !== true && tab.isActive !== true
    return isFile ? (pathOf(tab.fileName) ?? pathOf(tab.uri) ?? []) : []
  })
  return [...new Set(paths)].slice(0, mostTabs)
}

function listIn(text: string): readonly JsonValue[] {
  try {
    const value: JsonValue = JSON.parse(text) as JsonValue
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

const isLine = (value: JsonValue | undefined): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value < 100_000_000

const lineOf = (position: JsonValue | undefined): number | undefined =>
  isObject(position) && isLine(position.line) ? position.line : undefined

/** An absolute path, also of a file address. Whatever else an editor shows is no file: settings, terminals, output. */
function pathOf(value: JsonValue | undefined): string | undefined {
  if (typeof value !== "string" || value.length > mostPath) return undefined
  const path = value.startsWith("file:") ? pathInAddress(value) : value
  return path?.startsWith("/") ? plainName(path) : undefined
}

/** Line breaks in a name could pass for words of ours. */
const plainName = (value: JsonValue | undefined): string | undefined =>
  typeof value === "string" && value !== "" && value.length <= mostPath && !/\p{Cc}/u.test(value)
    ? value.toWellFormed()
    : undefined

function pathInAddress(address: string): string | undefined {
  try {
    return fileURLToPath(address)
  } catch {
    return undefined
  }
}
