/**
 * Decodes one server of a configuration file, and fills in variables; an error is reported, and other servers are
 * unaffected.
 */

import { optional } from "#lib/optional.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { referencesIn, withReferences } from "#lib/references.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { McpServer, McpServerConfig, OauthConfig } from "./server-config.ts"

export type Variables = { readonly [name: string]: string | undefined }

export function readServer(value: JsonValue): Result<McpServerConfig, string> {
  if (!isObject(value)) return failed("It must be an object with a command, or a type and a url.")
  const type = value.type ?? (typeof value.url === "string" ? "http" : "stdio")
  switch (type) {
    case "stdio":
      return readProgram(value)
    case "http":
    case "streamable-http":
      return readAddress("http", value)
    case "sse":
      return readAddress("sse", value)
    case "sdk":
      return failed(
        "Its type is sdk: it runs inside the program that starts Codewright, which cannot be reached from here. Give it as a program (command) or an address (url).",
      )
    default:
      return failed(`Its type is ${JSON.stringify(type)}; stdio, http and sse are known.`)
  }
}

/** Shorter limits are taken for mistakes, as other programs take them. */
const shortestCallMs = 1_000

/** The limit for calls that a server's configuration sets, in milliseconds; undefined if it sets none. */
function callLimitIn(value: JsonValue | undefined): number | undefined {
  const timeout = isObject(value) ? value.timeout : undefined
  return typeof timeout === "number" && timeout >= shortestCallMs && timeout <= 2 ** 31 - 1 ? timeout : undefined
}

/** Whether a server's configuration wants its tools listed, or deferred; undefined if it does not say. */
function listedIn(value: JsonValue | undefined): boolean | undefined {
  const always = isObject(value) ? value.alwaysLoad : undefined
  return typeof always === "boolean" ? always : undefined
}

/** What a configuration says about the tools of a server, not about how to reach it. */
export const wishesIn = (value: JsonValue | undefined): Pick<McpServer, "callMs" | "listed"> => ({
  ...optional("callMs", callLimitIn(value)),
  ...optional("listed", listedIn(value)),
})

function readProgram({ command, args = [], env = {}, cwd }: JsonObject): Result<McpServerConfig, string> {
  if (typeof command !== "string" || command.trim() === "")
    return failed("It has no command. Give the program as a string, and its arguments as the list args.")
  if (!isTexts(args)) return failed("Its args must be a list of texts.")
  const variables = textsIn(env)
  if (!variables) return failed("Its env must be an object whose values are texts.")
  if (cwd !== undefined && typeof cwd !== "string") return failed("Its cwd must be a folder, as one text.")
  return ok({ kind: "stdio", command, args, env: variables, ...optional("cwd", cwd) })
}

function readAddress(
  kind: "http" | "sse",
  { url, headers = {}, headersHelper, oauth: written }: JsonObject,
): Result<McpServerConfig, string> {
  if (typeof url !== "string" || url.trim() === "") return failed("It has no url.")
  const texts = textsIn(headers)
  if (!texts) return failed("Its headers must be an object whose values are texts.")
  if (headersHelper !== undefined && typeof headersHelper !== "string")
    return failed("Its headersHelper must be a command, as one text.")
  const oauth = written === undefined ? ok(undefined) : readOauth(written)
  if (!oauth.ok) return oauth
  return ok({
    kind,
    url,
    headers: texts,
    ...optional("headersHelper", headersHelper),
    ...optional("oauth", oauth.value),
  })
}

const highestPort = 65_535

function readOauth(value: JsonValue): Result<OauthConfig, string> {
  if (!isObject(value)) return failed('Its oauth must be an object, such as { "clientId": "…", "callbackPort": 8080 }.')
  const { clientId, callbackPort, clientMetadataUrl, scopes } = value
  const wrong = Object.entries({ clientId, clientMetadataUrl, scopes }).find(
    ([, text]) => text !== undefined && (typeof text !== "string" || text.trim() === ""),
  )
  if (wrong) return failed(`Its oauth.${wrong[0]} must be a string.`)
  const isPort = Number.isInteger(callbackPort) && Number(callbackPort) > 0 && Number(callbackPort) <= highestPort
  if (callbackPort !== undefined && !isPort) return failed("Its oauth.callbackPort must be a port, such as 8080.")
  if (clientMetadataUrl !== undefined && URL.parse(String(clientMetadataUrl))?.protocol !== "https:")
    return failed("Its oauth.clientMetadataUrl must be an https address.")
  return ok({
    ...(typeof clientId === "string" && { clientId }),
    ...(typeof callbackPort === "number" && { callbackPort }),
    ...(typeof clientMetadataUrl === "string" && { clientMetadataUrl }),
    ...(typeof scopes === "string" && { scopes }),
  })
}

/**
 * Expands `${NAME}` and `${NAME:-default}`. An unset variable stays as written, as users of `.mcp.json` expect, but in
 * an address it is an error: nobody knows what would be reached. One of `withheld` that would leave is an error. Not checked for a program's environment, which has the user's variables anyway.
 */
export function expandServer(
  config: McpServerConfig,
  variables: Variables,
  withheld: readonly string[] = [],
): Result<McpServerConfig, string> {
  const missing = new Set<string>()
  const kept = new Set<string>()
  const filled = (text: string, valueOf: (name: string) => string | undefined): string =>
    withReferences(text, valueOf, (name) => void missing.add(name))
  const fill = (text: string): string =>
    filled(text, (name) => {
      if (withheld.includes(name) && variables[name]) kept.add(name)
      return variables[name]
    })
  const each = (texts: Readonly<Record<string, string>>, put: (text: string) => string): Record<string, string> =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, put(text)]))
  const inside = (text: string): string => filled(text, (name) => variables[name])
  if (config.kind === "sdk") return ok(config)
  const whole: McpServerConfig =
    config.kind === "stdio"
      ? {
          ...config,
          command: fill(config.command),
          args: config.args.map(fill),
          env: each(config.env, inside),
          ...optional("cwd", config.cwd === undefined ? undefined : fill(config.cwd)),
        }
      : { ...config, url: fill(config.url), headers: each(config.headers, fill) }
  if (kept.size > 0) return failed(withheldWords([...kept]))
  if ("url" in whole && missing.size > 0 && referencesIn(whole.url).some((name) => missing.has(name)))
    return failed(`It needs ${[...missing].join(" and ")}, which ${missing.size > 1 ? "are" : "is"} not set.`)
  if ("url" in whole && !/^https?:$/.test(URL.parse(whole.url)?.protocol ?? ""))
    return failed(`Its url must be an http or https address, not ${JSON.stringify(whole.url)}.`)
  return ok(whole)
}

/** The variables it needs that are not set, as a sentence for the user; undefined if there are none. */
export function unsetWords(name: string, config: McpServerConfig): string | undefined {
  const texts =
    config.kind === "stdio"
      ? [config.command, ...config.args, ...Object.values(config.env)]
      : config.kind === "sdk"
        ? []
        : Object.values(config.headers)
  const missing = [...new Set(texts.flatMap(referencesIn))]
  if (missing.length === 0) return undefined
  const [are, them] = missing.length > 1 ? ["are", "them"] : ["is", "it"]
  return `The MCP server ${name} needs ${missing.join(" and ")}, which ${are} not set. It is started without ${them}.`
}

const withheldWords = (names: readonly string[]): string =>
  `It would send your ${names.join(" and ")} away, which you have not approved. To approve it: codewright trust`

/** What the user approves: everything as written, before variables are expanded. */
export function fingerprintOf(config: McpServerConfig): string {
  const what =
    config.kind === "stdio"
      ? [
          config.kind,
          config.command,
          config.args,
          pairsOf(config.env),
          ...(config.cwd === undefined ? [] : [config.cwd]),
        ]
      : config.kind === "sdk"
        ? [config.kind]
        : [
            config.kind,
            config.url,
            pairsOf(config.headers),
            config.headersHelper ?? null,
            // Only where it is set, so that approvals from before there was such a thing hold.
            ...(config.oauth ? [config.oauth] : []),
          ]
  return new Bun.CryptoHasher("sha256").update(JSON.stringify(what)).digest("hex").slice(0, 32)
}

const pairsOf = (texts: Readonly<Record<string, string>>): readonly (readonly [string, string])[] =>
  Object.entries(texts).toSorted(([a], [b]) => (a < b ? -1 : 1))

const isTexts = (value: JsonValue): value is readonly string[] =>
  Array.isArray(value) && value.every((one: JsonValue) => typeof one === "string")

/** Numbers and booleans become strings in an environment. */
function textsIn(value: JsonValue): Readonly<Record<string, string>> | undefined {
  if (!isObject(value)) return undefined
  const entries = Object.entries(value)
  if (entries.some(([, one]) => !["string", "number", "boolean"].includes(typeof one))) return undefined
  return Object.fromEntries(entries.map(([name, one]) => [name, String(one)]))
}
