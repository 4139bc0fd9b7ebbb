/** A call that must run alone meets none of the others, in whatever order they come. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { openLanes } from "#kits/hooks/lanes.ts"

test("whoever runs alone is alone, everybody runs, and a throw holds up nobody", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.record({ alone: fc.boolean(), throws: fc.boolean() }), { minLength: 1, maxLength: 8 }),
      async (s, calls) => {
        const run = openLanes()
        let inside = 0
        let alone = 0
        let done = 0
        const started = calls.map(({ alone: isAlone, throws }, i) =>
          run(isAlone ? "alone" : "beside", async () => {
            inside++
            if (isAlone) alone++
            expect(alone === 0 || inside === 1).toBe(true)
            await s.schedule(Promise.resolve(), `call ${i}`)
            expect(alone === 0 || inside === 1).toBe(true)
            inside--
            if (isAlone) alone--
            done++
            if (throws) throw new Error("as it may")
          }).catch((error: unknown) => expect(String(error)).toBe("Error: as it may")),
        )
        await s.waitFor(Promise.all(started))
        expect(done).toBe(calls.length)
      },
    ),
    { numRuns: 200 },
  )
})
