/** What requests cost. No price is invented for a model without one. */

import { promptTokens, type Usage } from "#agent/words/model.ts"
import type { Price } from "#agent/words/price.ts"
import { splitWindow } from "#ground/models/model-id.ts"
import { onceEach } from "#lib/once-each.ts"
import { findPrice, type PriceTable } from "#ground/models/price-table.ts"

export type Prices = (model: string) => Price | undefined

export interface PricesParts {
  readonly given?: PriceTable
  readonly listed?: Prices
}

export function openPrices({ given = {}, listed = () => undefined }: PricesParts = {}): Prices {
  return onceEach((model) => findPrice(given, model) ?? findPrice(given, splitWindow(model).id) ?? listed(model))
}

const million = 1_000_000

/** In dollars. */
export function costOf(usage: Usage, price: Price): number {
  const prompt = promptTokens(usage)
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

/** Price of a thousand searches if none is given: otherwise they would count as free. */
const usualSearch = 10

const searchCost = (searches: number, { webSearch = usualSearch }: Price): number => (searches * webSearch) / 1_000

/** The most a request can cost: nothing cached yet, all of it written to the cache, and the maximum of output and searches. */
export function worstCost(inputTokens: number, maxOutput: number, price: Price, searches = 0): number {
  const at = price.above && inputTokens > price.above.tokens * nearTier ? price.above : price
  const tokens = (inputTokens * Math.max(at.input, at.cacheWrite) + maxOutput * at.output) / million
  return tokens + searchCost(searches, price)
}

/** The most output that keeps the worst cost of a request within this amount; not a number where the input is none. */
export function affordableOutput(usd: number, inputTokens: number, price: Price, searches = 0): number {
  const cost = (output: number): number => worstCost(inputTokens, output, price, searches)
  const each = cost(1) - cost(0)
  const left = usd - cost(0)
  if (each === 0) return left >= 0 ? Number.POSITIVE_INFINITY : 0
  let output = Math.floor(left / each) + 1
  // Dividing rounds either way, and the budget is exact.
  while (cost(output) > usd) output--
  return output
}

/** Estimates may be too low; near the more expensive tier, its price is the safe one. */
const nearTier = 0.6
