/** Providers by their servers: those whose key or address is in the environment, and those in the settings. */

import { effortLevels } from "#agent/words/thinking.ts"
import { formatNames, formats } from "#ground/models/formats.ts"
import { type ServerChoice, serverProvider } from "#ground/models/server-provider.ts"
import { type KnownServer, knownServers, ollamaAddress } from "#ground/models/servers.ts"
import type { Provider } from "#ground/models/provider.ts"
import { childEnvironment } from "#ground/settings/child-environment.ts"
import { runKeyHelper } from "#ground/settings/key-helper.ts"
import { given } from "#lib/given.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import * as shape from "#lib/shape.ts"
import { proxySecrets } from "./network-here.ts"
import type { Setting } from "./setting.ts"

const modelShape = shape.object({
  window: shape.int().min(1).optional(),
  maxOutput: shape.int().min(1).optional(),
  images: shape.boolean().optional(),
  documents: shape.boolean().optional(),
  tools: shape.boolean().optional(),
  efforts: shape.array(shape.choice(effortLevels)).optional(),
})

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
const named = ["models", "headers"] as const

/** Which key a known server waits for; undefined for any other name. */
export function missingKey(model: string): string | undefined {
  const name = model.slice(0, Math.max(model.indexOf("/"), 0)).toLowerCase()
  const server = Object.hasOwn(knownServers, name) ? knownServers[name] : undefined
  return server && `The model ${model} needs a key for ${server.who}. Set ${server.keys.join(" or ")}.`
}

/** Names that mean something else in `providers`, and the provider that has settings of its own. */
const otherNames: ReadonlySet<string> = new Set(["prices", "anthropic", "sim"])

export function serverProviders(setting: Setting, face: "terminal" | "headless"): Result<readonly Provider[], string> {
  const written = setting.loaded.settings.providers ?? {}
  const own = Object.keys(written).filter((name) => !otherNames.has(name))
  const providers: Provider[] = []
  for (const name of new Set([...own, ...Object.keys(knownServers)])) {
    const read = readProvider(name, written[name] ?? {})
    if (!read.ok) return read
    const provider = providerOf(name, read.value, { setting, face, isWritten: own.includes(name) })
    if (!provider.ok) return provider
    if (provider.value) providers.push(provider.value)
  }
  return ok(providers)
}

interface ReadProvider extends ProviderSetting {
  readonly models: ServerChoice["models"]
  readonly headers: { readonly [name: string]: string }
}

function readProvider(name: string, value: JsonObject): Result<ReadProvider, string> {
  const at = `providers.${name}`
  if (!/^[a-z][a-z0-9._-]*$/.test(name))
    return failed(`${at}: the name of a provider has small letters, digits, dots and dashes.`)
  const plain = Object.fromEntries(Object.entries(value).filter(([key]) => !named.some((each) => each === key)))
  const read = providerShape.read(plain, "")
  if (!read.ok) return failed(sentenceOf(at, read.complaints))
  const models: { [id: string]: ServerChoice["models"][string] } = {}
  for (const [id, model] of Object.entries(isObject(value.models) ? value.models : {})) {
    const one = modelShape.read(model, "")
    if (!one.ok) return failed(sentenceOf(`${at}.models.${id}`, one.complaints))
    const { window, maxOutput, images, documents, tools, efforts } = one.value
    models[id] = {
      ...given("window", window),
      ...given("maxOutput", maxOutput),
      ...given("images", images),
      ...given("documents", documents),
      ...given("tools", tools),
      ...(efforts && { thinks: { efforts, byDefault: true } }),
    }
  }
  const headers: { [header: string]: string } = {}
  for (const [header, text] of Object.entries(isObject(value.headers) ? value.headers : {})) {
    if (typeof text !== "string") return failed(`${at}.headers.${header} must be a string.`)
    headers[header] = text
  }
  return ok({ ...read.value, models, headers })
}

const sentenceOf = (at: string, complaints: readonly string[]): string =>
  `${at}: ${complaints.join(" ").replace(/(?<![.?!])$/, ".")}`

/** Undefined for a known server that nothing here speaks of. */
function providerOf(
  name: string,
  said: ReadProvider,
  { setting, face, isWritten }: { setting: Setting; face: "terminal" | "headless"; isWritten: boolean },
): Result<Provider | undefined, string> {
  const known: KnownServer | undefined = Object.hasOwn(knownServers, name) ? knownServers[name] : undefined
  const baseUrl = said.baseUrl ?? addressOf(known, setting) ?? known?.baseUrl
  if (baseUrl === undefined) return failed(`providers.${name} needs a baseUrl, such as http://127.0.0.1:8000/v1.`)
  if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl))
    return failed(`providers.${name}.baseUrl is not an address: ${baseUrl}. It starts with http:// or https://.`)
  const variables = said.keyVariable === undefined ? (known?.keys ?? []) : [said.keyVariable]
  const { env } = setting.loaded
  const variable = variables.find((each) => env[each])
  const { keyHelper } = said
  const isLocal = known !== undefined && known.keys.length === 0
  if (!isWritten && !isLocal && variable === undefined) return ok(undefined)
  return ok(
    serverProvider({
      name,
      who: known?.who ?? name,
      format: formats[said.kind ?? known?.kind ?? "openai-chat"],
      baseUrl,
      ...known?.dialect,
      ...given("limit", said.limit),
      ...given("effort", said.effort),
      ...given("caching", said.caching),
      ...given("callIds", said.callIds),
      headers: said.headers,
      models: said.models,
      usual: known?.usual ?? unknownServer,
      keyHeader: "authorization",
      // A server on one's own machine takes any key, and some refuse a request without one.
      apiKey: () => (variable === undefined ? noKey : env[variable]),
      ...(keyHelper !== undefined && {
        readKey: () => runKeyHelper(keyHelper, childEnvironment(env), `providers.${name}.keyHelper`),
      }),
      // A script's prompt follows at once, a person's perhaps in an hour.
      soon: face === "headless",
      secrets: proxySecrets(setting.environment, setting.loaded.settings),
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
const unknownServer = { window: 128_000, maxOutput: 16_000 }

function addressOf(known: KnownServer | undefined, { loaded }: Setting): string | undefined {
  const address = known?.address === undefined ? undefined : loaded.env[known.address]
  if (!address) return undefined
  return known?.address === "OLLAMA_HOST" ? ollamaAddress(address) : address
}
