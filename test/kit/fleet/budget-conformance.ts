/** The budget of a session and its members, as each of them sees it through the records: together they never exceed it. */

import { expect } from "bun:test"
import fc from "fast-check"
import type { OthersSpending } from "#agent/words/budget.ts"
import { noUsage } from "#agent/words/model.ts"
import type { Lease } from "#fleet/records.ts"
import type { FleetStore } from "#fleet/store.ts"
import { sharedBudget } from "#fleet/work/shared-budget.ts"
import { type Ledger, openLedger, type Reservation } from "#kits/budget/ledger.ts"
import { runs } from "../runs.ts"
import { valueOf } from "../team/conformance.ts"
import type { Tell } from "../turns.ts"
import { held, heldAgain } from "./records.ts"

const price = { input: 1_000_000, output: 1_000_000, cacheRead: 0, cacheWrite: 1_000_000 }
const usd = 100
const budget = (): { readonly usd: number } => ({ usd })

const move = fc.record({
  who: fc.nat({ max: 2 }),
  asks: fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 3 }),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  then: fc.constantFrom("settle", "release", "keep", "die"),
})

interface One {
  readonly ledger: Ledger
  readonly lease: Lease
  readonly open: { readonly reservation: Reservation; readonly most: number }[]
}

/** What it said last is known to the others once its next turn is over. */
const arrived = ({ ledger }: One): ReturnType<Ledger["reserve"]> =>
  ledger.reserve({ who: "x", model: "m", inputTokens: 0, maxOutput: 0 })

export function budgetsConform(test: Tell, open: () => FleetStore, fresh: () => string): void {
  async function begin(store: FleetStore, lease: Lease, lead: string): Promise<One> {
    const parts = { store, lease, lead, persist: <T>(work: () => Promise<T>) => work() }
    const ledger = openLedger({ prices: () => price, budget })
    const spent = await store.spending.of(lease.sessionId)
    ledger.book({ who: "before", ...spent })
    ledger.share(sharedBudget(parts, budget))
    return { ledger, lease, open: [] }
  }

  test("what a worker that is gone had reserved is free, and what it spent stays", async () => {
    const store = open()
    const lead = fresh()
    const own = await held(store, lead)
    const others = async (): Promise<OthersSpending | undefined> => {
      let seen: OthersSpending | undefined
      const looked = await store.spending.inTurn(own, lead, (found) => {
        seen = found
        return undefined
      })
      expect(looked.ok).toBe(true)
      return seen
    }
    const now = { spent: { costUsd: 1, tokens: 10 }, reserved: { costUsd: 60, tokens: 600 } }
    const [parked, lost] = [await held(store, `${lead}-a`), await held(store, `${lead}-b`)]
    for (const lease of [parked, lost]) valueOf(await store.spending.inTurn(lease, lead, () => now))
    expect(await others()).toEqual({ costUsd: 122, tokens: 1220, reserved: { costUsd: 120, tokens: 1200 } })
    valueOf(await store.leases.park(parked, {}))
    expect(await others()).toEqual({ costUsd: 62, tokens: 620, reserved: { costUsd: 60, tokens: 600 } })
    await store.leases.leave(lost.worker)
    await heldAgain(store, lost.sessionId)
    expect(await others()).toEqual({ costUsd: 2, tokens: 20, reserved: { costUsd: 0, tokens: 0 } })
    expect(await store.spending.inTurn(lost, lead, () => now)).toMatchObject({ ok: false })
  })

  test("what a session costs is counted once for the day, also if a report says less than the one before", async () => {
    const store = open()
    const id = fresh()
    const lease = await held(store, id, `payer of ${id}`)
    const today = async (): Promise<number | undefined> =>
      (await store.spending.spent()).users.get(`payer of ${id}`)?.day
    for (const [costUsd, all] of [
      [5, 5],
      [3, 5],
    ] as const) {
      valueOf(await store.leases.report(lease, { costUsd }))
      expect(await today()).toBe(all)
    }
  })

  test("whoever asks at once, pays or dies, the budget of lead and members is never exceeded", async () => {
    const store = open()
    await fc.assert(
      fc.asyncProperty(fc.array(move, { maxLength: 12 }), async (moves) => {
        const lead = fresh()
        const leases = [await held(store, lead), await held(store, `${lead}-a`), await held(store, `${lead}-b`)]
        const all = await Promise.all(leases.map((lease) => begin(store, lease, lead)))
        let paid = 0
        const reserved = (): number => all.flatMap((one) => one.open).reduce((sum, { most }) => sum + most, 0)
        for (const { who, asks, share, then } of moves) {
          const left = usd - paid - reserved()
          // At once, and one of them through another session.
          const got = await Promise.all(
            asks.map(async (most, at) => {
              const one = all[(who + at) % all.length]
              const reservation = await one?.ledger.reserve({ who: "x", model: "m", inputTokens: most, maxOutput: 0 })
              if (reservation?.ok) one?.open.push({ reservation: reservation.value, most })
              return reservation?.ok === true
            }),
          )
          if (asks.reduce((sum, most) => sum + most, 0) <= left - 1e-6) expect(got).toEqual(asks.map(() => true))
          expect(paid + reserved()).toBeLessThanOrEqual(usd + 1e-6)
          const one = all[who]
          if (!one || then === "keep") continue
          if (then === "die") {
            await store.leases.leave(one.lease.worker)
            all[who] = await begin(store, await heldAgain(store, one.lease.sessionId), lead)
            // Nobody listens to it any more.
            expect(await arrived(one)).toMatchObject({ ok: false, failure: { kind: "agent_cap" } })
            continue
          }
          const next = one.open.shift()
          if (!next) continue
          const input = Math.floor(next.most * share)
          if (then === "release") next.reservation.release()
          else paid += next.reservation.settle({ ...noUsage, input_tokens: input }) ?? 0
          await arrived(one)
        }
        const spent = await Promise.all(all.map(({ lease }) => store.spending.of(lease.sessionId)))
        expect(spent.reduce((sum, { costUsd }) => sum + costUsd, 0)).toBeCloseTo(paid, 6)
        for (const { lease } of all) valueOf(await store.sessions.cancel(lease.sessionId, "ann"))
      }),
      { ...runs(5), endOnFailure: true },
    )
  })
}
