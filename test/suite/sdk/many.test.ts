/** Many queries, one after the other and at once: all answered, none hangs, no process stays. */

import { expect, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { openWorld, resultOf } from "./drive.ts"
import { processesIn } from "./processes.ts"
import { atNight } from "../../kit/runs.ts"
import { initialize, isResult, openWire, user } from "./wire.ts"

const always = { replies: [{ content: "Hello.", times: "always" as const }] }

test("many queries in a row, by turns with both SDKs", async () => {
  await using world = await openWorld("0.3", { scenario: always })
  await using other = await openWorld("0.2", { scenario: always, place: world.place })
  const files: number[] = []
  for (let i = 0; i < atNight(100, 14); i++) {
    const told = await (i % 2 === 0 ? world : other).run(`query ${i}`)
    expect(resultOf(told)).toMatchObject({ result: "Hello.", is_error: false })
    expect(told.thrown).toBeUndefined()
    expect(processesIn(world.place.path)).toEqual([])
    files.push(readdirSync("/proc/self/fd").length)
  }
  // Those of the last query may not be closed yet.
  expect(files.at(-1)).toBeLessThan((files[10] ?? 0) + 20)
})

test("each of many processes takes as much memory as the first", async () => {
  await using world = await openWorld("0.3", { scenario: always })
  const peaks: number[] = []
  const half = atNight(20, 4)
  for (let i = 0; i < half * 2; i++) {
    const wire = openWire(world)
    wire.send(initialize(), user(`query ${i}`))
    await wire.next(isResult)
    const status = readFileSync(`/proc/${wire.process.pid}/status`, "utf8")
    peaks.push(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024)
    expect((await wire.end()).code).toBe(0)
  }
  const mean = (list: readonly number[]): number => list.reduce((all, one) => all + one, 0) / list.length
  // What one process leaves on disk (logs, the catalogue) must not be held by the next.
  expect(mean(peaks.slice(-half))).toBeLessThan(mean(peaks.slice(0, half)) * 1.5)
  expect(processesIn(world.place.path)).toEqual([])
})

test("many at once in one folder", async () => {
  await using world = await openWorld("0.3", { scenario: always })
  const count = atNight(20, 6)
  const all = await Promise.all(Array.from({ length: count }, (_, i) => world.run(`query ${i}`)))
  for (const told of all) expect(resultOf(told)).toMatchObject({ result: "Hello.", is_error: false })
  expect(new Set(all.map((told) => resultOf(told).session_id)).size).toBe(count)
  expect(processesIn(world.place.path)).toEqual([])
})
