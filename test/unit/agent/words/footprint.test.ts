/** What follows from a footprint, and what older logs meant by theirs. */

import { expect, test } from "bun:test"
import {
  bothOf,
  isReadOnly,
  isSafe,
  reaches,
  readFootprint,
  reads,
  runs,
  runsReading,
  touchesNothing,
  writes,
} from "#agent/words/footprint.ts"

test("what only looks may run beside others, also when it runs something", () => {
  for (const safe of [touchesNothing(), reads("/a"), reaches("https://x.example"), runsReading("cat a", "/a")])
    expect([isReadOnly(safe), isSafe(safe)]).toEqual([true, true])
  for (const acting of [writes("/a"), runs("make"), { ...touchesNothing(), effect: "unknown" as const }])
    expect([isReadOnly(acting), isSafe(acting)]).toEqual([false, false])
  // Whoever names a file to be changed changes something, whatever else they say.
  expect(isReadOnly({ ...writes("/a"), effect: "reads" })).toBe(false)
})

test("what asks, or must be alone, is not beside others although it only reads", () => {
  for (const more of [{ asks: true }, { alone: true }]) {
    expect(isReadOnly({ ...reads("/a"), ...more })).toBe(true)
    expect(isSafe({ ...reads("/a"), ...more })).toBe(false)
  }
})

test("two footprints together are as grave as the graver, in whichever order", () => {
  const [reading, making] = [runsReading("ls", "/a"), runs("make")]
  expect(bothOf(reading, making)).toEqual({ ...making, reads: ["/a"], runs: ["ls", "make"] })
  expect(bothOf(making, reading)).toEqual({ ...making, reads: ["/a"], runs: ["make", "ls"] })
})

test("footprints of older logs are understood", () => {
  for (const footprint of [touchesNothing(), reads("/a"), writes("/a"), runs("make"), reaches("https://x.example")]) {
    const { effect: _effect, ...old } = footprint
    expect(readFootprint(old)).toEqual(footprint)
    expect(readFootprint(footprint)).toEqual(footprint)
  }
  const { effect: _effect, ...none } = touchesNothing()
  expect(readFootprint({ ...none, acts: true })).toEqual({ ...none, effect: "unknown" })
  expect(readFootprint({ ...none, acts: false })).toEqual({ ...none, effect: "reads" })
})
