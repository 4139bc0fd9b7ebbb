/** Intervals of loops, and when the next time is. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { intervalIn, intervalText, nextTime } from "#agent/words/loop.ts"

test("the next time is after now, at most one interval away, and on the beat unless the clock was set back", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2 ** 42 }),
      fc.integer({ min: 10_000, max: 7 * 86_400_000 }),
      fc.integer({ min: 0, max: 2 ** 42 }),
      (since, everyMs, now) => {
        const next = nextTime({ since, everyMs }, now)
        expect(next).toBeGreaterThan(now)
        expect(next - now).toBeLessThanOrEqual(everyMs)
        if (now >= since) expect((next - since) % everyMs).toBe(0)
      },
    ),
  )
})

test("an interval reads as it is written", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9_999 }), fc.constantFrom("s", "m", "h", "d"), (count, unit) => {
      const ms = intervalIn(`${count}${unit}`)
      expect(ms).toBeDefined()
      expect(intervalIn(intervalText(ms ?? 0))).toBe(ms ?? 0)
    }),
  )
  for (const wrong of ["", "10", "m", "1.5h", "10x", "-5m"]) expect(intervalIn(wrong)).toBeUndefined()
})
