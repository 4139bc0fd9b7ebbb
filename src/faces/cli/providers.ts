/** Providers by their servers: those whose key or address is in the environment, and those in the settings. */

import { type ProviderModels, readProviderModels } from "#ground/models/model-table.ts"
import { formatNames, formats, keyHeaderOf } from "#ground/models/formats.ts"
import { serverProvider } from "#ground/models/server-provider.ts"
import { kindAt, type KnownServer, knownServers } from "#ground/models/servers.ts"
import type { Provider } from "#ground/models/provider.ts"
import { childEnvironment } from "#ground/settings/child-environment.ts"
import { runKeyHelper } from "#ground/settings/key-helper.ts"
import { given } from "#lib/given.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { secretsInUrl } from "#lib/mask-known.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import * as shape from "#lib/shape.ts"
import { type KnownModels, openKnownModels } from "./known-models.ts"
import type { Setting } from "./setting.ts"

const providerShape = shape.object({
  kind: shape.choice(formatNames).optional(),
  baseUrl: shape.string().optional(),
  keyVariable: shape.string().optional(),
  keyHelper: shape.string().optional(),
  limit: shape.choice(["max_tokens", "max_completion_tokens"]).optional(),
  effort: shape.choice(["reasoning_effort", "reasoning"]).optional(),
  caching: shape.choice(["marks"]).optional(),
  callIds: shape.choice(["short"]).optional(),
})

type ProviderSetting = Extract<ReturnType<typeof providerShape.read>, { readonly ok: true }>["value"]

/** Objects whose names are the user's own: read apart from the rest. */
const named = ["models", "aliases", "headers"] as const

/** Which key a known server waits for; undefined for any other name. */
export function missingKey(model: string): string | undefined {
  const name = model.slice(0, Math.max(model.indexOf("/"), 0)).toLowerCase()
  const server = Object.hasOwn(knownServers, name) ? knownServers[name] : undefined
  return server && `The model ${model} needs a key for ${server.who}. Set ${server.keys.join(" or ")}.`
}

/** Names that mean something else in `providers`, and the provider that has settings of its own. */
const otherNames: ReadonlySet<string> = new Set(["prices", "anthropic", "sim"])

const cloudNames: ReadonlySet<string> = new Set(["bedrock", "vertex", "foundry"])

export function serverProviders(setting: Setting, face: "terminal" | "headless"): Result<readonly Provider[], string> {
  const known = openKnownModels(setting)
  if (!known.ok) return known
  const written = setting.loaded.settings.providers ?? {}
  const own = Object.keys(written).filter((name) => !otherNames.has(name))
  const providers: Provider[] = []
  const cloud = own.find((name) => cloudNames.has(name))
  if (cloud !== undefined)
    return failed(`providers.${cloud} is not a setting. ${cloud} is set up by variables; see docs/guides/models.md.`)
  for (const name of new Set([...own, ...Object.keys(knownServers)])) {
    const read = readProvider(name, written[name] ?? {})
    if (!read.ok) return read
    const provider = providerOf(name, read.value, {
      setting,
      face,
      known: known.value,
      isWritten: own.includes(name),
    })
    if (!provider.ok) return provider
    if (provider.value) providers.push(provider.value)
  }
  return ok(providers)
}

interface ReadProvider extends ProviderSetting, ProviderModels {
  readonly headers: { readonly [name: string]: string }
}

function readProvider(name: string, value: JsonObject): Result<ReadProvider, string> {
  const at = `providers.${name}`
  if (!/^[a-z][a-z0-9._-]*$/.test(name))
    return failed(`${at}: the name of a provider has small letters, digits, dots and dashes.`)
  const plain = Object.fromEntries(Object.entries(value).filter(([key]) => !named.some((each) => each === key)))
  const read = providerShape.read(plain, "")
  if (!read.ok) return failed(sentenceOf(at, read.complaints))
  const { models = {}, aliases = {} } = value
  const known = readProviderModels({ models, aliases }, at)
  if (!known.ok) return known
  const headers: { [header: string]: string } = {}
  for (const [header, text] of Object.entries(isObject(value.headers) ? value.headers : {})) {
    if (typeof text !== "string") return failed(`${at}.headers.${header} must be a string.`)
    headers[header] = text
  }
  return ok({ ...read.value, ...known.value, headers })
}

const sentenceOf = (at: string, complaints: readonly string[]): string =>
  `${at}: ${complaints.join(" ").replace(/(?<![.?!])$/, ".")}`

interface ProviderParts {
  readonly setting: Setting
  readonly face: "terminal" | "headless"
  readonly known: KnownModels
  readonly isWritten: boolean
}

/** Undefined for a known server that nothing here speaks of. */
function providerOf(
  name: string,
  said: ReadProvider,
  { setting, face, known: facts, isWritten }: ProviderParts,
): Result<Provider | undefined, string> {
  const known: KnownServer | undefined = Object.hasOwn(knownServers, name) ? knownServers[name] : undefined
  const variables = said.keyVariable === undefined ? (known?.keys ?? []) : [said.keyVariable]
  const { env } = setting.loaded
  const variable = variables.find((each) => env[each])
  const { keyHelper } = said
  const isLocal = known !== undefined && known.keys.length === 0
  const baseUrl = said.baseUrl ?? addressOf(known, setting) ?? known?.baseUrl
  // At a provider's own address nothing is answered without a key, whatever else is set for it.
  const isTheirs = known !== undefined && baseUrl === known.baseUrl
  const needsKey = !isWritten || (isTheirs && keyHelper === undefined && isEmpty(said.headers))
  if (!isLocal && variable === undefined && needsKey) return ok(undefined)
  if (baseUrl === undefined) return failed(`providers.${name} needs a baseUrl, such as http://127.0.0.1:8000/v1.`)
  const place = said.baseUrl === undefined && known?.address ? known.address : `providers.${name}.baseUrl`
  if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl))
    return failed(`${place} is not an address: ${baseUrl}. It starts with http:// or https://.`)
  const kind = said.kind ?? (known ? kindAt(known, baseUrl) : "openai-chat")
  return ok(
    serverProvider({
      name,
      who: known?.who ?? name,
      format: formats[kind],
      baseUrl,
      ...known?.dialect,
      ...given("limit", said.limit),
      ...given("effort", said.effort),
      ...given("caching", said.caching),
      ...given("callIds", said.callIds),
      headers: said.headers,
      models: said.models,
      aliases: said.aliases,
      table: () => facts.of(name),
      usual: known?.usual ?? unknownServer,
      keyHeader: keyHeaderOf(kind),
      // A server on one's own machine takes any key, and some refuse a request without one.
      apiKey: () => (variable === undefined ? noKey : env[variable]),
      ...(keyHelper !== undefined && {
        readKey: () => runKeyHelper(keyHelper, childEnvironment(env), `providers.${name}.keyHelper`),
      }),
      // A script's prompt follows at once, a person's perhaps in an hour.
      soon: face === "headless",
      secrets: [setting.environment.httpProxy, setting.environment.httpsProxy].flatMap((proxy) =>
        secretsInUrl(proxy ?? ""),
      ),
      keyWords: () => ({
        which: variable === undefined ? "A request without a key" : `The key in ${variable}`,
        advice:
          variable === undefined
            ? `Set ${variables[0] ?? `the key's variable in providers.${name}.keyVariable`}.`
            : "Change the variable.",
      }),
    }),
  )
}

const noKey = "none"
const isEmpty = (headers: object): boolean => Object.keys(headers).length === 0
const unknownServer = { window: 128_000, maxOutput: 16_000 }

function addressOf(known: KnownServer | undefined, { loaded }: Setting): string | undefined {
  const address = known?.address === undefined ? undefined : loaded.env[known.address]
  if (!address) return undefined
  return known?.baseUrlOf?.(address) ?? address
}
