/** StreamSlots for streams: never more than there are, and nobody who has few is kept out by those who have many. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { openStreamSlots, type StreamSlot } from "#faces/web/stream-slots.ts"

const users = ["ann", "bob", "eve"] as const
const limits = { streams: 8, streamsOfOne: 6 }
const step = fc.record({ user: fc.constantFrom(...users), act: fc.constantFrom("take", "take", "leave") })

test("whatever users do, the limits hold, and only whoever has the most loses a slot, the oldest", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const slots = openStreamSlots(limits)
      let held: { readonly user: string; readonly slot: StreamSlot }[] = []
      const count = (user: string): number => held.filter((each) => each.user === user).length
      for (const { user, act } of steps) {
        if (act === "leave") {
          const own = held.findLast((each) => each.user === user)
          own?.slot.leave()
          held = held.filter((each) => each !== own)
          continue
        }
        const most = Math.max(...users.map(count))
        const isFull = held.length >= limits.streams
        const mayEnter = count(user) < limits.streamsOfOne && (!isFull || most > count(user) + 1)
        const slot = slots.acquire(user, new AbortController().signal)
        expect(slot !== undefined).toBe(mayEnter)
        const lost = held.filter((each) => each.slot.signal.aborted)
        expect(lost.length).toBe(isFull && mayEnter ? 1 : 0)
        for (const loser of lost) {
          expect(count(loser.user)).toBe(most)
          expect(held.find((each) => each.user === loser.user)).toBe(loser)
        }
        held = held.filter((each) => !lost.includes(each))
        if (slot) held.push({ user, slot })
        expect(held.length).toBeLessThanOrEqual(limits.streams)
        for (const each of users) expect(count(each)).toBeLessThanOrEqual(limits.streamsOfOne)
      }
    }),
    { numRuns: 300 },
  )
})
