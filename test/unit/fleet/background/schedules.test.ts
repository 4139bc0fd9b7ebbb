/** Schedules: when they are due, and that each time becomes one session, whoever is killed and whatever the clock does. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import type { BackgroundJob } from "#fleet/background/job.ts"
import { atRule, cronRule, everyRule, nextOf, type ScheduleRule } from "#fleet/background/schedule-rule.ts"
import { openSchedules, type Schedule } from "#fleet/background/schedules.ts"
import { systemIds } from "#lib/ids.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const minute = 60_000
const start = new Date(2026, 10, 18, 12, 0).getTime()

const field = (least: number, most: number) =>
  fc.oneof(
    fc.constant("*"),
    fc.integer({ min: least, max: most }).map(String),
    fc.integer({ min: 2, max: 20 }).map((step) => `*/${step}`),
    fc
      .tuple(fc.integer({ min: least, max: most }), fc.integer({ min: least, max: most }))
      .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
  )

test("a cron expression is next due at the first minute that fits, and after now", () => {
  fc.assert(
    fc.property(field(0, 59), field(0, 23), field(0, 6), fc.integer({ min: 0, max: 30 * 1440 }), (m, h, w, after) => {
      const now = start + after * minute + 17
      const text = `${m} ${h} * * ${w}`
      const next = nextOf({ kind: "cron", text }, now) ?? 0
      expect(next).toBeGreaterThan(now)
      expect(next % minute).toBe(0)
      // Asked anywhere before it, the answer is the same: nothing between fits.
      const between = now + Math.floor((next - now) / 2)
      expect(nextOf({ kind: "cron", text }, between)).toBe(between < next ? next : expect.anything())
      const date = new Date(next)
      expect(fits(m, date.getMinutes()) && fits(h, date.getHours()) && fits(w, date.getDay())).toBe(true)
    }),
    { numRuns: 60 },
  )
})

function fits(text: string, value: number): boolean {
  if (text === "*") return true
  if (text.startsWith("*/")) return value % Number(text.slice(2)) === 0
  const [from = "", to = from] = text.split("-")
  return value >= Number(from) && value <= Number(to)
}

test("what cannot be read is refused with what can", () => {
  for (const wrong of ["", "* * * *", "60 * * * *", "* 24 * * *", "a * * * *", "5-1 * * * *", "0 0 31 2 *"])
    expect(cronRule(wrong, start).ok).toBe(false)
  for (const wrong of ["soon", "25:00", "2020-01-01T00:00"]) expect(atRule(wrong, start).ok).toBe(false)
  for (const wrong of ["10s", "1x", ""]) expect(everyRule(wrong, start).ok).toBe(false)
  expect(atRule("11:30", start)).toEqual({ ok: true, value: { kind: "at", at: start + 23.5 * 60 * minute } })
  expect(atRule("2h", start)).toEqual({ ok: true, value: { kind: "at", at: start + 120 * minute } })
})

interface World {
  readonly jobs: Map<string, BackgroundJob>
  /** Who dies next: nobody, before a job is written, or right after. */
  dies: "no" | "before" | "after"
}

function openWorld(state: string, world: World) {
  return openSchedules({
    state,
    pid: process.pid,
    ids: systemIds,
    hasBegun: (id) => world.jobs.has(id),
    jobs: {
      get: (id) => world.jobs.get(id),
      put(job) {
        const { dies } = world
        world.dies = "no"
        if (dies === "before") throw new Error("killed")
        if (world.jobs.has(job.id)) throw new Error("a session was begun twice")
        world.jobs.set(job.id, job)
        if (dies === "after") throw new Error("killed")
      },
    },
  })
}

const schedule = (rule: ScheduleRule): Schedule => ({
  id: "one",
  rule,
  prompt: "Look",
  cwd: "/w",
  args: {},
  trust: "as kept",
  env: {},
  createdAt: start,
  nextAt: nextOf(rule, start) ?? start,
  runs: 0,
})

const steps = fc.array(
  fc.record({
    ms: fc.oneof(fc.integer({ min: 0, max: 3 * minute }), fc.integer({ min: -60 * minute, max: 300 * minute })),
    dies: fc.constantFrom("no" as const, "before" as const, "after" as const),
  }),
  { maxLength: 25 },
)

test("each time becomes one session, over kills and a clock that jumps", () => {
  fc.assert(
    fc.property(steps, (all) => {
      using folder = temporaryFolder()
      const world: World = { jobs: new Map(), dies: "no" }
      openWorld(folder.path, world).put(schedule({ kind: "every", everyMs: 10 * minute, since: start }))
      let now = start
      let due = 0
      for (const { ms, dies } of all) {
        now += ms
        const before = openWorld(folder.path, world).list()[0]
        if ((before?.nextAt ?? Infinity) <= now) due++
        world.dies = dies
        try {
          openWorld(folder.path, world).startDue(now, () => false)
        } catch (error) {
          if (!String(error).includes("killed")) throw error
        }
        world.dies = "no"
        // Whoever comes next finishes what was claimed, and begins nothing else.
        openWorld(folder.path, world).startDue(now, () => false)
        expect(world.jobs.size).toBe(due)
        const [after] = openWorld(folder.path, world).list()
        expect(after?.claim).toBeUndefined()
        expect(after?.nextAt).toBeGreaterThan(now)
        expect((after?.nextAt ?? 0) - now).toBeLessThanOrEqual(10 * minute)
      }
    }),
    { numRuns: 40 },
  )
})

test("one time is over once it ran, and a run that has not ended keeps the next from beginning", () => {
  using folder = temporaryFolder()
  const world: World = { jobs: new Map(), dies: "no" }
  const schedules = openWorld(folder.path, world)
  schedules.put(schedule({ kind: "at", at: start + minute }))
  schedules.startDue(start, () => false)
  expect(world.jobs.size).toBe(0)
  expect(schedules.dueAt()).toBe(start + minute)
  schedules.startDue(start + 900 * minute, () => false)
  expect([world.jobs.size, schedules.list(), schedules.dueAt()]).toEqual([1, [], Infinity])

  schedules.put(schedule({ kind: "every", everyMs: minute, since: start }))
  schedules.startDue(start + minute, () => true)
  schedules.startDue(start + 2 * minute, () => true)
  expect(world.jobs.size).toBe(2)
  schedules.startDue(start + 3 * minute, () => false)
  expect(world.jobs.size).toBe(3)
})
