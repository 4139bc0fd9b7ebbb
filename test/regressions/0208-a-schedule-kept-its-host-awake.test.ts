/** The host watches the folder in which schedules are: looking whether one is due must write nothing there, or the host wakes itself for ever. */

import { expect, test } from "bun:test"
import { statSync } from "node:fs"
import { jobsFolder } from "#fleet/background/jobs.ts"
import { openSchedules } from "#fleet/background/schedules.ts"
import { systemIds } from "#lib/ids.ts"
import { temporaryFolder } from "../kit/tmp.ts"

const hour = 3_600_000

test("what is not due is only looked at", () => {
  using folder = temporaryFolder()
  const schedules = openSchedules({
    state: folder.path,
    pid: process.pid,
    jobs: { get: () => undefined, put: () => {} },
    ids: systemIds,
    hasBegun: () => false,
  })
  const rule = { kind: "cron", text: "0 3 * * *" } as const
  const now = new Date(2026, 10, 18, 2, 0).getTime()
  const opening = { cwd: "/", args: {}, trust: "as kept", env: {}, createdAt: now } as const
  schedules.put({ ...opening, id: "a", rule, prompt: "look", nextAt: now + hour, runs: 0 })
  const changed = (): number => statSync(jobsFolder(folder.path), { bigint: false }).mtimeMs
  const before = changed()
  schedules.startDue(now, () => false)
  expect(changed()).toBe(before)
  schedules.startDue(now + hour, () => false)
  expect(changed()).toBeGreaterThan(before)
  expect(schedules.list()[0]?.runs).toBe(1)
})
