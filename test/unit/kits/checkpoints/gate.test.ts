/** The gate: many together or one alone, never both, and nobody waits for ever. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { openGate } from "#kits/checkpoints/gate.ts"

test("whoever comes in which order: one that is alone is alone, and everyone gets in", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.constantFrom("enter", "alone"), { minLength: 1, maxLength: 12 }),
      async (s, visits) => {
        const gate = openGate()
        let inside = 0
        let alone = 0
        let served = 0
        const visit = async (kind: string): Promise<void> => {
          if (kind === "alone") {
            await gate.alone(async () => {
              expect([inside, alone++]).toEqual([0, 0])
              await s.schedule(Promise.resolve())
              expect([inside, alone--]).toEqual([0, 1])
            })
          } else {
            const leave = await gate.enter()
            inside++
            expect(alone).toBe(0)
            await s.schedule(Promise.resolve())
            inside--
            leave()
            leave()
          }
          served++
        }
        const all = Promise.all(visits.map(visit))
        await s.waitFor(all)
        expect(served).toBe(visits.length)
      },
    ),
  )
})

test("a look that fails lets the others in", async () => {
  const gate = openGate()
  await expect(gate.alone(() => Promise.reject(new Error("no")))).rejects.toThrow("no")
  const leave = await gate.enter()
  leave()
})
