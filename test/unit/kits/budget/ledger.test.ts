import { expect, test } from "bun:test"
import fc from "fast-check"
import { noUsage, type Usage } from "#agent/words/model.ts"
import { openLedger, type BudgetAsk, type Reservation } from "#kits/budget/ledger.ts"
import { claudePrice } from "#ground/models/anthropic/prices.ts"
import { openPrices } from "#kits/budget/prices.ts"

const prices = openPrices({
  listed: claudePrice,
  given: {
    cheap: { input: 1, output: 2, cacheWrite: 1.25, cacheRead: 0.1 },
    dear: { input: 10, output: 50, cacheWrite: 12.5, cacheRead: 1 },
  },
})
const ask = (more: Partial<BudgetAsk> = {}): BudgetAsk => ({
  who: "main",
  model: "cheap",
  inputTokens: 1_000,
  maxOutput: 1_000,
  ...more,
})
const used = (input_tokens: number, output_tokens: number): Usage => ({ ...noUsage, input_tokens, output_tokens })
const reserved = async (ledger: ReturnType<typeof openLedger>, more: Partial<BudgetAsk> = {}): Promise<Reservation> => {
  const result = await ledger.reserve(ask(more))
  if (!result.ok) throw new Error(result.failure.message)
  return result.value
}

const refusal = async (
  ledger: ReturnType<typeof openLedger>,
  more: Partial<BudgetAsk> = {},
): Promise<string | undefined> => {
  const result = await ledger.reserve(ask(more))
  return result.ok ? undefined : result.failure.message
}

test("what was used takes the place of what was set aside", async () => {
  const ledger = openLedger({ prices, budget: () => ({ usd: 0.004 }) })
  const first = await reserved(ledger)
  expect((await ledger.reserve(ask())).ok).toBe(false)
  expect(first.settle(used(100, 50))).toBeCloseTo(0.0002)
  const second = await reserved(ledger)
  second.release()
  ;(await reserved(ledger)).settle(used(100, 50))
  expect(await refusal(ledger, { inputTokens: 1e9 })).toContain("$0.0036 is left. Spent so far: main $0.0004.")
})

test("settling or releasing again changes nothing", async () => {
  const ledger = openLedger({ prices, budget: () => ({ usd: 1 }) })
  const one = await reserved(ledger)
  one.settle(used(100_000, 0))
  one.settle(used(100_000, 0))
  one.release()
  expect(await refusal(ledger, { inputTokens: 1e9 })).toContain("$0.9000 is left. Spent so far: main $0.1000.")
})

test("a request that could pass the cap is refused, with who spent what", async () => {
  const ledger = openLedger({ prices, budget: () => ({ usd: 0.5 }) })
  ;(await reserved(ledger, { who: "main" })).settle(used(100_000, 0))
  ;(await reserved(ledger, { who: "explorer" })).settle(used(200_000, 50_000))
  expect(await ledger.reserve(ask({ model: "dear", inputTokens: 10_000, maxOutput: 1_000 }))).toEqual({
    ok: false,
    failure: {
      kind: "over_cap",
      enough: { usd: expect.closeTo(0.575) },
      message:
        "The budget does not cover the next request: it could cost $0.1750, and $0.1000 is left. Spent so far: explorer $0.3000, main $0.1000. Raise it with /budget, or resume with a larger --max-budget-usd.",
    },
  })
})

test("without a price a budget cannot be kept; without a budget no price is needed", async () => {
  expect(await openLedger({ prices, budget: () => ({ usd: 5 }) }).reserve(ask({ model: "unheard-of" }))).toEqual({
    ok: false,
    failure: { kind: "no_price", model: "unheard-of", message: expect.stringContaining("providers.prices") },
  })
  const ledger = openLedger({ prices })
  expect((await reserved(ledger, { model: "unheard-of", inputTokens: 1e9 })).settle(used(5, 5))).toBeUndefined()
})

test("tokens of all requests together can be capped too, whatever their price", async () => {
  const ledger = openLedger({ prices, budget: () => ({ tokens: 5_000 }) })
  ;(await reserved(ledger, { model: "unheard-of" })).settle({ ...used(1_000, 500), cache_read_input_tokens: 1_000 })
  expect((await ledger.reserve(ask({ model: "unheard-of" }))).ok).toBe(true)
  expect(await ledger.reserve(ask({ model: "unheard-of" }))).toEqual({
    ok: false,
    failure: {
      kind: "over_cap",
      enough: { tokens: 6_500 },
      message:
        "The budget does not cover the next request: it could take 2k tokens, and 500 tokens are left. Spent so far: main 2.5k tokens. Raise it with /budget, or resume with a larger --max-budget-tokens.",
    },
  })
})

test("a budget that is raised counts for the next request", async () => {
  let usd = 0.001
  const ledger = openLedger({ prices, budget: () => ({ usd }) })
  expect((await ledger.reserve(ask())).ok).toBe(false)
  usd = 1
  expect((await ledger.reserve(ask())).ok).toBe(true)
})

test("a resumed session goes on where it stood", async () => {
  const ledger = openLedger({ prices, budget: () => ({ usd: 1 }) })
  ledger.book({ who: "main", costUsd: 0.9 })
  expect((await ledger.reserve(ask({ inputTokens: 100_000 }))).ok).toBe(false)
  expect((await ledger.reserve(ask({ inputTokens: 1_000 }))).ok).toBe(true)
})

test("numbers that are none are refused", async () => {
  const ledger = openLedger({ prices, budget: () => ({ usd: 1 }) })
  expect((await ledger.reserve(ask({ inputTokens: Number.NaN }))).ok).toBe(false)
  expect((await ledger.reserve(ask({ maxOutput: Number.POSITIVE_INFINITY }))).ok).toBe(false)
})

test("however many ask at once and in whatever order they end, the cap holds", async () => {
  const move = fc.record({
    who: fc.constantFrom("main", "a", "b"),
    model: fc.constantFrom("cheap", "dear", "claude-haiku-5-5", "claude-opus-5-5"),
    inputTokens: fc.nat({ max: 300_000 }),
    maxOutput: fc.nat({ max: 64_000 }),
    // How much of the worst case is really used, and by which sort of token the prompt is paid.
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    sort: fc.constantFrom("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"),
    ends: fc.constantFrom("settles", "releases", "stays"),
    // Which of the open reservations ends after this one was made.
    which: fc.nat(),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(move, { maxLength: 80 }),
      fc.double({ min: 0, max: 20, noNaN: true }),
      async (moves, usd) => {
        const ledger = openLedger({ prices, budget: () => ({ usd }) })
        let spent = 0
        const open: (() => void)[] = []
        for (const { share, sort, ends, which, ...wanted } of moves) {
          const result = await ledger.reserve(wanted)
          if (result.ok)
            open.push(() => {
              if (ends === "releases") return result.value.release()
              spent +=
                result.value.settle({
                  ...noUsage,
                  [sort]: Math.floor(wanted.inputTokens * share),
                  output_tokens: Math.floor(wanted.maxOutput * share),
                }) ?? 0
            })
          if (ends !== "stays" && open.length > 0) open.splice(which % open.length, 1)[0]?.()
          expect(spent).toBeLessThanOrEqual(usd + 1e-9)
        }
        for (const end of open) end()
        expect(spent).toBeLessThanOrEqual(usd + 1e-9)
      },
    ),
  )
})
