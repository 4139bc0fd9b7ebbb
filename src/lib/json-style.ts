/** How a JSON string is laid out, and how to write values in the same style. */

import { isObject, type JsonValue } from "./json.ts"

export interface JsonStyle {
  /** Line ending between parts; empty when everything is on one line. */
  readonly newline: "\n" | "\r\n" | ""
  readonly unit: string
  readonly colon: ": " | ":"
}

/** Detected from the first member of the object. */
export function styleOf(text: string): JsonStyle {
  const [, newline = "", unit = ""] = /^\s*\{(\r?\n)([ \t]*)"/.exec(text) ?? []
  const colon = /^\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s/.test(text) ? ": " : ":"
  return { newline: newline === "\r\n" ? "\r\n" : newline === "\n" ? "\n" : "", unit, colon }
}

/** Without indentation on the first line. */
export function printJson(value: JsonValue, style: JsonStyle, depth: number): string {
  if (Array.isArray(value))
    return printList(
      value.map((one: JsonValue) => printJson(one, style, depth + 1)),
      style,
      depth,
    )
  if (!isObject(value)) return JSON.stringify(value)
  return printObject(
    Object.entries(value).map(([key, one]) => [key, printJson(one, style, depth + 1)]),
    style,
    depth,
  )
}

export function printObject(members: readonly (readonly [string, string])[], style: JsonStyle, depth: number): string {
  return enclosed(
    "{}",
    members.map(([key, printed]) => `${JSON.stringify(key)}${style.colon}${printed}`),
    style,
    depth,
  )
}

export const printList = (printed: readonly string[], style: JsonStyle, depth: number): string =>
  enclosed("[]", printed, style, depth)

export function separator({ newline, unit, colon }: JsonStyle, depth: number): string {
  if (newline === "") return colon === ": " ? ", " : ","
  return `,${newline}${unit.repeat(depth)}`
}

function enclosed(brackets: "{}" | "[]", parts: readonly string[], style: JsonStyle, depth: number): string {
  if (parts.length === 0) return brackets
  const line = (level: number): string => (style.newline === "" ? "" : style.newline + style.unit.repeat(level))
  return brackets[0] + line(depth + 1) + parts.join(separator(style, depth + 1)) + line(depth) + brackets[1]
}
