/** Many queries, one after the other and at once: all answered, none hangs, no process stays. */

import { expect, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { openWorld, resultOf } from "./drive.ts"

const always = { replies: [{ content: "Hello.", times: "always" as const }] }

/** Processes that work in this place. */
function processesIn(folder: string): readonly number[] {
  return readdirSync("/proc").flatMap((name) => {
    try {
      const environment = /^\d+$/.test(name) ? readFileSync(`/proc/${name}/environ`, "utf8") : ""
      return environment.includes(`HOME=${folder}/home`) ? [Number(name)] : []
    } catch {
      return []
    }
  })
}

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
