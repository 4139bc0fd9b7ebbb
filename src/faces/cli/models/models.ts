/** `codewright models`: the providers that can be used, their models, and what is missing to use others. */

import type { ModelFacts } from "#agent/words/model.ts"
import type { Price } from "#agent/words/price.ts"
import { claudePrice, claudePricesDate, listedModels } from "#ground/models/anthropic/prices.ts"
import { anthropicName, claudeFacts } from "#ground/models/anthropic/releases.ts"
import type { Provider } from "#ground/models/provider.ts"
import { knownServers } from "#ground/models/servers.ts"
import { openPrices } from "#kits/budget/prices.ts"
import { shortNumber } from "#lib/figures.ts"
import { stripControls } from "#lib/printable.ts"
import { aligned } from "#lib/rows.ts"
import { parseArguments } from "#faces/cli/flags/argv.ts"
import { asksForHelp, type CommandHelp, commandHelp } from "#faces/cli/help/command-help.ts"
import { cloudTitles, usesCloud } from "./cloud-names.ts"
import { aliasesOf, reachesAnthropic } from "./connect.ts"
import type { Flag } from "#faces/cli/flags/flag.ts"
import { type FlagName, flags } from "#faces/cli/flags/flags.ts"
import type { Io } from "#faces/cli/io.ts"
import { openKnownModels } from "./known-models.ts"
import { serverProviders } from "./providers.ts"
import { readSetting, type StartupContext } from "#faces/cli/startup-context.ts"
import { userPrices } from "#faces/cli/start.ts"
import { startedAs } from "#faces/cli/started-as.ts"

const table: readonly Flag<"json" | "help">[] = [
  { name: "json", kind: "switch", about: "Print JSON." },
  { name: "help", also: ["-h"], kind: "switch", about: "Show this help." },
]

export const help: CommandHelp = {
  usage: ["codewright models [provider or part of a name] [--json]", "codewright models test <model> [--json]"],
  about:
    "Lists the providers that can be used here and their models: context window, longest answer, price per million tokens, and what each can do.",
  verbs: [
    [
      "test <model>",
      "Send a few real requests to a model, say what works, and print a setting to paste. It costs a few cents at most.",
    ],
  ],
  table,
  examples: ["codewright models", "codewright models openrouter", "codewright models test ollama/qwen3"],
}

export async function modelsCommand(argv: readonly string[], io: Io): Promise<number> {
  if (asksForHelp(argv)) {
    io.write(commandHelp(help))
    return 0
  }
  const parsed = parseArguments(argv, table)
  if (!parsed.ok) return io.fail(parsed.failure.message)
  const [first, ...more] = parsed.value.rest
  const isTest = first === "test"
  if (more.length > (isTest ? 1 : 0)) return io.fail(`models takes one name, but got '${parsed.value.rest.join(" ")}'.`)
  const name = isTest ? more[0] : first
  if (isTest && name === undefined)
    return io.fail("Name the model to test, such as: codewright models test ollama/qwen3")
  const args = parseArguments<FlagName>(isTest && name !== undefined ? ["--model", name] : [], flags)
  if (!args.ok) return io.fail(args.failure.message)
  const setting = await readSetting(args.value)
  if (!setting.ok) return io.fail(setting.failure.message)
  const format = parsed.value.has("json") ? "json" : "text"
  if (!isTest) return list(setting.value, name, format, io)
  return (await import("./models-test.ts")).testModel({ args: args.value, setting: setting.value, format, io })
}

interface ListedModel {
  readonly id: string
  /** Short names for it. */
  readonly aliases: readonly string[]
  readonly facts: ModelFacts
  readonly price: Price | undefined
}

interface ListedProvider {
  readonly name: string
  /** What to do before it can be used; absent where it can be. */
  readonly missing?: string
  readonly models: readonly ListedModel[]
  /** What is assumed of models that are not listed. */
  readonly assumed?: ModelFacts
}

/** Without a filter, no more of each provider. */
const mostShown = 12

function list(setting: StartupContext, filter: string | undefined, format: "json" | "text", io: Io): number {
  const servers = serverProviders(setting, "terminal")
  const known = openKnownModels(setting)
  if (!servers.ok) return io.fail(servers.failure)
  if (!known.ok) return io.fail(known.failure)
  const usable = servers.value.filter(({ isConfigured }) => isConfigured?.() !== false)
  const all = [
    anthropicHere(setting),
    ...usable
      .filter(({ name, listed }) => listed !== "no" || name === filter?.toLowerCase())
      .map((each) => serverHere(each, setting)),
    ...absent(usable),
    ...(usesCloud(setting) ? [] : clouds),
  ]
  const shown = filter === undefined ? all : all.flatMap((provider) => filtered(provider, filter))
  const date = known.value.date()
  if (format === "json") {
    io.write(`${JSON.stringify({ date, providers: shown.map(asData) }, null, 2)}\n`)
    return 0
  }
  if (shown.length === 0)
    return io.fail(`Nothing is known by the name ${filter}. codewright models lists all providers.`)
  const ready = shown.filter(({ missing }) => missing === undefined)
  const most = filter === undefined ? mostShown : Number.POSITIVE_INFINITY
  const parts = [
    ...ready.filter(({ models }) => models.length > 0).map((provider) => providerText(provider, most)),
    anyText(ready.filter(({ models }) => models.length === 0)),
    otherText(shown.filter(({ missing }) => missing !== undefined)),
    `Prices are per million tokens, as listed on ${date} or later, Anthropic's on ${claudePricesDate}. To correct or add models: codewright docs models`,
  ]
  io.write(`${stripControls(parts.filter((part) => part !== "").join("\n\n"))}\n`)
  return 0
}

function anthropicHere(setting: StartupContext): ListedProvider {
  const { opus, sonnet, haiku, main, small } = aliasesOf(setting)
  const names = Object.entries({ default: main, opus, sonnet, haiku, small })
  const priceOf = openPrices({ listed: claudePrice, ...userPrices(setting) })
  return {
    name: anthropicName,
    ...(!reachesAnthropic(setting) &&
      !usesCloud(setting) && { missing: `run ${startedAs(setting.home)} login, or set ANTHROPIC_API_KEY` }),
    models: listedModels.map((id) => ({
      id,
      aliases: names.flatMap(([alias, full]) => (full === id ? [alias] : [])),
      facts: { ...claudeFacts(id), images: true, documents: true },
      price: priceOf(id),
    })),
  }
}

function serverHere(provider: Provider, setting: StartupContext): ListedProvider {
  const { name, models, facts, resolve = (model) => model } = provider
  const priceOf = openPrices({ ...(provider.price && { listed: provider.price }), ...userPrices(setting) })
  const meant = (alias: string): string => resolve(`${name}/${alias}`)
  const names = ["default", "sonnet", "small"]
    .map((alias) => [`${name}/${alias}`, meant(alias)] as const)
    .filter(([, id], at) => at === 0 || id !== meant("default"))
  return {
    name,
    models: models.map((id) => ({
      id,
      aliases: names.flatMap(([alias, full]) => (full === id ? [alias] : [])),
      facts: facts(id),
      price: priceOf(id),
    })),
    assumed: facts(`${name}/any other`),
  }
}

/** Claude's models are then those of the cloud. */
const clouds: readonly ListedProvider[] = [...cloudTitles.keys()].map((name) => ({
  name,
  missing: `set CLAUDE_CODE_USE_${name.toUpperCase()}; see codewright docs models`,
  models: [],
}))

const absent = (there: readonly Provider[]): readonly ListedProvider[] =>
  Object.entries(knownServers)
    .filter(([name, { variantOf }]) => variantOf === undefined && !there.some((provider) => provider.name === name))
    .map(([name, { keys }]) => ({ name, missing: `set ${keys.join(" or ")}`, models: [] }))

function filtered(provider: ListedProvider, filter: string): readonly ListedProvider[] {
  const wanted = filter.toLowerCase()
  if (provider.name === wanted) return [provider]
  const models = provider.models.filter(({ id }) => id.toLowerCase().includes(wanted))
  return models.length === 0 ? [] : [{ ...provider, models }]
}

function providerText({ name, models, assumed }: ListedProvider, most: number): string {
  // Those with a short name are what most people look for.
  const sorted = models.toSorted((a, b) => Number(b.aliases.length > 0) - Number(a.aliases.length > 0))
  const left = models.length - most
  const titles = [name, "context", "output", "$ in / out"]
  const [first = "", ...rows] = aligned([titles, ...sorted.slice(0, most).map(cells)])
  return [
    first,
    ...rows,
    ...(left > 0 ? [`${left} more: codewright models ${name}`] : []),
    ...(assumed ? [`Any other: ${assumedText(assumed)}`] : []),
  ].join("\n")
}

const cells = ({ id, aliases, facts, price }: ListedModel): readonly string[] => [
  id,
  shortNumber(facts.window),
  shortNumber(facts.maxOutput),
  price ? `${price.input} / ${price.output}` : "unknown",
  abilities(facts).join(", "),
  aliases.join(", "),
]

const assumedText = (facts: ModelFacts): string =>
  `assumed to have ${shortNumber(facts.window)} context, ${shortNumber(facts.maxOutput)} output, ${["tools", ...abilities(facts)].join(", ")}; price unknown.`

/** Servers with models of the user's own choice. */
function anyText(servers: readonly ListedProvider[]): string {
  if (servers.length === 0) return ""
  const rows = servers.map(({ name, assumed }) => [`${name}/<model>`, assumed ? assumedText(assumed) : ""])
  return [
    "Servers that need to be running, with any model they have",
    ...aligned(rows).map((line) => `  ${line}`),
  ].join("\n")
}

const abilities = ({ tools, parallelCalls, images, documents, thinks }: ModelFacts): readonly string[] => [
  ...(tools === "never" ? ["no tools"] : []),
  ...(parallelCalls === "never" ? ["one call at a time"] : []),
  ...(images ? ["pictures"] : []),
  ...(documents ? ["PDF"] : []),
  ...(thinks ? ["thinking"] : []),
]

function otherText(missing: readonly ListedProvider[]): string {
  if (missing.length === 0) return ""
  return [
    "To use others",
    ...aligned(missing.map(({ name, missing: todo = "" }) => [name, todo])).map((line) => `  ${line}`),
    "  any other server that speaks Chat Completions: codewright docs models",
  ].join("\n")
}

/** The shape that other programs rely on. */
const asData = ({ name, missing, models, assumed }: ListedProvider): object => ({
  name,
  configured: missing === undefined,
  ...(missing !== undefined && { missing }),
  ...(assumed && {
    assumed: { window: assumed.window, maxOutput: assumed.maxOutput, images: assumed.images === true },
  }),
  models: models.map(({ id, aliases, facts, price }) => ({
    id,
    aliases,
    window: facts.window,
    maxOutput: facts.maxOutput,
    tools: facts.tools !== "never",
    parallelCalls: facts.parallelCalls !== "never",
    images: facts.images === true,
    documents: facts.documents === true,
    structured: facts.structured === true,
    ...(facts.cache && { cache: facts.cache }),
    ...(facts.thinks && { thinking: facts.thinks.stops === "never" ? "always" : "optional" }),
    ...(facts.thinks && { efforts: facts.thinks.efforts }),
    ...(price && { price }),
  })),
})
