/** Providers by their servers: those whose key or address is in the environment, and those in the settings. */

import { type ProviderModels, readProviderModels } from "#ground/models/model-table.ts"
import { formatNames, formats, keyHeaderOf } from "#ground/models/formats.ts"
import { type ServerChoice, serverProvider } from "#ground/models/server-provider.ts"
import { kindAt, type KnownServer, knownServers } from "#ground/models/servers.ts"
import type { Provider } from "#ground/models/provider.ts"
import { childEnvironment } from "#ground/settings/child-environment.ts"
import { hasKeys } from "#ground/settings/kept-key.ts"
import { runKeyHelper } from "#ground/settings/key-helper.ts"
import { optional } from "#lib/optional.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { lazily } from "#lib/lazily.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import * as shape from "#lib/shape.ts"
import { cloudTitles } from "./cloud-names.ts"
import { type KnownModels, openKnownModels } from "./known-models.ts"
import { serverKey, type ServerKey, serverKeyWords } from "#faces/cli/fleet/server-key.ts"
import { proxySecrets } from "./configured-network.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

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
export function missingKey(model: string, login: string): string | undefined {
  const name = providerName(model)
  const server = Object.hasOwn(knownServers, name) ? knownServers[name] : undefined
  return (
    server &&
    `The model ${model} needs a key for ${server.who}. Set ${server.keys.join(" or ")}, or run ${login} ${name}.`
  )
}

const providerName = (model: string): string => model.slice(0, Math.max(model.indexOf("/"), 0)).toLowerCase()

/** Names that mean something else in `providers`, and the provider that has settings of its own. */
const otherNames: ReadonlySet<string> = new Set(["prices", "anthropic", "sim"])

/** Known servers that nothing here mentions are described when one of their models is asked for. */
export function serverProviders(
  setting: StartupContext,
  face: "terminal" | "headless",
): Result<readonly Provider[], string> {
  const servers = openServers(setting, face)
  if (!servers.ok) return servers
  const providers: Provider[] = []
  for (const { name, isMentioned, mayBeReady, open } of servers.value) {
    const server = isMentioned ? open() : undefined
    if (server && !server.ok) return server
    const provider = server
      ? providerOf(server.value)
      : lazyProvider(name, { server: lazily(() => withoutFailure(open())), mayBeReady })
    providers.push(isVariant(name) && !server?.value.isWritten ? Object.assign(provider, { listed: "no" }) : provider)
  }
  return ok(providers)
}

const providerOf = ({ choice, isReady }: ServerHere): Provider =>
  Object.assign(serverProvider(choice), { isConfigured: isReady })

/** Its models are those of another provider in the list. */
const isVariant = (name: string): boolean =>
  Object.hasOwn(knownServers, name) && knownServers[name]?.variantOf !== undefined

/** Without settings and variables there is nothing that could be wrong. */
function withoutFailure(server: Result<ServerHere, string>): ServerHere {
  if (!server.ok) throw new Error(server.failure)
  return server.value
}

function lazyProvider(
  name: string,
  { server, mayBeReady }: { readonly server: () => ServerHere } & Pick<NamedServer, "mayBeReady">,
): Provider {
  const provider = lazily(() => providerOf(server()))
  return {
    name,
    owns: (model) => model.toLowerCase().startsWith(`${name}/`),
    facts: (model) => provider().facts(model),
    price: (model) => provider().price?.(model),
    resolve: (model) => provider().resolve?.(model) ?? model,
    isConfigured: () => mayBeReady() && server().isReady(),
    get address() {
      return provider().address ?? ""
    },
    get models() {
      return provider().models
    },
    open: (parts) => provider().open(parts),
  }
}

/** A provider by its server, with or without a key. */
export interface ServerHere {
  readonly choice: ServerChoice
  /** The variables that may have its key, in the order they are looked at. */
  readonly variables: readonly string[]
  /** As it is now: it may be added or removed while a session is open. */
  readonly key: () => ServerKey
  /** Whether requests can be sent to it. */
  readonly isReady: () => boolean
  /** Whether it is in the settings. */
  readonly isWritten: boolean
  /** As the table has it; undefined for a server of the user's own. */
  readonly known: KnownServer | undefined
}

/** Every known server, and those in the settings, which come first. */
export function serversHere(
  setting: StartupContext,
  face: "terminal" | "headless",
): Result<readonly ServerHere[], string> {
  const servers = openServers(setting, face)
  if (!servers.ok) return servers
  const here: ServerHere[] = []
  for (const { open } of servers.value) {
    const server = open()
    if (!server.ok) return server
    here.push(server.value)
  }
  return ok(here)
}

interface NamedServer {
  readonly name: string
  /** Whether a setting or a variable is about it, which may be wrong. */
  readonly isMentioned: boolean
  /** False if it certainly has no key: most have none, and all are asked for a list of models. */
  readonly mayBeReady: () => boolean
  readonly open: () => Result<ServerHere, string>
}

function openServers(setting: StartupContext, face: "terminal" | "headless"): Result<readonly NamedServer[], string> {
  const models = openKnownModels(setting)
  if (!models.ok) return models
  const { settings, env } = setting.loaded
  const written = settings.providers ?? {}
  const own = Object.keys(written).filter((name) => !otherNames.has(name))
  const cloud = own.find((name) => cloudTitles.has(name))
  if (cloud !== undefined)
    return failed(`providers.${cloud} is not a setting. ${cloud} is set up by variables: codewright docs models`)
  return ok(
    [...new Set([...own, ...Object.keys(knownServers)])].map((name) => {
      const { address = "", keys = [] } = (Object.hasOwn(knownServers, name) && knownServers[name]) || {}
      const isWritten = own.includes(name)
      const isMentioned = isWritten || [address, ...keys].some((variable) => env[variable])
      return {
        name,
        isMentioned,
        mayBeReady: () => isMentioned || keys.length === 0 || (setting.loading.savedKey && hasKeys(setting.state)),
        open() {
          const read = isWritten ? readProvider(name, written[name] ?? {}) : ok(nothingSaid)
          return read.ok ? serverOf(name, read.value, { setting, face, models: models.value, isWritten }) : read
        },
      }
    }),
  )
}

interface ReadProvider extends ProviderSetting, ProviderModels {
  readonly headers: { readonly [name: string]: string }
}

const nothingSaid: ReadProvider = { models: {}, aliases: {}, headers: {} }

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

interface ServerParts {
  readonly setting: StartupContext
  readonly face: "terminal" | "headless"
  readonly models: KnownModels
  readonly isWritten: boolean
}

function serverOf(
  name: string,
  said: ReadProvider,
  { setting, face, models: facts, isWritten }: ServerParts,
): Result<ServerHere, string> {
  const known: KnownServer | undefined = Object.hasOwn(knownServers, name) ? knownServers[name] : undefined
  const variables = said.keyVariable === undefined ? (known?.keys ?? []) : [said.keyVariable]
  const { env } = setting.loaded
  const { keyHelper } = said
  const isLocal = known?.keys.length === 0
  // A variable with another address may be meant for another program: without a key it is nobody's fault.
  const isWanted = isWritten || isLocal || variables.some((variable) => env[variable])
  const asked = said.baseUrl ?? addressOf(known, setting) ?? known?.baseUrl
  if (asked === undefined) return failed(`providers.${name} needs a baseUrl, such as http://127.0.0.1:8000/v1.`)
  const place = said.baseUrl === undefined && known?.address ? known.address : `providers.${name}.baseUrl`
  if (!isAddress(asked) && isWanted)
    return failed(`${place} is not an address: ${asked}. It starts with http:// or https://.`)
  const baseUrl = isAddress(asked) ? asked : (known?.baseUrl ?? asked)
  const kind = said.kind ?? (known ? kindAt(known, baseUrl) : "openai-chat")
  const key = (): ServerKey => serverKey({ name, baseUrl, variables, keyHelper }, setting)
  // At a provider's own address nothing is answered without a key, whatever else is set for it.
  const needsKey = !isWritten || (baseUrl === known?.baseUrl && keyHelper === undefined && isEmpty(said.headers))
  return ok({
    variables,
    key,
    known,
    isWritten,
    isReady: () => isLocal || !needsKey || key().source !== "none",
    choice: {
      name,
      who: known?.who ?? name,
      format: formats[kind],
      baseUrl,
      ...known?.dialect,
      ...optional("limit", said.limit),
      ...optional("effort", said.effort),
      ...optional("caching", said.caching),
      ...optional("callIds", said.callIds),
      headers: said.headers,
      models: said.models,
      aliases: said.aliases,
      table: () => facts.of(name),
      usual: known?.usual ?? unknownServer,
      keyHeader: keyHeaderOf(kind),
      // A server on one's own machine takes any key, and some refuse a request without one.
      apiKey: () => key().key ?? noKey,
      ...(keyHelper !== undefined && {
        readKey: () => runKeyHelper(keyHelper, childEnvironment(env), `providers.${name}.keyHelper`),
      }),
      // A script's prompt follows at once, a person's perhaps in an hour.
      soon: face === "headless",
      secrets: proxySecrets(setting.environment, setting.loaded.settings),
      keyWords: () => serverKeyWords(key(), { name, variables, setting, face }),
    },
  })
}

const isAddress = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text)

const noKey = "none"
const isEmpty = (headers: object): boolean => Object.keys(headers).length === 0
const unknownServer = { window: 128_000, maxOutput: 16_000 }

function addressOf(known: KnownServer | undefined, { loaded }: StartupContext): string | undefined {
  const address = known?.address === undefined ? undefined : loaded.env[known.address]
  if (!address) return undefined
  return known?.baseUrlOf?.(address) ?? address
}
