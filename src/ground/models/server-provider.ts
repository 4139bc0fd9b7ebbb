/** A provider by its server: one that is known by name, or one of the user's own. Its wire format is loaded when it is used. */

import type { Voice } from "./failure.ts"
import { splitWindow } from "./model-id.ts"
import { type Address, openPort } from "./port.ts"
import { type Provider, withoutProvider } from "./provider.ts"
import { lazily } from "#lib/lazily.ts"
import { onceEach } from "#lib/once-each.ts"
import { ok } from "#lib/result.ts"
import { aliasIn, merged, modelIn, noModels, type ProviderModels, type ServerModel } from "./model-table.ts"
import type { Capabilities, ServerDialect } from "./dialect.ts"
import { fitting } from "./fitted.ts"
import type { LoadFormat } from "./formats.ts"
import { lazyPort } from "./lazy-port.ts"

export interface ServerChoice
  extends Omit<Address, "voice" | "formatHeaders" | "name">, Omit<ServerDialect, "idOf" | "factsOf"> {
  readonly who: string
  readonly format: LoadFormat
  /** By id, as the user says. */
  readonly models: ProviderModels["models"]
  /** Short names, as the user says. */
  readonly aliases?: ProviderModels["aliases"]
  /** What else is known; asked when one of its models is. */
  readonly table?: () => ProviderModels
  /** What to assume. */
  readonly usual: {
    readonly window: number
    readonly maxOutput: number
    readonly images?: true
    readonly documents?: true
  }
  readonly keyWords: Voice["key"]
}

export function serverProvider(choice: ServerChoice): Provider {
  const { name, who, format, models, aliases = {}, table: shipped = () => noModels, usual, ...rest } = choice
  const { keyWords, limit, effort, caching, callIds, extraBody, ...address } = rest
  const table = lazily(() => merged({ models, aliases }, shipped()))
  const idOf = onceEach((model: string): string => {
    const { id } = splitWindow(withoutProvider(name, model))
    return modelIn(table(), id) ? id : (aliasIn(table(), id) ?? id)
  })
  const knows = (model: string): boolean => modelIn(table(), idOf(model)) !== undefined
  const known = (model: string): ServerModel => modelIn(table(), idOf(model)) ?? {}
  // Messages are kept as bytes for each record of facts, so one model has one.
  const refused = onceEach((_model: string): string[] => [])
  const factsOf = onceEach((model: string): Capabilities => {
    const { tools = true, parallelCalls = true, price: _price, ...own } = known(model)
    const { images = false, documents = false } = { ...usual, ...own }
    return {
      id: model,
      provider: name,
      ...usual,
      ...own,
      images,
      documents,
      ...(!knows(model) && { assumed: assumedWords(model, { ...usual, ...own, images }) }),
      refused: () => refused(model),
      ...(!tools && { tools: "never" }),
      ...(!parallelCalls && { parallelCalls: "never" }),
    }
  })
  const dialect: ServerDialect = {
    name,
    idOf,
    factsOf,
    ...(limit && { limit }),
    ...(effort && { effort }),
    ...(caching && { caching }),
    ...(callIds && { callIds }),
    ...(extraBody && { extraBody }),
  }
  return {
    name,
    owns: (model) => model.toLowerCase().startsWith(`${name}/`),
    facts: factsOf,
    price: (model) => known(model).price,
    address: choice.baseUrl,
    resolve: (model) => `${name}/${idOf(model)}`,
    get models() {
      return Object.keys(table().models).map((id) => `${name}/${id}`)
    },
    open: (parts) =>
      lazyPort(async () => {
        const openFormat = await format()
        const wire = fitting(openFormat(dialect, parts), factsOf, (model, line) => refused(model).push(line))
        return ok(openPort({ ...address, name, voice: { who, key: keyWords } }, wire, parts))
      }, choice.readKey !== undefined),
  }
}

function assumedWords(
  model: string,
  { window, maxOutput, images }: { readonly window: number; readonly maxOutput: number; readonly images: boolean },
): string {
  const count = (tokens: number): string => tokens.toLocaleString("en-US")
  const sees = images ? "it sees pictures" : "it sees no pictures"
  const provider = model.slice(0, model.indexOf("/"))
  return `Nothing is known about ${model}. Assumed: ${count(window)} tokens of context, ${count(maxOutput)} of output, ${sees}, and no price. Set what is true in providers.${provider}.models, or find out with: codewright models test ${model}`
}
