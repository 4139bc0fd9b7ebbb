/** A provider by its server: one that is known by name, or one of the user's own. Its wire format is loaded when it is used. */

import type { Price } from "#agent/words/price.ts"
import type { ThinkingAbility } from "#agent/words/thinking.ts"
import type { Voice } from "./failure.ts"
import { splitWindow } from "./model-id.ts"
import { type Address, openPort } from "./port.ts"
import { type Provider, withoutProvider } from "./provider.ts"
import { onceEach } from "#lib/once-each.ts"
import { ok } from "#lib/result.ts"
import type { Capabilities, ServerDialect } from "./dialect.ts"
import type { LoadFormat } from "./formats.ts"
import { lazyPort } from "./lazy-port.ts"

/** Of one model, as far as it differs from what is assumed. */
export interface ServerModel {
  readonly window?: number
  readonly maxOutput?: number
  readonly images?: boolean
  readonly documents?: boolean
  readonly tools?: boolean
  readonly thinks?: ThinkingAbility
  readonly price?: Price
}

export interface ServerChoice
  extends Omit<Address, "voice" | "formatHeaders" | "name">, Omit<ServerDialect, "idOf" | "factsOf"> {
  readonly who: string
  readonly format: LoadFormat
  /** By id; those worth listing. */
  readonly models: { readonly [id: string]: ServerModel }
  readonly usual: {
    readonly window: number
    readonly maxOutput: number
    readonly images?: true
    readonly documents?: true
  }
  readonly keyWords: Voice["key"]
}

export function serverProvider(choice: ServerChoice): Provider {
  const { name, who, format, models, usual, keyWords, limit, effort, caching, callIds, extraBody, ...address } = choice
  const idOf = (model: string): string => splitWindow(withoutProvider(name, model)).id
  const known = (model: string): ServerModel => {
    const id = idOf(model)
    return Object.hasOwn(models, id) ? (models[id] ?? {}) : {}
  }
  // Messages are kept as bytes for each record of facts, so one model has one.
  const factsOf = onceEach((model: string): Capabilities => {
    const { tools = true, price: _price, ...own } = known(model)
    return { id: model, provider: name, ...usual, ...own, ...(!tools && { tools: "never" }) }
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
    models: Object.keys(models).map((id) => `${name}/${id}`),
    open: (parts) =>
      lazyPort(async () => {
        const openFormat = await format()
        return ok(openPort({ ...address, name, voice: { who, key: keyWords } }, openFormat(dialect, parts), parts))
      }, choice.readKey !== undefined),
  }
}
