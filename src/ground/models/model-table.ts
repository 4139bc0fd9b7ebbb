/**
 * What is known of models by their providers: the shape of model-table.jsonl (made by scripts/model-table.ts), of the
 * user's models.json, and of a model in the settings.
 */

import type { Profile } from "#agent/words/model.ts"
import type { Price } from "#agent/words/price.ts"
import { effortLevels, type ThinkingAbility } from "#agent/words/thinking.ts"
import { optional } from "#lib/optional.ts"
import { isObject, type JsonValue } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import * as shape from "#lib/shape.ts"

/** Of one model, as far as it differs from what is assumed. */
export interface ServerModel {
  readonly window?: number
  readonly maxOutput?: number
  readonly images?: boolean
  readonly documents?: boolean
  readonly tools?: boolean
  readonly parallelCalls?: boolean
  readonly structured?: boolean
  readonly cache?: "marks" | "automatic" | "none"
  readonly thinks?: ThinkingAbility
  readonly profile?: Profile
  readonly price?: Price
}

export interface ProviderModels {
  /** Short names, such as `default` and `small`, and the ids behind them. */
  readonly aliases: { readonly [alias: string]: string }
  readonly models: { readonly [id: string]: ServerModel }
}

export const noModels: ProviderModels = { aliases: {}, models: {} }

export interface ModelTable {
  /** Of the oldest of its facts and prices. */
  readonly date?: string
  readonly providers: { readonly [name: string]: ProviderModels }
}

const ratesFields = {
  input: shape.number().min(0),
  output: shape.number().min(0),
  cacheRead: shape.number().min(0).optional(),
  cacheWrite: shape.number().min(0).optional(),
}

const modelShape = shape.object({
  window: shape.int().min(1).optional(),
  maxOutput: shape.int().min(1).optional(),
  images: shape.boolean().optional(),
  documents: shape.boolean().optional(),
  tools: shape.boolean().optional(),
  parallelCalls: shape.boolean().optional(),
  structured: shape.boolean().optional(),
  cache: shape.choice(["marks", "automatic", "none"]).optional(),
  thinking: shape.choice(["never", "optional", "always"]).optional(),
  efforts: shape.array(shape.choice(effortLevels)).optional(),
  profile: shape.choice(["small", "full"]).optional(),
  price: shape
    .object({
      ...ratesFields,
      above: shape.object({ ...ratesFields, tokens: shape.int().min(1) }).optional(),
      webSearch: shape.number().min(0).optional(),
    })
    .optional(),
})

type Written = Extract<ReturnType<typeof modelShape.read>, { readonly ok: true }>["value"]

/** `at` names the value in errors. */
export function readModelTable(value: unknown, at: string): Result<ModelTable, string> {
  if (!isObject(value)) return failed(`${at} must be an object with the field providers.`)
  const { providers, date, from: _from, ...rest } = value
  const [odd] = Object.keys(rest)
  if (odd !== undefined) return failed(`${at}: Unknown field \`${odd}\`; models are under providers.`)
  if (!isObject(providers)) return failed(`${at}: providers must be an object, with a field for each provider.`)
  const read: { [name: string]: ProviderModels } = {}
  for (const [name, section] of Object.entries(providers)) {
    const one = readProviderModels(section, `${at}: providers.${name}`)
    if (!one.ok) return one
    read[name] = one.value
  }
  return ok({ providers: read, ...(typeof date === "string" && { date }) })
}

/** A provider's section of a table: `models` and `aliases`. */
export function readProviderModels(value: JsonValue | undefined, at: string): Result<ProviderModels, string> {
  if (!isObject(value)) return failed(`${at} must be an object.`)
  const { models = {}, aliases = {}, ...rest } = value
  const [odd] = Object.keys(rest)
  if (odd !== undefined) return failed(`${at}: Unknown field \`${odd}\`; it takes models and aliases.`)
  if (!isObject(models)) return failed(`${at}.models must be an object, with a field for each model.`)
  if (!isObject(aliases)) return failed(`${at}.aliases must be an object.`)
  const read: { [id: string]: ServerModel } = {}
  for (const [id, model] of Object.entries(models)) {
    const one = modelShape.read(model, "")
    if (!one.ok) return failed(`${at}.models.${id}: ${one.complaints.join(" ").replace(/(?<![.?!])$/, ".")}`)
    read[id] = modelOf(one.value)
  }
  const names: { [alias: string]: string } = {}
  for (const [alias, id] of Object.entries(aliases)) {
    if (typeof id !== "string" || id.trim() === "") return failed(`${at}.aliases.${alias} must be the id of a model.`)
    names[alias.toLowerCase()] = id.trim()
  }
  return ok({ models: read, aliases: names })
}

/** The first table's word counts, field by field. */
export function merged(first: ProviderModels, second: ProviderModels): ProviderModels {
  const models = { ...second.models }
  for (const [id, model] of Object.entries(first.models)) models[id] = { ...ownOf(second.models, id), ...model }
  return { aliases: { ...second.aliases, ...first.aliases }, models }
}

/**
 * What a table knows of an id. A dated snapshot is the model it is a snapshot of; a variant (`model:fast`) can do the
 * same, but may have another price.
 */
export function modelIn({ models }: ProviderModels, id: string): ServerModel | undefined {
  const exact = ownOf(models, id) ?? ownOf(models, withoutDate(id))
  if (exact || !id.includes(":")) return exact
  const base = ownOf(models, id.slice(0, id.lastIndexOf(":")))
  if (!base) return undefined
  const { price: _price, ...rest } = base
  return rest
}

/** The id behind a short name; `opus`, `sonnet` and `haiku` stand for the size of model that they mean elsewhere. */
export function aliasIn({ aliases }: ProviderModels, name: string): string | undefined {
  const alias = name.toLowerCase()
  const own = ownOf(aliases, alias)
  if (own !== undefined) return own
  const next = counterparts[alias]
  return next === undefined ? undefined : aliasIn({ aliases, models: {} }, next)
}

const counterparts: { readonly [alias: string]: string | undefined } = {
  "": "default",
  opus: "default",
  sonnet: "default",
  haiku: "small",
  small: "default",
}

/** `-2025-08-07`, `-20250807`. */
export const withoutDate = (id: string): string => id.replace(/-20\d{2}-?\d{2}-?\d{2}$/, "")

const ownOf = <T>(table: { readonly [name: string]: T }, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

function modelOf({ thinking, efforts, price, ...plain }: Written): ServerModel {
  return {
    ...optional("window", plain.window),
    ...optional("maxOutput", plain.maxOutput),
    ...optional("images", plain.images),
    ...optional("documents", plain.documents),
    ...optional("tools", plain.tools),
    ...optional("parallelCalls", plain.parallelCalls),
    ...optional("structured", plain.structured),
    ...optional("cache", plain.cache),
    ...optional("profile", plain.profile),
    ...optional("thinks", abilityOf(thinking, efforts)),
    ...(price && { price: priceOf(price) }),
  }
}

/** Nothing is said to a model of which only efforts are known that would make it stop thinking. */
function abilityOf(thinking: Written["thinking"], efforts: Written["efforts"]): ThinkingAbility | undefined {
  if (thinking === "never" || (thinking === undefined && efforts === undefined)) return undefined
  return { efforts: efforts ?? [], byDefault: true, ...(thinking !== "optional" && { stops: "never" }) }
}

/** Without a price of its own, what is read from a cache or written to it costs as much as any other input. */
function priceOf({ above, webSearch, ...rates }: NonNullable<Written["price"]>): Price {
  const all = ({ input, output, cacheRead = input, cacheWrite = input }: typeof rates): Price => ({
    input,
    output,
    cacheRead,
    cacheWrite,
  })
  return {
    ...all(rates),
    ...(above && { above: { ...all(above), tokens: above.tokens } }),
    ...optional("webSearch", webSearch),
  }
}
