/** Where one is in a text: always somewhere in it, and at its end as long as one wants to be. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { drawnOnce, firstRow, moved, type ScrollPosition } from "#faces/tui/panels/place.ts"

const fit = fc.record({ count: fc.nat(500), room: fc.integer({ min: 1, max: 80 }) })
const place: fc.Arbitrary<ScrollPosition> = fc.oneof(fc.nat(600), fc.constant("end" as const))
const end = fc.constantFrom("grows" as const, "stays" as const)
const by = fc.oneof(fc.integer({ min: -90, max: 90 }), fc.constantFrom(Infinity, -Infinity))

test("however one moves, no row beyond the text is shown, and none is left out without need", () => {
  fc.assert(
    fc.property(place, fc.array(by, { maxLength: 20 }), fit, end, (from, moves, size, kind) => {
      const at = firstRow(
        moves.reduce<ScrollPosition>((now, step) => moved(now, step, size, kind), from),
        size,
      )
      expect(at).toBeGreaterThanOrEqual(0)
      expect(at).toBeLessThanOrEqual(Math.max(0, size.count - size.room))
    }),
  )
})

test("whoever is at the end of what grows sees what comes; whoever went up stays where they are", () => {
  fc.assert(
    fc.property(fit, fc.nat(100), (size, more) => {
      const grown = { ...size, count: size.count + more }
      const last = moved("end", Infinity, size, "grows")
      expect(firstRow(last, grown)).toBe(Math.max(0, grown.count - grown.room))
      const up = moved("end", -1, size, "grows")
      if (size.count > size.room) expect(firstRow(up, grown)).toBe(size.count - size.room - 1)
      // And back at the end it follows again.
      expect(moved(up, 1, size, "grows")).toBe("end")
    }),
  )
})

test("one who reads from the top is not carried away by what comes", () => {
  const at = moved(0, Infinity, { count: 30, room: 10 }, "stays")
  expect(firstRow(at, { count: 50, room: 10 })).toBe(20)
})

test("a text is drawn once for each width", () => {
  const widths: number[] = []
  const draw = drawnOnce((columns) => {
    widths.push(columns)
    return [String(columns)]
  })
  expect([draw(80), draw(80), draw(60), draw(60)]).toEqual([["80"], ["80"], ["60"], ["60"]])
  expect(widths).toEqual([80, 60])
})
