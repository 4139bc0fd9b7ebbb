/**
 * `npm run model-table <where>`: writes the table of models from the public data of models.dev. `where` is a checkout of
 * its repository, a file with its api.json, or the address of that file. A second argument is the date of the oldest of it.
 */

import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import { effortLevels } from "#agent/words/thinking.ts"
import { readModelTable } from "#ground/models/model-table.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"

/** Our names for providers, and theirs. Aliases are ours: the model to work with, and a small one. */
const taken: readonly Taken[] = [
  { name: "openai", theirs: "openai", aliases: { default: "gpt-6.1-sol", small: "gpt-6-luna" } },
  {
    name: "gemini",
    theirs: "google",
    aliases: { default: "gemini-3.8-flash", small: "gemini-3.1-flash-lite" },
  },
  { name: "xai", theirs: "xai", aliases: { default: "grok-4.7", small: "grok-4.3" } },
  { name: "deepseek", theirs: "deepseek", aliases: { default: "deepseek-v4-pro", small: "deepseek-v4-flash" } },
  { name: "mistral", theirs: "mistral", aliases: { default: "mistral-medium-latest", small: "mistral-small-latest" } },
  { name: "groq", theirs: "groq", aliases: { default: "openai/gpt-oss-120b", small: "openai/gpt-oss-20b" } },
  {
    name: "together",
    theirs: "togetherai",
    aliases: { default: "moonshotai/Kimi-K2.7-Code", small: "openai/gpt-oss-20b" },
  },
  {
    name: "openrouter",
    theirs: "openrouter",
    aliases: {
      default: "anthropic/claude-opus-4.8",
      sonnet: "anthropic/claude-sonnet-5.5",
      small: "anthropic/claude-haiku-4.5",
    },
    // It has hundreds: those of the makers most asked for, as far as they are new.
    makers:
      /^(?:anthropic|deepseek|google|meta-llama|minimax|mistralai|moonshotai|nvidia|openai|qwen|x-ai|xiaomi|z-ai)\//,
    months: 15,
  },
]

/** Where a PDF file can be part of a request as we send it; others want it uploaded first. */
const takeFiles: ReadonlySet<string> = new Set(["openai", "gemini", "openrouter"])

interface Taken {
  readonly name: string
  readonly theirs: string
  readonly aliases: { readonly [alias: string]: string }
  readonly makers?: RegExp
  readonly months?: number
}

const [, , where, said] = process.argv
if (where === undefined) {
  console.error("Usage: npm run model-table -- <checkout, file or address of api.json> [date of the oldest data]")
  process.exit(2)
}
const { providers, date } = await source(where)
const written = { date: said ?? date, from: "models.dev", providers: Object.fromEntries(taken.map(section)) }
const read = readModelTable(written, "The new table")
if (!read.ok) throw new Error(read.failure)
writeFileSync(resolve(import.meta.dir, "../src/ground/models/model-table.jsonl"), lines(written))
for (const { name } of taken)
  console.log(`${name}: ${Object.keys(written.providers[name]?.models ?? {}).length} models`)

function section({
  name,
  theirs,
  aliases,
  makers,
  months,
}: Taken): [string, { aliases: JsonObject; models: JsonObject }] {
  const since = months === undefined ? "" : monthsBefore(said ?? date, months)
  const models = Object.entries(object(object(providers[theirs]).models))
    .map(([id, model]) => [id, object(model)] as const)
    .filter(([id, model]) => isForWork(model) && (makers?.test(id) ?? true) && released(model) >= since)
    .toSorted(([a, one], [b, two]) => released(two).localeCompare(released(one)) || a.localeCompare(b))
    .map(([id, model]) => [id, entry(id, model, name)] as const)
  const known = Object.fromEntries(models)
  for (const id of Object.values(aliases))
    if (!known[id]) throw new Error(`${name} has no ${id} any more: change its alias.`)
  return [name, { aliases, models: known }]
}

/** Takes calls, answers in text alone, and will be there tomorrow. */
function isForWork(model: JsonObject): boolean {
  const { output, input } = object(model.modalities)
  const writes = Array.isArray(output) && output.length === 1 && output[0] === "text"
  return (
    model.tool_call === true &&
    model.status !== "deprecated" &&
    writes &&
    Array.isArray(input) &&
    input.includes("text")
  )
}

function entry(id: string, model: JsonObject, provider: string): JsonObject {
  const limit = object(model.limit)
  const input = object(model.modalities).input
  const takes = (kind: string): boolean => Array.isArray(input) && input.includes(kind)
  const price = priceOf(id, object(model.cost))
  return {
    // Where the prompt has a limit of its own, that is what a conversation can grow to.
    window: limit.input ?? limit.context ?? null,
    // Some say the window again, but an answer needs a prompt.
    maxOutput: Math.min(Number(limit.output), Math.floor(Number(limit.context) / 2)),
    images: takes("image"),
    documents: takes("pdf") && takeFiles.has(provider),
    ...thinkingOf(model, provider),
    ...(model.structured_output === true && { structured: true }),
    ...(price && { cache: cacheKind(id, provider, price), price }),
  }
}

function cacheKind(id: string, provider: string, { cacheRead }: JsonObject): string {
  if (provider === "openrouter" && /^(?:anthropic|qwen)\//.test(id)) return "marks"
  return cacheRead === undefined ? "none" : "automatic"
}

function thinkingOf(model: JsonObject, provider: string): JsonObject {
  if (model.reasoning !== true) return { thinking: "never" }
  const options = (Array.isArray(model.reasoning_options) ? model.reasoning_options : []).map(object)
  const values = options.flatMap(({ values: levels }) => (Array.isArray(levels) ? levels : []))
  const efforts = effortLevels.filter((level) => values.includes(level))
  const stopsByBudget = options.some(({ type, min }) => type === "budget_tokens" && min === 0)
  // What cannot be said in a request does not count: a switch of its own is known of OpenRouter alone.
  const stops = values.includes("none") || stopsByBudget || (provider === "openrouter" && options.length > 0)
  return { thinking: stops ? "optional" : "always", efforts }
}

/** Undefined where nothing is known; nothing to pay is known only of those that say so. */
function priceOf(id: string, cost: JsonObject): JsonObject | undefined {
  const { input, output, tiers } = cost
  if (typeof input !== "number" || typeof output !== "number" || input < 0 || output < 0) return undefined
  if (input === 0 && output === 0 && !id.endsWith(":free")) return undefined
  const tier = (Array.isArray(tiers) ? tiers : []).map(object).find((each) => isObject(each.tier))
  return {
    ...rates(cost),
    ...(tier && { above: { tokens: object(tier.tier).size ?? null, ...rates(tier) } }),
  }
}

function rates({
  input = null,
  output = null,
  cache_read: cacheRead,
  cache_write: cacheWrite,
}: JsonObject): JsonObject {
  return {
    input,
    output,
    ...(typeof cacheRead === "number" && { cacheRead }),
    ...(typeof cacheWrite === "number" && cacheWrite > 0 && { cacheWrite }),
  }
}

function released({ release_date: day }: JsonObject): string {
  return typeof day === "string" ? day : ""
}

function monthsBefore(day: string, months: number): string {
  const at = new Date(day)
  at.setUTCMonth(at.getUTCMonth() - months)
  return at.toISOString().slice(0, 10)
}

async function source(place: string): Promise<{ readonly providers: JsonObject; readonly date: string }> {
  const today = new Date().toISOString().slice(0, 10)
  if (/^https?:\/\//.test(place)) return { providers: object(await (await fetch(place)).json()), date: today }
  if (!statSync(place).isDirectory()) return { providers: object(JSON.parse(readFileSync(place, "utf8"))), date: today }
  const { stdout } = Bun.spawnSync(["git", "-C", place, "log", "-1", "--format=%cs"], { stderr: "ignore" })
  return { providers: checkout(place), date: stdout.toString().trim() || today }
}

/** The same as api.json, from the files that it is made of. */
function checkout(root: string): JsonObject {
  const all: { [name: string]: JsonValue } = {}
  for (const { theirs } of taken) {
    const folder = join(root, "providers", theirs, "models")
    const models: { [id: string]: JsonValue } = {}
    for (const file of new Bun.Glob("**/*.toml").scanSync({ cwd: folder, followSymlinks: true })) {
      const own = toml(join(folder, file))
      const base = typeof own.base_model === "string" ? toml(join(root, "models", `${own.base_model}.toml`)) : {}
      const nested = ["limit", "modalities"].map((key) => [key, { ...object(base[key]), ...object(own[key]) }])
      models[join(file, "..", basename(file, ".toml"))] = { ...base, ...own, ...Object.fromEntries(nested) }
    }
    all[theirs] = { models }
  }
  return all
}

function toml(path: string): JsonObject {
  return existsSync(path) ? object(Bun.TOML.parse(readFileSync(path, "utf8"))) : {}
}

function object(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** A model a line: see src/ground/bundled/model-table.ts. */
function lines({ providers: sections, ...head }: typeof written): string {
  const all = Object.entries(sections).flatMap(([provider, { aliases, models }]) => [
    { provider, aliases },
    ...Object.entries(models).map(([id, model]) => ({ provider, id, ...object(model) })),
  ])
  return [head, ...all].map((line) => `${JSON.stringify(line)}\n`).join("")
}
