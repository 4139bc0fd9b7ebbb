/**
 * What a project's files would run or permit, one line for each thing. A line is what the user is shown, what trust
 * stores and what decides whether the thing counts: what is in no line counts nowhere.
 * See decision 46.
 */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { referencesIn } from "#lib/references.ts"

export interface ProjectLine {
  /** Relative to the folder. */
  readonly file: string
  /** The kind of thing, with its name: `hook Stop`, `allow rule`, `MCP server tickets`. */
  readonly what: string
  readonly detail: string
  /** The rest of its content, one row each. */
  readonly more: readonly string[]
  /** `secret`: one of the user's variables would leave, which needs separate approval. */
  readonly kind: "entry" | "secret"
  /** Of the file, the kind and the whole value. */
  readonly digest: string
}

export type KeepLine = (line: ProjectLine) => boolean

/** Everything except what needs separate approval. */
export const isEntry: KeepLine = ({ kind }) => kind === "entry"

/** The file relative to the folder, and the key with dots. */
export interface LinePlace {
  readonly file: string
  readonly path: string
  /** Whether an environment variable contains a secret that the user could lend. */
  readonly isSecret: (name: string) => boolean
}

/** A value with only what `keep` lets through; undefined when nothing is left. */
export function keptLines(place: LinePlace, value: JsonValue, keep: KeepLine): JsonValue | undefined {
  const { file, path } = place
  if (path === "hooks" && isObject(value)) return keptHooks(place, value, keep)
  const name = listNames[path]
  if (name !== undefined && Array.isArray(value)) {
    const kept = value.filter((one: JsonValue) => keep(lineOf({ file, what: name, detail: shown(one), value: one })))
    return kept.length === 0 ? undefined : kept
  }
  const what = path.startsWith("env.") ? `variable ${path.slice("env.".length)}` : path
  const [detail, more] = describeRun(value)
  return keep(lineOf({ file, what, detail, more, value })) ? value : undefined
}

const listNames: { readonly [path: string]: string } = {
  "permissions.allow": "allow rule",
  "permissions.additionalDirectories": "added folder",
  "undo.exclude": "folder without undo",
}

export interface LineParts {
  readonly file: string
  readonly what: string
  readonly detail: string
  readonly more?: readonly string[]
  readonly value: JsonValue
  readonly kind?: ProjectLine["kind"]
}

export function lineOf({ file, what, detail, more = [], value, kind = "entry" }: LineParts): ProjectLine {
  const text = JSON.stringify([kind, file, what, sorted(value)])
  return { file, what, detail, more, kind, digest: new Bun.CryptoHasher("sha256").update(text).digest("hex") }
}

function keptHooks(place: LinePlace, value: JsonObject, keep: KeepLine): JsonValue | undefined {
  const events = Object.entries(value).flatMap(([event, groups]): [string, JsonValue][] => {
    const kept = listOf(groups).flatMap((group) => {
      if (!isObject(group)) return []
      const hooks = listOf(group.hooks).flatMap((hook) => keptHook(place, { event, group, hook }, keep))
      return hooks.length === 0 ? [] : [{ ...group, hooks }]
    })
    return kept.length === 0 ? [] : [[event, kept]]
  })
  return events.length === 0 ? undefined : Object.fromEntries(events)
}

interface HookPlace {
  readonly event: string
  readonly group: JsonObject
  readonly hook: JsonValue
}

function keptHook({ file, isSecret }: LinePlace, { event, group, hook }: HookPlace, keep: KeepLine): JsonValue[] {
  const { hooks: _, ...around } = group
  const matcher = typeof around.matcher === "string" && around.matcher !== "" ? ` on ${around.matcher}` : ""
  const [detail, more] = describeRun(hook)
  const value = { event, around, hook }
  const isKept = keep(lineOf({ file, what: `hook ${event}${matcher}`, detail, more, value }))
  if (!isObject(hook) || !Array.isArray(hook.allowedEnvVars)) return isKept ? [hook] : []
  const lent = hook.allowedEnvVars.filter(
    (name: JsonValue) =>
      typeof name !== "string" ||
      !isSecret(name) ||
      keep(secretLine({ file, name, to: shown(hook.url ?? ""), by: `hook ${event}`, value })),
  )
  return isKept ? [{ ...hook, allowedEnvVars: lent }] : []
}

/** One server of `.mcp.json`: its line, and a line for each secret that would leave with it. */
export function serverLines(
  { file, isSecret }: Omit<LinePlace, "path">,
  name: string,
  value: JsonValue,
): { readonly line: ProjectLine; readonly secrets: readonly { readonly name: string; readonly line: ProjectLine }[] } {
  const what = `MCP server ${name}`
  const [detail, more] = describeRun(value)
  const to = isObject(value) && isAddress(value) ? shown(value.url ?? "") : detail
  const secrets = leavingIn(value)
    .filter(isSecret)
    .map((variable) => ({
      name: variable,
      line: secretLine({ file, name: variable, to, by: what, value: { name, server: value } }),
    }))
  return { line: lineOf({ file, what, detail, more, value }), secrets }
}

function secretLine(parts: {
  readonly file: string
  readonly name: string
  readonly to: string
  readonly by: string
  readonly value: JsonValue
}): ProjectLine {
  const { file, name, to, by, value } = parts
  return lineOf({
    file,
    what: `secret ${name}`,
    detail: `sent to ${to}`,
    more: [`for ${by}`],
    value: [name, value],
    kind: "secret",
  })
}

/**
 * The variables whose values a server's configuration sends away or passes to a program as arguments. A program has
 * its environment anyway.
 */
function leavingIn(value: JsonValue): readonly string[] {
  if (!isObject(value)) return []
  const { command, args, url, headers } = value
  const texts = [command, url, ...listOf(args), ...(isObject(headers) ? Object.values(headers) : [])]
  return [...new Set(texts.flatMap((text) => (typeof text === "string" ? referencesIn(text) : [])))]
}

const addressTypes: readonly JsonValue[] = ["http", "streamable-http", "sse"]
const programTypes: readonly (JsonValue | undefined)[] = [undefined, "command", "stdio"]

/** As the code that runs them decides: an explicit type counts, then whether there is an address. */
const isAddress = ({ type, url }: JsonObject): boolean =>
  type === undefined ? typeof url === "string" : addressTypes.includes(type)

/** What a hook, a server or a helper would do, and then all its other fields. */
function describeRun(value: JsonValue): readonly [detail: string, more: readonly string[]] {
  if (!isObject(value)) return [shown(value), []]
  const { type, command, args, url, prompt } = value
  const besides = (...keys: readonly string[]): readonly string[] =>
    Object.entries(value).flatMap(([key, one]) => (keys.includes(key) ? [] : rowsOf(key, one)))
  if (url !== undefined && isAddress(value)) return [shown(url), besides("url", ...(type === "http" ? ["type"] : []))]
  if (command !== undefined && programTypes.includes(type))
    return Array.isArray(args)
      ? [[command, ...args].map(quoted).join(" "), besides("type", "command", "args")]
      : [shown(command), besides("type", "command")]
  if (prompt !== undefined) return [shown(prompt), besides("prompt")]
  return [shown(value), []]
}

function rowsOf(key: string, value: JsonValue): readonly string[] {
  const members = isObject(value) ? Object.entries(value) : []
  if (key === "env" && members.length > 0) return members.map(([name, one]) => `variable ${name}=${shown(one)}`)
  if (key === "headers" && members.length > 0) return members.map(([name, one]) => `header ${name}: ${shown(one)}`)
  return [`${key}: ${shown(value)}`]
}

const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : [])

const shown = (value: JsonValue): string => (typeof value === "string" ? value : JSON.stringify(value))

/** Quoted like a shell word, so that its end is visible. */
function quoted(word: JsonValue): string {
  const text = shown(word)
  return /^[\w@%+=:,./${}-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** The order of keys means nothing. */
function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]))
}
