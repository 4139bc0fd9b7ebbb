/** How full a window may get. */

import { expect, test } from "bun:test"
import * as fc from "fast-check"
import { levelsOf, readTrigger } from "#kits/compaction/levels.ts"

const formula = { kind: "formula" } as const

test("the levels of the usual windows", () => {
  expect(levelsOf({ window: 200_000, maxOutput: 128_000 }, formula)).toEqual({
    window: 200_000,
    effective: 180_000,
    warning: 160_000,
    auto: 167_000,
    blocking: 177_000,
  })
  expect(levelsOf({ window: 1_000_000, maxOutput: 64_000 }, formula)).toMatchObject({
    effective: 980_000,
    auto: 967_000,
    blocking: 977_000,
  })
  expect(levelsOf({ window: 200_000, maxOutput: 8_192 }, formula)).toMatchObject({ effective: 191_808, auto: 178_808 })
})

test("a percentage is one of the effective window, and never beyond the blocking level", () => {
  const at = (percent: number) => levelsOf({ window: 200_000, maxOutput: 64_000 }, { kind: "percent", percent }).auto
  expect(at(80)).toBe(144_000)
  expect(at(92)).toBe(165_600)
  expect(at(100)).toBe(177_000)
})

test("whatever the window, the levels are in order and leave room", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 4_000, max: 2_000_000 }),
      fc.integer({ min: 1, max: 200_000 }),
      (window, maxOutput) => {
        const { effective, warning, auto, blocking } = levelsOf({ window, maxOutput }, formula)
        expect(warning).toBeGreaterThan(0)
        expect(warning).toBeLessThanOrEqual(auto)
        expect(auto).toBeLessThan(blocking)
        expect(blocking).toBeLessThan(effective)
        expect(effective).toBeLessThan(window)
      },
    ),
  )
})

test("the setting is a word, a percentage or a number; anything else is not understood", () => {
  expect(["formula", "80%", " 92 ", 50.5].map(readTrigger)).toEqual([
    formula,
    { kind: "percent", percent: 80 },
    { kind: "percent", percent: 92 },
    { kind: "percent", percent: 50.5 },
  ])
  for (const wrong of ["", "a lot", "0", 0, 101, -1, Number.NaN, null, {}, "1e9%", "80%%"])
    expect(readTrigger(wrong)).toBeUndefined()
})

test("an agent may have a limit of its own, which only lowers the level", () => {
  const window = { window: 200_000, maxOutput: 64_000 }
  const { auto } = levelsOf(window, formula)
  expect(levelsOf(window, { ...formula, mostTokens: 50_000 })).toMatchObject({ auto: 50_000, warning: 50_000 })
  expect(levelsOf(window, { ...formula, mostTokens: 500_000 }).auto).toBe(auto)
})
