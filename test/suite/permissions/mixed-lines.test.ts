/** Random lines in all modes, decided and run for real: nothing outside is read, changed or started without the user's word. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { mixedCase } from "../../kit/mixed-lines.ts"
import { openMixedWorld } from "../../kit/mixed-world.ts"

const lines = Number(process.env["CODEWRIGHT_LINES"] ?? "200")
const seed = process.env["CODEWRIGHT_SEED"]
const timeoutMs = Math.max(600_000, lines * 100)

const machines = [
  ["with a sandbox", true],
  ["on a machine without one", false],
] as const

test.skipIf(!Bun.which("bwrap")).each(machines)(
  `${lines} lines %s`,
  async (_, sandbox) => {
    await using world = await openMixedWorld({ sandbox })
    let ran = 0
    await fc.assert(
      fc.asyncProperty(mixedCase, async (given) => {
        const trial = await world.attempt(given)
        if (trial.ran) ran++
        expect(trial.breaches).toEqual([])
      }),
      { numRuns: lines, ...(seed !== undefined && { seed: Number(seed) }) },
    )
    // Enough of them ran, or nothing was shown.
    expect(ran).toBeGreaterThan(lines / 50)
  },
  timeoutMs,
)
