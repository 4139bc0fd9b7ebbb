/** The way to models: the providers that are configured, and the simulator for those who ask for it. */

import { type Aliases, aliasesFrom, resolveModel } from "#ground/models/aliases.ts"
import { anthropicProvider } from "#ground/models/anthropic/provider.ts"
import { isSimulated } from "#ground/models/model-id.ts"
import type { CloudProvider } from "#ground/models/clouds/provider.ts"
import { namedProvider, type Provider } from "#ground/models/provider.ts"
import { type Models, openModels } from "#ground/models/router.ts"
import { simulatedProvider } from "#ground/models/simulated.ts"
import { childEnvironment } from "#ground/settings/child-environment.ts"
import { clientCertificate } from "#ground/settings/client-certificate.ts"
import { runKeyHelper } from "#ground/settings/key-helper.ts"
import { modelForMode } from "#kits/plan/model.ts"
import { nextModel } from "#session/request/recover.ts"
import { systemClock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import { systemIds } from "#lib/ids.ts"
import { type JsonObject, objectIn } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { ModelChoice } from "#session/opening/options.ts"
import type { Arguments } from "#faces/cli/flags/argv.ts"
import { mayUseClouds, usesCloud } from "./cloud-names.ts"
import type { SharedChoice } from "./clouds.ts"
import { missingKey, serverProviders, serversHere } from "./providers.ts"
import { besides, fullName } from "./model-names.ts"
import { noModel, type StartFailure, wrong } from "#faces/cli/failure.ts"
import type { FlagName } from "#faces/cli/flags/flags.ts"
import { chosenKey, keyAdvice, keyInUse } from "./key-in-use.ts"
import { proxySecrets } from "./configured-network.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"
import { startedAs } from "#faces/cli/started-as.ts"

export interface Connection {
  readonly models: Models
  readonly id: string
  readonly fallback: readonly string[]
  readonly forMode: NonNullable<ModelChoice["forMode"]>
  readonly small: string
  readonly forAgents: Pick<ModelChoice, "middle" | "forAgents" | "resolve">
  readonly apiKeySource: string
  readonly notes: readonly string[]
  readonly close: () => Promise<void>
}

/** A missing provider is never replaced by another; the failure says how to configure it. */
export async function connect(
  args: Arguments<FlagName>,
  setting: StartupContext,
  face: "terminal" | "headless",
): Promise<Result<Connection, StartFailure>> {
  const { environment, loaded } = setting
  const aliases = aliasesOf(setting)
  const read = serverProviders(setting, face)
  if (!read.ok) return wrong(read.failure)
  const servers = [...read.value]
  const full = (name: string): string => fullName(resolveModel(name, aliases), servers)
  const chosen = loaded.settings.model ?? "default"
  const id = full(chosen)
  const fallback = fallbackNames(args, setting).map(full)
  const betas = args.list("betas").flatMap((names) => names.split(/[\s,]+/).filter((name) => name !== ""))
  const shared = sharedChoice(setting, face, betas)
  if (!shared.ok) return wrong(shared.failure)
  // Whoever set it does not expect to reach Anthropic itself.
  if (environment.useMantle && !usesCloud(setting) && !id.includes("/") && !isSimulated(id)) return noModel(noMantle)
  const { planModel, smallModel, subagentModel } = loaded.settings
  const others = [planModel, smallModel, subagentModel].flatMap((name) => name ?? [])
  const named = [id, ...fallback, ...others, ...Object.values(aliases), environment.subagentModel ?? ""]
  const clouds = mayUseClouds(setting, named)
    ? (await import("./clouds.ts")).cloudProviders(setting, aliases, shared.value)
    : []
  const cloudOf = (model: string): CloudProvider | undefined => clouds.find(({ owns }) => owns(model))
  const isServer = servers.some(isReadyFor(id))
  const missing = isServer || cloudOf(id) ? undefined : missingProvider(id, setting)
  if (missing !== undefined) return noModel(missing)
  const needed = [id, ...fallback, ...(isSimulated(id) ? [] : others.map(full))]
  for (const model of needed) {
    const problem = servers.some(isReadyFor(model)) ? undefined : await cloudOf(model)?.problem()
    if (problem !== undefined) return noModel(problem)
  }

  const simulator = openSimulatorOnce()
  const providers: Provider[] = [
    ...servers,
    ...clouds,
    anthropicOf(setting, face, shared.value),
    simulatedProvider(simulator.start, environment.toolSearch ? {} : { deferral: "never" }),
  ]
  const besideIt = besides({
    id,
    aliases,
    small: smallModel ?? environment.smallFastModel,
    subagents: subagentModel ?? environment.subagentModel,
    servers: [...servers, ...clouds.filter(({ selected }) => !selected)],
    isAnthropic: reachesAnthropic(setting) || usesCloud(setting),
  })
  const wanted = [...needed, besideIt.small, environment.subagentModel]
  const wantedClouds = clouds.filter(({ owns }) => wanted.some((model) => model !== undefined && owns(model)))
  setting.network.permit(
    addressesOf(providers, wanted),
    wantedClouds.map(({ name }) => name),
  )
  setting.added.onAdd((again) => {
    const now = serverProviders(again, face)
    const fresh = now.ok ? now.value.filter(({ name }) => servers.every((known) => known.name !== name)) : []
    // Before a gateway, to which any name could belong.
    for (const list of [servers, providers]) list.unshift(...fresh)
  })
  const models = openModels(providers, {
    policy: {
      attempts: environment.maxRetries + 1,
      hasFallback: (model) => nextModel(model, fallback) !== undefined,
    },
    limits: {
      silenceMs: environment.streamIdleMs,
      firstByteMs: environment.apiTimeoutMs ?? environment.firstByteMs,
      ...optional("wholeMs", environment.apiTimeoutMs),
    },
    pieces: face === "terminal" ? "joined" : "as sent",
    first: id,
    clock: systemClock,
    ids: systemIds,
    network: setting.network,
  })
  const close = async (): Promise<void> => {
    models.close()
    await simulator.close()
  }
  const refusalOf = (model: string): string | undefined =>
    servers.some(({ owns }) => owns(model)) && !servers.some(isReadyFor(model))
      ? missingKey(model, `${startedAs(setting.home)} login`)
      : models.refusal(model)?.message
  const refusal = needed.map(refusalOf).find((one) => one !== undefined)
  if (refusal !== undefined) {
    await close()
    return noModel(refusal)
  }
  return ok({
    models,
    id,
    fallback,
    // The session goes by the model it works with; planning looks at what was chosen.
    forMode: ({ mode, model, contextTokens }) =>
      mode === "plan" && planModel !== undefined && !isSimulated(model)
        ? full(planModel)
        : fullName(modelForMode({ mode, chosen: model === id ? chosen : model, contextTokens, aliases }), servers),
    ...besideIt,
    apiKeySource: isSimulated(id) ? "simulator" : keySource(setting),
    notes: isSimulated(id)
      ? [`${simulatorNote} ${face === "terminal" ? "/login" : `${startedAs(setting.home)} login`}`]
      : [],
    close,
  })
}

/** The flag replaces the setting. */
function fallbackNames(args: Arguments<FlagName>, { loaded }: StartupContext): readonly string[] {
  const flag = args.value("fallback-model")
  const names = flag === undefined ? [loaded.settings.fallbackModel ?? []].flat() : flag.split(",")
  return names.map((name) => name.trim()).filter((name) => name !== "")
}
/** Where the chosen models are: offline, nothing else is contacted. */
const addressesOf = (providers: readonly Provider[], models: readonly (string | undefined)[]): readonly string[] =>
  models.flatMap((model) => (model && providers.find(({ owns }) => owns(model))?.address) ?? [])

export const hasModel = (setting: StartupContext): boolean => {
  const id = resolveModel(setting.loaded.settings.model ?? "default", aliasesOf(setting))
  const servers = serverProviders(setting, "terminal")
  // What is wrong with the settings is said when the session starts.
  if (!servers.ok || servers.value.some(({ owns }) => owns(id)))
    return !servers.ok || servers.value.some(isReadyFor(id))
  return isSimulated(id) || usesCloud(setting) || reachesAnthropic(setting)
}

const isReadyFor =
  (model: string) =>
  ({ owns, isConfigured: isReady }: Provider): boolean =>
    owns(model) && isReady?.() !== false

export const aliasesOf = ({ environment }: StartupContext): Aliases =>
  aliasesFrom({
    ...optional("ANTHROPIC_MODEL", environment.model),
    ...optional("ANTHROPIC_SMALL_FAST_MODEL", environment.smallFastModel),
    ...optional("ANTHROPIC_DEFAULT_OPUS_MODEL", environment.opusModel),
    ...optional("ANTHROPIC_DEFAULT_SONNET_MODEL", environment.sonnetModel),
    ...optional("ANTHROPIC_DEFAULT_HAIKU_MODEL", environment.haikuModel),
  })

/** A gateway or a local server may want no key. */
export const reachesAnthropic = (setting: StartupContext): boolean =>
  chosenKey(setting).source !== "none" || setting.environment.baseUrl !== undefined

/** Reported to programs; tokens for gateways count as none. */
function keySource(setting: StartupContext): string {
  const { source } = chosenKey(setting)
  return source === "ANTHROPIC_AUTH_TOKEN" ? "none" : source
}

/** What holds for every way to Anthropic's models. */
function sharedChoice(
  { environment, loaded }: StartupContext,
  face: "terminal" | "headless",
  betas: readonly string[],
): Result<SharedChoice, string> {
  const headers = readHeaders(environment.customHeaders)
  if (!headers.ok) return headers
  const extra = readExtraBody(environment.extraBody)
  if (!extra.ok) return extra
  const certificate = clientCertificate(environment)
  if (!certificate.ok) return certificate
  const odd = betas.find((name) => !/^[\w.-]+$/.test(name))
  if (odd !== undefined) return failed(`--betas: '${odd}' is not the name of a beta feature.`)
  const { betaHeader, others } = withoutBetas(headers.value)
  return ok({
    headers: others,
    betas: [...betaHeader, ...betas],
    secrets: proxySecrets(environment, loaded.settings),
    ...(!environment.toolSearch && { deferral: "never" }),
    ...(environment.disablePromptCaching && { caching: "never" }),
    ...optional("extraBody", extra.value),
    // A script's prompt follows at once, a person's perhaps in an hour.
    soon: face === "headless",
  })
}

function anthropicOf(setting: StartupContext, face: "terminal" | "headless", shared: SharedChoice): Provider {
  const { environment, loaded } = setting
  const login = face === "terminal" ? "/login" : "codewright login"
  const helper = loaded.settings.apiKeyHelper
  return anthropicProvider({
    ...shared,
    ...optional("baseUrl", environment.baseUrl),
    // The kept key may be another one by the next request: /login changes it.
    apiKey() {
      const { source, key } = chosenKey(setting)
      return source === "key.json" ? key : environment.apiKey
    },
    isConfigured: () => reachesAnthropic(setting),
    keyWords() {
      const key = keyInUse(setting)
      return { which: key.which, advice: keyAdvice(key, login) }
    },
    ...optional("authToken", environment.authToken),
    ...(helper && { readKey: () => runKeyHelper(helper, childEnvironment(loaded.env)) }),
    ...optional("keyMs", environment.apiKeyHelperTtlMs),
  })
}

const ownFields: readonly string[] = ["model", "messages", "system", "tools", "stream", "max_tokens"]

/** Budgets, rules and the log rely on what we send, so those fields stay ours. */
function readExtraBody(text: string | undefined): Result<JsonObject | undefined, string> {
  if (text === undefined || text.trim() === "") return ok(undefined)
  const body = objectIn(text)
  if (!body) return failed("CLAUDE_CODE_EXTRA_BODY must be a JSON object.")
  const taken = ownFields.find((name) => name in body)
  return taken === undefined
    ? ok(body)
    : failed(`CLAUDE_CODE_EXTRA_BODY cannot set ${taken}. Remove it; there are flags and settings for it.`)
}

/** Why sessions that name no model will fail here; undefined if they will not. */
export function missingModel(setting: StartupContext): string | undefined {
  if (hasModel(setting)) return undefined
  const id = resolveModel(setting.loaded.settings.model ?? "default", aliasesOf(setting))
  return missingProvider(id, setting) ?? `No model is configured. ${howToConfigure(setting)}`
}

/** Why the requested model is not available, and how to get it. */
function missingProvider(id: string, setting: StartupContext): string | undefined {
  const named = namedProvider(id)
  if (isSimulated(id)) return undefined
  const keyless = missingKey(id, `${startedAs(setting.home)} login`)
  if (keyless !== undefined) return keyless
  if (named !== undefined && named !== "anthropic")
    return `The model ${id} needs the provider ${named}, which is not supported yet. ${howToConfigure(setting)}`
  return reachesAnthropic(setting) ? undefined : `No model is configured. ${howToConfigure(setting)}`
}

/** What was found comes first: somebody who has set a key wants to use it. */
const howToConfigure = (setting: StartupContext): string => `${foundKeys(setting)}${waysToConfigure(setting)}`

function foundKeys(setting: StartupContext): string {
  const servers = serversHere(setting, "headless")
  const keyed = servers.ok
    ? servers.value.filter(({ key, known }) => known?.variantOf === undefined && key().source !== "none")
    : []
  if (keyed.length === 0) return ""
  const names = keyed.map(({ choice }) => `--model ${choice.name}/<model>`)
  return `There is a key for ${keyed.map(({ choice }) => choice.who).join(", ")}: use ${names.join(" or ")}. `
}

const waysToConfigure = ({ home }: StartupContext): string =>
  `Run ${startedAs(home)} login, or set ANTHROPIC_API_KEY, the setting apiKeyHelper, or ANTHROPIC_BASE_URL for a gateway or a local server. To try the built-in simulator: --model sim`

const noMantle =
  "CLAUDE_CODE_USE_MANTLE is set, but the Mantle endpoint of Amazon Bedrock is not supported. Set CLAUDE_CODE_USE_BEDROCK=1 for Claude on Bedrock, or unset the variable."

const simulatorNote = "Using the built-in simulator, which follows fixed rules. To connect a real model:"

/** Started on first use. */
function openSimulatorOnce(): {
  readonly start: () => Promise<Result<{ readonly url: string }, string>>
  readonly close: () => Promise<void>
} {
  let starting: Promise<Result<{ readonly url: string; readonly close: () => Promise<void> }, string>> | undefined
  const start = async (): NonNullable<typeof starting> => {
    const { openSimulator } = await import("#sim/server.ts")
    const opened = await openSimulator({ keepRequests: "none" })
    return opened.ok ? opened : failed(opened.failure.message)
  }
  return {
    start: () => (starting ??= start()),
    async close() {
      const started = await starting
      if (started?.ok) await started.value.close()
    },
  }
}

/** Beta features that the user's own headers ask for, which not every cloud reads there. */
function withoutBetas(headers: Headers): { readonly betaHeader: readonly string[]; readonly others: Headers } {
  const isBeta = ([name]: readonly [string, string]): boolean => name.toLowerCase() === "anthropic-beta"
  const entries = Object.entries(headers)
  return {
    betaHeader: entries.filter(isBeta).flatMap(([, value]) => value.split(/[\s,]+/).filter((beta) => beta !== "")),
    others: Object.fromEntries(entries.filter((each) => !isBeta(each))),
  }
}

type Headers = { readonly [name: string]: string }

/** One `Name: value` per line. */
function readHeaders(text: string | undefined): Result<Headers, string> {
  const headers: { [name: string]: string } = {}
  for (const [index, line] of (text ?? "").split("\n").entries()) {
    if (line.trim() === "") continue
    const found = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*:\s*(.*?)\s*$/.exec(line)
    // The line itself is not shown: such headers carry keys.
    if (!found) return failed(`ANTHROPIC_CUSTOM_HEADERS: line ${index + 1} is not of the form 'Name: value'.`)
    headers[found[1] as string] = found[2] as string
  }
  return ok(headers)
}
