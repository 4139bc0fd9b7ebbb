import { expect, test } from "bun:test"
import fc from "fast-check"
import { noUsage, type Usage } from "#agent/words/model.ts"
import { openLedger, type Ask, type Reservation } from "#kits/budget/ledger.ts"
import { openPrices } from "#kits/budget/prices.ts"

const prices = openPrices({
  given: {
    cheap: { input: 1, output: 2, cacheWrite: 1.25, cacheRead: 0.1 },
    dear: { input: 10, output: 50, cacheWrite: 12.5, cacheRead: 1 },
  },
})
const ask = (more: Partial<Ask> = {}): Ask => ({
  who: "main",
  model: "cheap",
  inputTokens: 1_000,
  maxOutput: 1_000,
  ...more,
})
const used = (input_tokens: number, output_tokens: number): Usage => ({ ...noUsage, input_tokens, output_tokens })
const reserved = (ledger: ReturnType<typeof openLedger>, more: Partial<Ask> = {}): Reservation => {
  const result = ledger.reserve(ask(more))
  if (!result.ok) throw new Error(result.failure.message)
  return result.value
}

test("what was used takes the place of what was set aside", () => {
  const ledger = openLedger({ prices, caps: { usd: 0.004 } })
  const first = reserved(ledger)
  expect(ledger.reserve(ask()).ok).toBe(false)
  expect(first.settle(used(100, 50))).toBeCloseTo(0.0002)
  const second = reserved(ledger)
  second.release()
  reserved(ledger).settle(used(100, 50))
  expect(ledger.totals().costUsd).toBeCloseTo(0.0004)
})

test("settling or releasing again changes nothing", () => {
  const ledger = openLedger({ prices, caps: { usd: 1 } })
  const one = reserved(ledger)
  one.settle(used(10, 10))
  one.settle(used(10, 10))
  one.release()
  expect(ledger.totals()).toMatchObject({ requests: 1, usage: used(10, 10) })
})

test("a request that could pass the cap is refused, with who spent what", () => {
  const ledger = openLedger({ prices, caps: { usd: 0.5 } })
  reserved(ledger, { who: "main" }).settle(used(100_000, 0))
  reserved(ledger, { who: "explorer" }).settle(used(200_000, 50_000))
  expect(ledger.reserve(ask({ model: "dear", inputTokens: 10_000, maxOutput: 1_000 }))).toEqual({
    ok: false,
    failure: {
      kind: "over_cap",
      cap: "usd",
      message:
        "The budget does not cover the next request: it could take $0.1750, and $0.1000 is left. Spent so far: explorer $0.3000, main $0.1000. Raise the budget to go on.",
    },
  })
  ledger.setCaps({ usd: 2 })
  expect(ledger.reserve(ask({ model: "dear", inputTokens: 10_000, maxOutput: 1_000 })).ok).toBe(true)
})

test("without a price a money cap cannot be kept, and a token cap is offered; a token cap needs no price", () => {
  const money = openLedger({ prices, caps: { usd: 5 } })
  expect(money.reserve(ask({ model: "unheard-of" }))).toEqual({
    ok: false,
    failure: { kind: "no_price", model: "unheard-of", message: expect.stringContaining("budget in tokens") },
  })
  const tokens = openLedger({ prices, caps: { tokens: 3_000 } })
  expect(reserved(tokens, { model: "unheard-of" }).settle(used(900, 200))).toBeUndefined()
  expect(tokens.reserve(ask({ model: "unheard-of" }))).toMatchObject({
    ok: false,
    failure: { kind: "over_cap", cap: "tokens" },
  })
  expect(tokens.totals()).toMatchObject({ costUsd: 0, unpriced: 1 })
})

test("without a cap everything is let through and counted", () => {
  const ledger = openLedger({ prices })
  reserved(ledger, { model: "unheard-of", inputTokens: 1e9 }).settle(used(5, 5))
  expect(ledger.totals().byModel.get("unheard-of")).toEqual({ usage: used(5, 5), costUsd: 0, requests: 1, unpriced: 1 })
})

test("sums are kept by model and by agent", () => {
  const ledger = openLedger({ prices })
  reserved(ledger, { who: "main", model: "cheap" }).settle(used(1_000, 0))
  reserved(ledger, { who: "main", model: "dear" }).settle(used(1_000, 0))
  reserved(ledger, { who: "child", model: "cheap" }).settle({ ...noUsage, cache_read_input_tokens: 1_000 })
  const { byModel, byAgent, ...all } = ledger.totals()
  expect([...byModel.keys(), ...byAgent.keys()]).toEqual(["cheap", "dear", "main", "child"])
  expect(byModel.get("cheap")).toMatchObject({
    requests: 2,
    usage: { input_tokens: 1_000, cache_read_input_tokens: 1_000 },
  })
  expect(byAgent.get("main")?.costUsd).toBeCloseTo(0.011)
  expect(all).toMatchObject({ requests: 3, unpriced: 0 })
})

test("a resumed session goes on where it stood", () => {
  const before = { who: "main", model: "cheap", usage: used(900_000, 0), costUsd: 0.9 }
  const ledger = openLedger({ prices, caps: { usd: 1 }, spent: [before] })
  expect(ledger.totals()).toMatchObject({ costUsd: 0.9, requests: 1 })
  expect(ledger.reserve(ask({ inputTokens: 100_000 })).ok).toBe(false)
  expect(ledger.reserve(ask({ inputTokens: 1_000 })).ok).toBe(true)
})

test("numbers that are none are refused", () => {
  const ledger = openLedger({ prices, caps: { usd: 1, tokens: 1e6 } })
  expect(ledger.reserve(ask({ inputTokens: Number.NaN })).ok).toBe(false)
  expect(ledger.reserve(ask({ maxOutput: Number.POSITIVE_INFINITY })).ok).toBe(false)
})

test("however many ask at once and in whatever order they end, the caps hold", () => {
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
  fc.assert(
    fc.property(
      fc.array(move, { maxLength: 80 }),
      fc.double({ min: 0, max: 20, noNaN: true }),
      fc.nat({ max: 3_000_000 }),
      (moves, usd, tokens) => {
        const ledger = openLedger({ prices, caps: { usd, tokens } })
        const open: (() => void)[] = []
        for (const { share, sort, ends, which, ...wanted } of moves) {
          const result = ledger.reserve(wanted)
          if (result.ok)
            open.push(() => {
              if (ends === "releases") return result.value.release()
              result.value.settle({
                ...noUsage,
                [sort]: Math.floor(wanted.inputTokens * share),
                output_tokens: Math.floor(wanted.maxOutput * share),
              })
            })
          if (ends !== "stays" && open.length > 0) open.splice(which % open.length, 1)[0]?.()
          const { costUsd, usage } = ledger.totals()
          expect(costUsd).toBeLessThanOrEqual(usd + 1e-9)
          expect(Object.values(usage).reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(tokens)
        }
        for (const end of open) end()
        expect(ledger.totals().costUsd).toBeLessThanOrEqual(usd + 1e-9)
      },
    ),
  )
})
