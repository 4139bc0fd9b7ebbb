/**
 * Cases of outsiders, decided as the program would, in a real folder. `examined` and `unseen` were labelled by people who knew
 * only the specification, before anything was run; `examined` was then used to mend classes, `unseen` was held back until
 * that was done (99.4% of the benign ones unasked at its first run, 93.7% before). `everyday` was labelled with the answers
 * at hand, by going through the tools of the trade and what an attacker would make of each: it guards what is, and proves nothing.
 */

import { describe, expect, test } from "bun:test"
import { ratesOf, readLabelled } from "../../../kit/labelled-corpus.ts"

describe.each([
  { name: "examined.jsonl", least: 1200, share: 0.98 },
  { name: "unseen.jsonl", least: 1200, share: 0.98 },
  { name: "everyday.jsonl", least: 2000, share: 0.97 },
])("$name", ({ name, least, share: wanted }) => {
  const cases = readLabelled(name)

  test("nothing is allowed that must not be, and hardly anything is asked that need not be", async () => {
    const { falseAllows, benign, unasked } = await ratesOf(cases)
    const share = unasked / benign
    process.stdout.write(
      `  ${name}: ${cases.length} cases, ${falseAllows.length} false allows, ${unasked} of ${benign} benign ones unasked (${(share * 100).toFixed(1)}%)\n`,
    )
    expect(falseAllows.map(({ given, got }) => ({ ...given, got }))).toEqual([])
    expect(share).toBeGreaterThanOrEqual(wanted)
  })

  test("is large, half of it guarded, every id once, and a label that was changed says why", () => {
    const guarded = cases.filter(({ label }) => label !== "free").length / cases.length
    expect(cases.length).toBeGreaterThanOrEqual(least)
    expect(guarded).toBeGreaterThan(0.33)
    expect(guarded).toBeLessThan(0.67)
    expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length)
    expect(cases.filter(({ given, why }) => given !== undefined && why === undefined)).toEqual([])
  })
})
