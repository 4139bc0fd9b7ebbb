/**
 * How the value of each kind of field is decoded. A failure continues after the name of the field: "must be true or
 * false".
 */

import { permissionModes } from "#agent/words/permission.ts"
import { effortLevels, isEffort } from "#agent/words/thinking.ts"
import { splitGlobs } from "#lib/glob.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { splitList } from "#lib/split-list.ts"
import type { FieldType } from "./fields.ts"

export type Understood = string | boolean | number | readonly string[] | JsonObject

type FieldReader = (value: JsonValue, source: string) => Result<Understood, string>

const mostTurns = 10_000

/** Hooks of an unknown shape could run at any event. */
export const anyEvent = "*"

export const readers: { readonly [reading in FieldType]: FieldReader } = {
  text: readText,
  flag(value) {
    const word = wordOf(value)
    if (isOneOf(word, ["true", "yes", "on", "1", "y"])) return ok(true)
    if (isOneOf(word, ["false", "no", "off", "0", "n"])) return ok(false)
    return failed(`must be true or false, not ${shown(value)}`)
  },
  count(value) {
    const count = typeof value === "string" && /^\d+$/.test(value.trim()) ? Number(value) : value
    if (typeof count === "number" && Number.isInteger(count) && count > 0 && count <= mostTurns) return ok(count)
    return failed(`must be a whole number from 1 to ${mostTurns}, not ${shown(value)}`)
  },
  amount(value) {
    const amount = typeof value === "string" && /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : value
    if (typeof amount === "number" && amount > 0 && Number.isFinite(amount)) return ok(amount)
    return failed(`must be a number above 0, not ${shown(value)}`)
  },
  names(value) {
    const items = itemsOf(value)
    const whole = items.flatMap((item) => (item === undefined ? [] : splitList(item)))
    return items.includes(undefined) ? failed(`must be a list of names, not ${shown(value)}`) : ok(whole)
  },
  globs(value) {
    const items = itemsOf(value)
    if (items.includes(undefined)) return failed(`must be a list of globs, not ${shown(value)}`)
    return ok(items.flatMap((item) => splitGlobs(item ?? "")))
  },
  mode(value) {
    const word = wordOf(value)
    const mode = permissionModes.find((known) => known.toLowerCase() === word)
    return mode === undefined ? failed(`must be one of ${permissionModes.join(", ")}, not ${shown(value)}`) : ok(mode)
  },
  isolation(value) {
    const word = wordOf(value)
    return isOneOf(word, ["worktree", "none"]) ? ok(word) : failed(`can only be worktree, not ${shown(value)}`)
  },
  effort(value) {
    const word = wordOf(value)
    return isEffort(word) ? ok(word) : failed(`must be one of ${effortLevels.join(", ")}, not ${shown(value)}`)
  },
  memory(value) {
    const word = wordOf(value)
    return isOneOf(word, ["user", "project", "local"])
      ? ok(word)
      : failed(`must be user, project or local, not ${shown(value)}`)
  },
  hint(value, source) {
    const line = source.trim()
    // Without quotes it is shown as written: brackets, and a # that YAML takes for a comment.
    if (line !== "" && !/^["'|>&*!]/.test(line)) return ok(line)
    return ok(typeof value === "string" ? value.trim() : shown(value))
  },
  hooks: (value) => ok(hooksIn(value)),
  servers: serversIn,
  any: (value) => ok(shown(value)),
}

function readText(value: JsonValue, source: string): Result<string, string> {
  if (typeof value === "string") return ok(value.trim())
  if (typeof value === "number" || typeof value === "boolean") return ok(String(value))
  if (Array.isArray(value) && value.every((one) => typeof one !== "object")) return ok(value.join(", "))
  // Braces that someone meant as text.
  return /^\{.*\}$/.test(source.trim()) ? ok(source.trim()) : failed("must be a string")
}

/** By event, as settings have them. A group or a hook without the list around it means itself. */
function hooksIn(value: JsonValue): JsonObject {
  if (!isObject(value)) return { [anyEvent]: [] }
  const events = Object.entries(value).map(([event, groups]): [string, JsonValue] => {
    const all: readonly JsonValue[] = Array.isArray(groups) ? groups : groups === null ? [] : [groups]
    return [event, all.map(groupIn)]
  })
  return Object.fromEntries(events)
}

function groupIn(group: JsonValue): JsonValue {
  if (!isObject(group)) return group
  const { matcher, hooks, type } = group
  if (hooks === undefined && typeof type === "string") return { hooks: [group] }
  const isSeveral = Array.isArray(matcher) && matcher.every((one) => typeof one === "string" && /^\w+$/.test(one))
  return {
    ...group,
    ...(isSeveral && { matcher: matcher.join("|") }),
    ...(isObject(hooks) && { hooks: [hooks] }),
  }
}

/** By name: null for one that is configured elsewhere, or the server itself. */
function serversIn(value: JsonValue): Result<JsonObject, string> {
  const servers: [string, JsonValue][] = []
  for (const item of Array.isArray(value) ? value : [value]) {
    if (typeof item === "string") servers.push(...splitList(item).map((name): [string, null] => [name, null]))
    else if (isObject(item)) servers.push(...membersOf(item))
    else return failed(`must be names of servers, or servers by name, not ${shown(value)}`)
  }
  const [wrong] = servers.find(([, server]) => server !== null && !isObject(server)) ?? []
  if (wrong !== undefined) return failed(`must give the server ${wrong} a command or a url`)
  const twice = servers.find(([name], at) => servers.findIndex(([other]) => other === name) !== at)
  return twice ? failed(`names the server ${twice[0]} twice`) : ok(Object.fromEntries(servers))
}

/** Some write a server's name inside of it. */
function membersOf(item: JsonObject): readonly [string, JsonValue][] {
  const { name, ...server } = item
  const isOne = typeof name === "string" && (typeof server.command === "string" || typeof server.url === "string")
  return isOne ? [[name, server]] : Object.entries(item)
}

function itemsOf(value: JsonValue): readonly (string | undefined)[] {
  if (Array.isArray(value)) return value.map(itemText)
  return [isObject(value) ? undefined : itemText(value)]
}

/** A colon inside an item makes YAML see a field in it; undefined if it is not text at all. */
function itemText(item: JsonValue): string | undefined {
  if (typeof item === "string") return item
  if (typeof item === "number" || typeof item === "boolean") return String(item)
  if (!isObject(item)) return undefined
  const [[key, value] = ["", null], ...rest] = Object.entries(item)
  return rest.length === 0 && typeof value === "string" ? `${key}: ${value}` : undefined
}

/**
 * A one-line list that YAML rejected, such as `Read, Bash(npm run: *)` or `"Read", "Grep"`. Only if unambiguous:
 * names and rules between commas, each quoted as a whole or not at all.
 */
export function plainList(source: string): readonly string[] | undefined {
  const uncommented = /["']/.test(source) ? source : source.replace(/(?:^|\s)#.*$/, "")
  const inner = uncommented.trim().replace(/^\[(.*)\]$/, "$1")
  if (/[#[\]{}\\&!|>%@`]/.test(inner)) return undefined
  const items = splitList(inner)
  const plain = items.map((item) => /^(["']?)([^"']*)\1$/.exec(item)?.[2])
  return plain.includes(undefined) ? undefined : plain.flatMap((item) => item ?? [])
}

/** A scalar as a word to compare; a list of one is not its one item. */
const wordOf = (value: JsonValue): string => (typeof value === "object" ? "" : String(value).trim().toLowerCase())

const isOneOf = (word: string, words: readonly string[]): boolean => words.includes(word)

const shown = (value: JsonValue): string => {
  const text = typeof value === "string" ? value : JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 79).toWellFormed()}…` : text
}
