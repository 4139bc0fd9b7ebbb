/** The tail of a session: everybody gets every event once and in order, in pieces that are never large. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import type { FleetEvent } from "#fleet/records.ts"
import { openTail, pieceOf, writtenOut } from "#faces/web/tail.ts"

const eventsOf = (sizes: readonly number[]): readonly FleetEvent[] =>
  sizes.map((size, at) => ({ seq: at + 1, type: "entry", data: "x".repeat(size) }))

const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 50 }), fc.constantFrom(90_000, 250_000)), { maxLength: 40 })

test("events of any size arrive whole, each once, and no piece but a single event is large", async () => {
  await fc.assert(
    fc.asyncProperty(sizes, fc.integer({ min: 1, max: 10 }), async (given, page) => {
      const events = eventsOf(given)
      let there = 0
      const read = async (after: number) => events.slice(after, Math.min(there, after + page))
      const tail = openTail(read)
      tail.after(0)
      let heard = ""
      let at = 0
      while (at < events.length) {
        there = Math.min(events.length, there + 3)
        await tail.read()
        const kept = tail.after(at)
        const piece = kept === "records" ? pieceOf((await read(at)).map(writtenOut)) : kept
        if (!piece) continue
        expect(piece.bytes.byteLength <= 200_000 || piece.at === at + 1).toBe(true)
        heard += Buffer.from(piece.bytes).toString()
        at = piece.at
      }
      const all = events.map((event) => Buffer.from(writtenOut(event).bytes).toString()).join("")
      expect(heard === all).toBe(true)
    }),
    { numRuns: 40 },
  )
})

test("all who are equally far get the very same bytes", async () => {
  const events = eventsOf([10, 20, 30])
  const tail = openTail(async (after) => events.slice(after))
  tail.after(0)
  await tail.read()
  const [one, other] = [tail.after(1), tail.after(1)]
  expect(one).toMatchObject({ at: 3 })
  expect(other).toBe(one ?? "records")
  expect(tail.after(2)).toMatchObject({ at: 3 })
  expect(tail.after(3)).toBeUndefined()
})
