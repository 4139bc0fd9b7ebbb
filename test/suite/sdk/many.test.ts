/** Many queries, one after the other and at once: all answered, none hangs, no process stays. */

import { expect, test } from "bun:test"
import { openWorld, resultOf } from "./drive.ts"
import { processesIn } from "./processes.ts"

const always = { replies: [{ content: "Hello.", times: "always" as const }] }

test("a hundred queries in a row, by turns with both SDKs", async () => {
  await using world = await openWorld("0.3", { scenario: always })
  await using other = await openWorld("0.2", { scenario: always, place: world.place })
  for (let i = 0; i < 100; i++) {
    const told = await (i % 2 === 0 ? world : other).run(`query ${i}`)
    expect(resultOf(told)).toMatchObject({ result: "Hello.", is_error: false })
    expect(told.thrown).toBeUndefined()
  }
  expect(processesIn(world.place.path)).toEqual([])
})

test("twenty at once in one folder", async () => {
  await using world = await openWorld("0.3", { scenario: always })
  const all = await Promise.all(Array.from({ length: 20 }, (_, i) => world.run(`query ${i}`)))
  for (const told of all) expect(resultOf(told)).toMatchObject({ result: "Hello.", is_error: false })
  expect(new Set(all.map((told) => resultOf(told).session_id)).size).toBe(20)
  expect(processesIn(world.place.path)).toEqual([])
})
