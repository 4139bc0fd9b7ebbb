/** The key for a provider's server: where it comes from, and how to say so. */

import { keptKey } from "#ground/settings/kept-key.ts"
import { keyPlace, maskedKey } from "#faces/cli/models/key-in-use.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

export interface ServerKey {
  readonly source: "helper" | "variable" | "saved" | "none"
  /** Absent for one that a command prints. */
  readonly key?: string
  /** The variable that has it. */
  readonly variable?: string
}

export interface KeyedServer {
  readonly name: string
  readonly baseUrl: string
  readonly variables: readonly string[]
  readonly keyHelper?: string | undefined
}

/** The same order as for Anthropic: a command, a variable, the saved key. */
export function serverKey(
  { name, baseUrl, variables, keyHelper }: KeyedServer,
  { loaded, loading, state }: Pick<StartupContext, "loaded" | "loading" | "state">,
): ServerKey {
  if (keyHelper !== undefined) return { source: "helper" }
  for (const variable of variables) {
    const key = loaded.env[variable]
    if (key) return { source: "variable", variable, key }
  }
  const key = loading.savedKey ? keptKey(state, { name, baseUrl }) : undefined
  return key === undefined ? { source: "none" } : { source: "saved", key }
}

/** Where it is, for a list: `key in OPENAI_API_KEY (…abcd)`. */
export function keyWhere({ source, key = "", variable = "" }: ServerKey, setting: StartupContext): string | undefined {
  switch (source) {
    case "helper":
      return "key printed by keyHelper"
    case "variable":
      return `key in ${variable} (${maskedKey(key)})`
    case "saved":
      return `key in ${keyPlace(setting)} (${maskedKey(key)})`
    case "none":
      return undefined
  }
}

/** For a request that was rejected. */
export function serverKeyWords(
  found: ServerKey,
  {
    name,
    variables,
    setting,
    face,
  }: {
    readonly name: string
    readonly variables: readonly string[]
    readonly setting: StartupContext
    readonly face: "terminal" | "headless"
  },
): { readonly which: string; readonly advice: string } {
  const login = face === "terminal" ? `/login ${name}` : `codewright login ${name}`
  const where = keyWhere(found, setting)
  return {
    which: where === undefined ? "A request without a key" : `The ${where}`,
    advice: {
      helper: `Check the command in the setting providers.${name}.keyHelper.`,
      variable: "Change the variable.",
      saved: `${login} to change the key.`,
      none: variables[0] === undefined ? `${login} to add one.` : `Set ${variables[0]}, or ${login} to add a key.`,
    }[found.source],
  }
}
