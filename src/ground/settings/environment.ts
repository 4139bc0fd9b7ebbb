/** The environment as typed values, each from the table, with a warning for each invalid value. */

import { resolve } from "node:path"
import { environmentTable, type Variable } from "./environment-table.ts"

export type RawEnvironment = { readonly [name: string]: string | undefined }

type Table = typeof environmentTable
type Typed<V extends { readonly type: string }> = V["type"] extends "number"
  ? number
  : V["type"] extends "boolean"
    ? boolean
    : string
type Values = {
  readonly [K in keyof Table]: Table[K] extends { readonly default: unknown }
    ? Typed<Table[K]>
    : Typed<Table[K]> | undefined
}

/** Every variable's value, which name gave it, and what was wrong. */
export type Environment = Values & {
  /** The variable that gave a value, by field; a field that is not here has its default. */
  readonly givenBy: { readonly [field: string]: string }
  /** One sentence per invalid value: what it is, what is used instead, how to fix it. */
  readonly warnings: readonly string[]
}

/** The only place that reads the environment of this process. */
export function processEnvironment(): RawEnvironment {
  const env: { [name: string]: string | undefined } = { ...process.env }
  for (const name of proxyVariables) {
    const kept = env[keptAs(name)]
    if (kept === undefined) continue
    env[name] ??= kept
    delete env[keptAs(name)]
  }
  return env
}

/** What the runtime obeys in every request, whatever the request says. */
const proxyVariables: readonly string[] = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"].flatMap((name) => [
  name,
  name.toLowerCase(),
])

const keptAs = (name: string): string => `CODEWRIGHT_KEPT_${name}`

/** Takes the proxies out of the runtime's sight: which request goes through one is decided in one place. Those who ask for the environment see them. */
export function keepProxies(): void {
  for (const name of proxyVariables) {
    const value = process.env[name]
    if (value === undefined) continue
    process.env[keptAs(name)] = value
    delete process.env[name]
  }
}

/** Takes over the environment of the process that started this one, but for what the terminal here has set. */
export function adoptEnvironment(env: { readonly [name: string]: string }, own: readonly string[]): void {
  for (const name of Object.keys(process.env)) if (!own.includes(name)) delete process.env[name]
  for (const [name, value] of Object.entries(env)) if (!own.includes(name)) process.env[name] = value
  keepProxies()
}

/** For the reference page and for checks. */
export const environmentVariables: readonly Variable[] = Object.values(environmentTable)

/** An empty value counts as not set. */
export function readEnvironment(env: RawEnvironment): Environment {
  const values: { [field: string]: string | number | boolean | undefined } = {}
  const givenBy: { [field: string]: string } = {}
  const warnings: string[] = []
  for (const [field, variable] of Object.entries<Variable>(environmentTable)) {
    values[field] = variable.default
    const name = env[variable.name] ? variable.name : variable.aliases?.find((alias) => env[alias])
    if (name === undefined) continue
    const read = readValue(variable, env[name] ?? "", env)
    if (read.ok) {
      values[field] = read.value
      givenBy[field] = name
      continue
    }
    const instead = variable.default === undefined ? "It is ignored" : `${String(variable.default)} is used instead`
    warnings.push(`${name} is ${JSON.stringify(env[name])}. ${instead}; set it to ${read.wanted}, or unset it.`)
  }
  // The loop above fills exactly the fields of the table, each with its own type.
  return { ...(values as unknown as Values), givenBy, warnings }
}

type VariableRead =
  { readonly ok: true; readonly value: string | number | boolean } | { readonly ok: false; wanted: string }

function readValue(variable: Variable, text: string, env: RawEnvironment): VariableRead {
  switch (variable.type) {
    case "string":
      return { ok: true, value: text }
    case "path":
      return { ok: true, value: absolute(text, env.HOME) }
    case "number":
      return readNumber(text, variable)
    case "boolean":
      if (variable.auto && /^auto(?::\d+)?$/i.test(text.trim())) return { ok: true, value: variable.default ?? true }
      return variable.anyValue ? { ok: true, value: true } : readBoolean(text)
  }
}

function readNumber(text: string, { least = 0, most }: Variable): VariableRead {
  const value = /^\s*\d+\s*$/.test(text) ? Number(text) : Number.NaN
  if (Number.isSafeInteger(value) && value >= least && value <= (most ?? value)) return { ok: true, value }
  return {
    ok: false,
    wanted: most === undefined ? `a whole number of at least ${least}` : `a whole number from ${least} to ${most}`,
  }
}

const trueWords: readonly string[] = ["1", "true", "yes", "on"]
const falseWords: readonly string[] = ["0", "false", "no", "off"]

function readBoolean(text: string): VariableRead {
  const word = text.trim().toLowerCase()
  if (trueWords.includes(word)) return { ok: true, value: true }
  if (falseWords.includes(word)) return { ok: true, value: false }
  return { ok: false, wanted: "1 or 0" }
}

function absolute(path: string, home: string | undefined): string {
  if (home && (path === "~" || path.startsWith("~/"))) return resolve(home, path.slice(2))
  return resolve(path)
}
