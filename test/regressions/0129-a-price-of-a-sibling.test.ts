/** A price set for `openai/gpt-5` was also taken for `openai/gpt-5-mini`, which is another model. */

import { expect, test } from "bun:test"
import { openPrices } from "#kits/budget/prices.ts"

const price = (input: number): { input: number; output: number; cacheRead: number; cacheWrite: number } => ({
  input,
  output: input,
  cacheRead: input,
  cacheWrite: input,
})

test("a set price counts for its model and its snapshots, not for siblings", () => {
  const prices = openPrices({ given: { "openai/gpt-5": price(10), "claude-opus-5": price(7) }, listed: () => price(1) })
  expect(prices("openai/gpt-5")?.input).toBe(10)
  expect(prices("openai/gpt-5-2025-08-07")?.input).toBe(10)
  expect(prices("openai/gpt-5-mini")?.input).toBe(1)
  expect(prices("openai/gpt-5.1")?.input).toBe(1)
  expect(prices("us.anthropic.claude-opus-5-v1:0")?.input).toBe(7)
})
