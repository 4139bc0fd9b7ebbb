/** What requests cost. A model without a price has none: none is made up. */

import type { Usage } from "#agent/words/model.ts"
import type { Price } from "#agent/words/price.ts"
import { splitWindow } from "#ground/models/model-id.ts"
import { findPrice, type PriceTable } from "#ground/models/price-table.ts"

/** Looks up what a model costs. */
export type Prices = (model: string) => Price | undefined

/** What decides over prices. */
export interface PricesParts {
  /** Prices from the settings; they come before what providers list. */
  readonly given?: PriceTable
  /** What the provider of a model lists for it. */
  readonly listed?: Prices
}

/** The prices that hold in a session. */
export function openPrices({ given = {}, listed = () => undefined }: PricesParts = {}): Prices {
  return (model) => findPrice(given, model) ?? findPrice(given, splitWindow(model).id) ?? listed(model)
}

const million = 1_000_000

/** What a request cost, in dollars. */
export function costOf(usage: Usage, price: Price): number {
  const prompt = usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens
  const at = price.above && prompt > price.above.tokens ? price.above : price
  return (
    (usage.input_tokens * at.input +
      usage.output_tokens * at.output +
      usage.cache_creation_input_tokens * at.cacheWrite +
      usage.cache_read_input_tokens * at.cacheRead) /
      million +
    searchCost(usage.web_search_requests ?? 0, price)
  )
}

/** A thousand searches where a price does not say: nothing would be counted otherwise. */
const usualSearch = 10

const searchCost = (searches: number, { webSearch = usualSearch }: Price): number => (searches * webSearch) / 1_000

/** The most a request can cost: nothing of it cached yet, all of it written to the cache, and as much output and as many searches as allowed. */
export function worstCost(inputTokens: number, maxOutput: number, price: Price, searches = 0): number {
  const at = price.above && inputTokens > price.above.tokens * nearTier ? price.above : price
  const tokens = (inputTokens * Math.max(at.input, at.cacheWrite) + maxOutput * at.output) / million
  return tokens + searchCost(searches, price)
}

/** An estimate may be short of the truth; near the dearer tier the dearer price is the safe one. */
const nearTier = 0.6
