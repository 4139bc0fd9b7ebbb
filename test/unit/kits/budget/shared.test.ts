/** The budget of several processes: whatever they do, together they never exceed it, and in the end the lead has all of it in its own books. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { noUsage } from "#agent/words/model.ts"
import { openTeamStore } from "#ground/team/store.ts"
import { inOneGo, openLedger, type Reservation } from "#kits/budget/ledger.ts"
import { systemClock } from "#lib/clock.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const price = { input: 1_000_000, output: 1_000_000, cacheRead: 0, cacheWrite: 1_000_000 }
const usd = 100

type Step =
  | { readonly do: "reserve"; readonly who: number; readonly most: number }
  | { readonly do: "settle" | "release"; readonly who: number; readonly share: number }
  | { readonly do: "take over" }
  | { readonly do: "die"; readonly who: number }

const who = fc.nat({ max: 3 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("reserve" as const), who, most: fc.integer({ min: 1, max: 40 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom("settle" as const, "release" as const),
      who,
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("take over" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("die" as const), who: fc.integer({ min: 1, max: 3 }) }) },
)

test("several ledgers over one file", async () => {
  using folder = temporaryFolder()
  let count = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const path = folder.join(`${count++}/team.db`)
      const about = { name: "crew", lead: "lead" }
      // A connection for each, as each process has one.
      const stores = await Promise.all(
        Array.from({ length: 4 }, () => openTeamStore({ path, about, clock: systemClock })),
      )
      try {
        let ids = 0
        let lives = 0
        let paid = 0
        let booked = 0
        const begin = (at: number) => {
          const relay = stores[at]?.relay
          if (!relay) throw new Error("no store")
          const run = at === 0 ? "lead" : `${at} ${lives++}`
          const ledger = openLedger({ prices: () => price, budget: () => ({ usd }) })
          ledger.share({
            inTurn: inOneGo((work) => relay.spending.inTurn(run, work)),
            settled(now, { costUsd, tokens }) {
              if (at === 0) return relay.spending.inTurn(run, now)
              const ask = { id: `spent ${ids++}`, member: `${at}`, kind: "spent", body: { costUsd, tokens } } as const
              relay.spending.settle(run, now(), ask, { costUsd, tokens })
            },
          })
          return { ledger, run, relay, open: [] as { reservation: Reservation; most: number }[] }
        }
        const processes = [0, 1, 2, 3].map(begin)
        const reserved = (): number => processes.flatMap(({ open }) => open).reduce((sum, { most }) => sum + most, 0)
        function takeOver(): void {
          const [lead] = processes
          for (const ask of lead?.relay.asks() ?? []) {
            const costUsd = Number(ask.body.costUsd)
            lead?.ledger.book({ who: "member", costUsd, tokens: Number(ask.body.tokens) })
            lead?.relay.spending.takeOver(ask.id)
            booked += costUsd
          }
        }
        for (const each of steps) {
          if (each.do === "take over") takeOver()
          else if (each.do === "die") {
            const dead = processes[each.who]
            dead?.relay.spending.release(dead.run)
            processes[each.who] = begin(each.who)
          } else {
            const process = processes[each.who]
            if (!process) continue
            if (each.do === "reserve") {
              const ask = { who: "x", model: "m", inputTokens: each.most, maxOutput: 0 }
              const left = usd - paid - reserved()
              const got = await process.ledger.reserve(ask)
              // Exactly what fits is admitted.
              expect(got.ok).toBe(each.most <= left + 1e-6)
              if (got.ok) process.open.push({ reservation: got.value, most: each.most })
              continue
            }
            const next = process.open.shift()
            if (!next) continue
            if (each.do === "release") next.reservation.release()
            else {
              const input = Math.floor(next.most * each.share)
              next.reservation.settle({ ...noUsage, input_tokens: input })
              paid += input
              if (each.who === 0) booked += input
            }
          }
          expect(paid + reserved()).toBeLessThanOrEqual(usd + 1e-6)
        }
        takeOver()
        expect(booked).toBeCloseTo(paid, 6)
      } finally {
        await Promise.all(stores.map((store) => store.close()))
      }
    }),
    { numRuns: 60 },
  )
})
