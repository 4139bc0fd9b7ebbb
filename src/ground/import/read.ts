/** Reads files of another agent: regular ones only, each with a bound, and no links are followed into other folders. */

import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { isMissing } from "#lib/error-code.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { linkStatsOf, namesIn, statsOf } from "#lib/quietly.ts"

const mostBytes = 4_000_000
/** Of a conversation: tools print much. */
export const mostConversationBytes = 100_000_000
const mostFiles = 20_000
const mostDepth = 8

/** Undefined if there is no such file. */
export function readText(path: string, most: number = mostBytes): Result<string | undefined, string> {
  try {
    const stats = statSync(path)
    if (!stats.isFile()) return failed(`${path} is not a regular file`)
    if (stats.size > most) return failed(`${path} is too large (${Math.round(stats.size / 1_000_000)} MB)`)
    return ok(readFileSync(path, "utf8"))
  } catch (error) {
    return isMissing(error) ? ok(undefined) : failed(`${path} cannot be read`)
  }
}

/** Regular files below a folder whose names end so, in the order of their names; paths from the folder. */
export function filesBelow(folder: string, ending: string): readonly string[] {
  const found: string[] = []
  const visit = (below: string, depth: number): void => {
    for (const name of namesIn(join(folder, below)).toSorted()) {
      if (found.length >= mostFiles) return
      const path = below === "" ? name : `${below}/${name}`
      const stats = linkStatsOf(join(folder, path))
      if (stats?.isDirectory() && depth < mostDepth) visit(path, depth + 1)
      else if (stats?.isFile() && name.endsWith(ending)) found.push(path)
    }
  }
  visit("", 0)
  return found
}

export const isThere = (path: string): boolean => statsOf(path) !== undefined

export const textIn = (value: JsonValue | undefined): string | undefined =>
  typeof value === "string" ? value : undefined

export const textsIn = (value: JsonValue | undefined): readonly string[] =>
  Array.isArray(value) ? value.flatMap((one) => (typeof one === "string" ? [one] : [])) : []

export const objectAt = (value: JsonValue | undefined): JsonObject => (isObject(value) ? value : {})

/** Milliseconds since the epoch; 0 for what is no time. */
export function timeIn(value: JsonValue | undefined): number {
  const at = typeof value === "number" ? value : Date.parse(textIn(value) ?? "")
  return Number.isFinite(at) && Math.abs(at) < 8.64e15 ? at : 0
}

/** Lines of JSON objects; the number of those that are none. */
export function jsonLines(text: string): { readonly lines: readonly JsonObject[]; readonly unreadable: number } {
  let unreadable = 0
  const lines = text.split("\n").flatMap((line): readonly JsonObject[] => {
    if (line.trim() === "") return []
    const value = parsed(line)
    if (isObject(value)) return [value]
    unreadable++
    return []
  })
  return { lines, unreadable }
}

export function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

export const parsedObject = (text: string): JsonObject => objectAt(parsed(text))
