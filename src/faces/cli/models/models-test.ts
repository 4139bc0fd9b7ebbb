/** `codewright models test`: real requests to one model, what works, and a setting that says so. */

import { allTokens, noUsage, type ModelFacts } from "#agent/words/model.ts"
import { splitWindow } from "#ground/models/model-id.ts"
import { withoutProvider } from "#ground/models/provider.ts"
import { costOf, openPrices } from "#kits/budget/prices.ts"
import { costText } from "#lib/figures.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { stripControls } from "#lib/printable.ts"
import { sentence } from "#lib/sentence.ts"
import { tilde } from "#lib/tilde.ts"
import type { Arguments } from "#faces/cli/flags/argv.ts"
import { connect } from "./connect.ts"
import type { FlagName } from "#faces/cli/flags/flags.ts"
import type { Io } from "#faces/cli/io.ts"
import { type Probed, probes } from "./models-probes.ts"
import { serverProviders } from "./providers.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"
import { userPrices } from "#faces/cli/start.ts"

export interface TestCall {
  readonly args: Arguments<FlagName>
  readonly setting: StartupContext
  readonly format: "json" | "text"
  readonly io: Io
}

/** 0 when the model can be worked with, 1 when it cannot: without pictures or two calls at once it can. */
export async function testModel({ args, setting, format, io }: TestCall): Promise<number> {
  const servers = serverProviders(setting, "headless")
  if (!servers.ok) return io.fail(servers.failure)
  const asKnown = await connect(args, setting, "headless")
  if (!asKnown.ok) return io.fail(asKnown.failure.message)
  const { id, models } = asKnown.value
  const facts = models.factsOf(id)
  const price = openPrices({ listed: models.priceOf, ...userPrices(setting) })(id)
  await asKnown.value.close()
  // Facts of models of servers alone can be set.
  const server = servers.value.find(({ owns }) => owns(id))
  const trying = await connect(args, server ? withEverything(setting, id, server.name) : tried(setting, {}), "headless")
  if (!trying.ok) return io.fail(trying.failure.message)

  const stop = new AbortController()
  void io.untilStopped().then(() => stop.abort())
  if (format === "text") {
    io.say(`Testing ${id} with real requests.`)
    if (facts.assumed !== undefined) io.say(facts.assumed.replace(/ Set what is true .*$/, ""))
  }
  const found: Probed[] = []
  let usage = noUsage
  for await (const one of probes({ model: id, models: trying.value.models, signal: stop.signal })) {
    if (one.kind === "usage") usage = one.usage
    else {
      found.push(one)
      if (format === "text") io.write(`${stripControls(probeLine(one))}\n`)
    }
  }
  await trying.value.close()
  if (stop.signal.aborted) return 130

  const usd = price && costOf(usage, price)
  const paste = server && settingFor(found, id, facts, facts.assumed === undefined)
  const isUsable = found.every(({ state }) => state !== "wrong")
  if (format === "json") {
    const tests = found.map(({ name, state, says }) => ({ name, state, message: says }))
    io.write(
      `${JSON.stringify({ model: id, usable: isUsable, tests, usage, costUsd: usd ?? null, setting: paste ?? null }, null, 2)}\n`,
    )
    return isUsable ? 0 : 1
  }
  const cost = usd === undefined ? "unknown, because no price is known" : costText(usd)
  io.say(`Cost: ${cost} (${allTokens(usage).toLocaleString("en-US")} tokens).`)
  io.say(isUsable ? `${id} can be worked with.` : `${id} cannot be worked with as it is.`)
  if (paste) {
    io.say(
      `\nWhat differs from what is known. To keep it, add to ${tilde(`${setting.state}/settings.json`, setting.home)}:`,
    )
    io.write(`${JSON.stringify(paste, null, 2)}\n`)
  }
  return isUsable ? 0 : 1
}

const marks: { readonly [state in Probed["state"]]: string } = { ok: "ok   ", no: "no   ", wrong: "wrong" }

const probeLine = ({ name, state, says }: Probed): string => `${marks[state]}  ${name}: ${sentence(says)}`

/** What a model is not known to take must be sent all the same, to see whether it does. */
function withEverything(setting: StartupContext, model: string, provider: string): StartupContext {
  const id = splitWindow(withoutProvider(provider, model)).id
  const { providers = {} } = setting.loaded.settings
  const own = providers[provider] ?? {}
  const models = isObject(own.models) ? own.models : {}
  const before = isObject(models[id]) ? models[id] : {}
  const all = { ...before, images: true, documents: true, tools: true, parallelCalls: true }
  return tried(setting, { providers: { ...providers, [provider]: { ...own, models: { ...models, [id]: all } } } })
}

/** Nobody waits minutes to learn that a server is overloaded. */
const tried = (setting: StartupContext, more: Partial<StartupContext["loaded"]["settings"]>): StartupContext => ({
  ...setting,
  environment: { ...setting.environment, maxRetries: 1 },
  loaded: { ...setting.loaded, settings: { ...setting.loaded.settings, ...more } },
})

/** The setting that says what was found; undefined where everything is known already. */
function settingFor(
  found: readonly Probed[],
  model: string,
  facts: ModelFacts,
  isKnown: boolean,
): JsonObject | undefined {
  const { provider } = facts
  if (found[0]?.state !== "ok") return undefined
  const before: { readonly [field: string]: boolean } = {
    tools: facts.tools !== "never",
    parallelCalls: facts.parallelCalls !== "never",
    images: facts.images === true,
  }
  const takesTools = found.some(({ field, state }) => field === "tools" && state === "ok")
  const news = found.flatMap(({ field, state }) => {
    if (field === undefined || (field === "parallelCalls" && !takesTools)) return []
    const can = state === "ok"
    return !isKnown || before[field] !== can ? [[field, can] as const] : []
  })
  if (news.length === 0) return undefined
  const assumptions = isKnown ? {} : { window: facts.window, maxOutput: facts.maxOutput }
  const id = withoutProvider(provider, model)
  return { providers: { [provider]: { models: { [id]: { ...assumptions, ...Object.fromEntries(news) } } } } }
}
