/** A server that speaks Chat Completions: one that is known by name, or one of the user's own. */

import type { Price } from "#agent/words/price.ts"
import type { ThinkingAbility } from "#agent/words/thinking.ts"
import type { Voice } from "#ground/models/failure.ts"
import { splitWindow } from "#ground/models/model-id.ts"
import { type Address, openPort } from "#ground/models/port.ts"
import { type Provider, withoutProvider } from "#ground/models/provider.ts"
import { onceEach } from "#lib/once-each.ts"
import { openChatDecoder } from "./decode.ts"
import type { ChatDialect, ChatFacts } from "./dialect.ts"
import { openChatEncoder } from "./request.ts"

/** Of one model, as far as it differs from what is assumed. */
export interface ChatModel {
  readonly window?: number
  readonly maxOutput?: number
  readonly images?: boolean
  readonly documents?: boolean
  readonly tools?: boolean
  readonly thinks?: ThinkingAbility
  readonly price?: Price
}

export interface ChatChoice extends Omit<Address, "voice" | "formatHeaders">, Omit<ChatDialect, "idOf" | "factsOf"> {
  readonly who: string
  /** By id; those worth listing. */
  readonly models: { readonly [id: string]: ChatModel }
  readonly usual: {
    readonly window: number
    readonly maxOutput: number
    readonly images?: true
    readonly documents?: true
  }
  readonly keyWords: Voice["key"]
}

export function chatProvider(choice: ChatChoice): Provider {
  const { name, who, models, usual, keyWords, limit, effort, caching, callIds, extraBody, ...address } = choice
  const idOf = (model: string): string => splitWindow(withoutProvider(name, model)).id
  const known = (model: string): ChatModel => {
    const id = idOf(model)
    return Object.hasOwn(models, id) ? (models[id] ?? {}) : {}
  }
  // Messages are kept as bytes for each record of facts, so one model has one.
  const factsOf = onceEach((model: string): ChatFacts => {
    const { tools = true, price: _price, ...own } = known(model)
    return { id: model, provider: name, ...usual, ...own, ...(!tools && { tools: "never" }) }
  })
  const dialect: ChatDialect = {
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
    models: Object.keys(models).map((id) => `${name}/${id}`),
    open(parts) {
      const { toolIds, messageIds } = parts
      const format = {
        ...openChatEncoder(dialect, toolIds.note),
        openDecoder: (request: Parameters<typeof openChatDecoder>[1]) =>
          openChatDecoder({ by: name, toolIds, messageIds }, request),
      }
      return openPort({ ...address, voice: { who, key: keyWords } }, format, parts)
    },
  }
}
