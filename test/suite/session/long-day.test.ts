/** Eight simulated hours in one session: nothing grows, nothing is left running, and the log can be continued. */

import { expect, test } from "bun:test"
import { join, resolve } from "node:path"
import type { DayFigures } from "../../kit/long-day.ts"

const steps = Number(process.env["CODEWRIGHT_DAY_STEPS"] ?? 200)
const mostGrowthMb = 5

test(`${steps} steps with compactions, agents, hooks and background commands`, async () => {
  const child = Bun.spawn(
    [process.execPath, join(resolve(import.meta.dir, "../.."), "kit/long-day.ts"), String(steps)],
    {
      stdout: "pipe",
      stderr: "inherit",
    },
  )
  const [text, code] = await Promise.all([child.stdout.text(), child.exited])
  expect(code).toBe(0)
  const day: DayFigures = JSON.parse(text)
  if (steps > 1_000) process.stderr.write(`${text}\n`)
  const [first, last] = [day.hours[0], day.hours.at(-1)]
  expect(day.hours).toHaveLength(8)
  expect(day.steps).toBeGreaterThanOrEqual(steps)
  for (const what of ["compactions", "agents", "hooks", "backgroundCommands"] as const)
    expect([what, day[what] > 0]).toEqual([what, true])
  expect(day.continued).toBe(true)
  expect((last?.heapMb ?? Infinity) - (first?.heapMb ?? 0)).toBeLessThan(mostGrowthMb)
  expect(last?.descriptors).toBeLessThanOrEqual((first?.descriptors ?? 0) + 5)
  expect(last?.children).toBeLessThanOrEqual(first?.children ?? 0)
}, 3_600_000)
