/** A server's configuration without its secrets: each becomes a variable of the user's environment. */

import { isLendable, isOwnSecret } from "#ground/settings/child-environment.ts"
import { secretValueShapes } from "#ground/settings/secrets.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { maskSecrets } from "#lib/mask-secrets.ts"
import { failed, ok, type Result } from "#lib/result.ts"

export interface CleanServer {
  readonly config: JsonObject
  /** Those that have to be set. */
  readonly variables: readonly string[]
}

export function withoutSecrets(server: string, original: JsonObject): Result<CleanServer, string> {
  const variables: string[] = []
  const named = (value: JsonValue, name: string): JsonValue => {
    if (typeof value !== "string" || /^\$\{\w+\}$/.test(value)) return value
    variables.push(name)
    return `\${${name}}`
  }
  const env = mapped(original.env, (name, value) => (isSecret(name, value) ? named(value, name) : value))
  const headers = mapped(original.headers, (name, value) => {
    if (!isSecret(name, value) && !/^(authorization|x-api-key|cookie)$/i.test(name)) return value
    const [, scheme = "", rest = value] = /^(Bearer |Basic |token )(.*)$/is.exec(String(value)) ?? []
    const variable = `${server}_${name}`.replace(/\W/g, "_").toUpperCase()
    return `${scheme}${String(named(rest, variable))}`
  })
  const config = { ...original, ...(env && { env }), ...(headers && { headers }) }
  // What is left is in an argument or an address, where a variable would have to be put by hand.
  if (holdsSecret(config))
    return failed("its command or address contains a secret. Use --with-secrets, or add it with codewright mcp add")
  return ok({ config, variables })
}

/** Whether its program, arguments or address show a key. */
export function holdsSecret({ command, args, url, ...rest }: JsonObject): boolean {
  const words = Array.isArray(args) ? args.map(String) : []
  const isGiven = words.some((word, i) => {
    const [, flag = "", value = words[i + 1] ?? ""] = /^--?([\w-]+)(?:=(.*))?$/s.exec(word) ?? []
    return /key|token|secret|passw/i.test(flag) && value !== "" && !value.startsWith("-") && !value.startsWith("${")
  })
  const text = JSON.stringify([command ?? "", words, url ?? "", rest])
  return isGiven || maskSecrets(text) !== text || secretValueShapes.some((shape) => shape.test(text))
}

const isSecret = (name: string, value: JsonValue): boolean =>
  isOwnSecret(name) || isLendable(name, typeof value === "string" ? value : undefined)

function mapped(
  fields: JsonValue | undefined,
  change: (name: string, value: JsonValue) => JsonValue,
): JsonObject | undefined {
  if (!isObject(fields)) return undefined
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, change(name, value)]))
}
