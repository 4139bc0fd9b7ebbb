import { expect, test } from "bun:test"
import { budgetText, readBudget } from "#kits/budget/amount.ts"

test.each([
  ["5", { usd: 5 }],
  ["$2.50", { usd: 2.5 }],
  ["2,5 usd", { usd: 2.5 }],
  ["200k tokens", { tokens: 200_000 }],
  ["1.5M", { tokens: 1_500_000 }],
  ["300000 tokens", { tokens: 300_000 }],
  ["$5 and 2m tokens", { usd: 5, tokens: 2_000_000 }],
  ["none", {}],
] as const)("%p is %p", (text, budget) => {
  expect(readBudget(text)).toEqual({ ok: true, value: { ...budget } })
})

test.each(["", "much", "-5", "$5k", "$5 tokens", "5 and much"])("%p is not a budget", (text) => {
  const read = readBudget(text)
  expect(read.ok ? "" : read.failure).toContain("is not a budget. Write 5, $2.50, 200k tokens or none.")
})

test("a budget in words", () => {
  expect(budgetText({})).toBe("none")
  expect(budgetText({ usd: 5, tokens: 200_000 })).toBe("$5.00 and 200k tokens")
})
