/** Which background sessions the host opens, and when it ends. The sessions here only say that they were opened. */

import { expect, test } from "bun:test"
import { failed } from "#lib/result.ts"
import { openHost } from "#fleet/background/host.ts"
import type { BackgroundJob, JobPrompt } from "#fleet/background/job.ts"
import { type Jobs, openJobs } from "#fleet/background/jobs.ts"
import { openHandClock } from "../../../kit/hand-clock.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const job = (id: string, ...prompts: readonly JobPrompt[]): BackgroundJob => ({
  id,
  cwd: "/",
  args: {},
  trust: "as kept",
  env: {},
  prompts,
  createdAt: 0,
})

function openWorld(jobs: Jobs, log: { readonly bytes: number; readonly isDue: boolean } = { bytes: 0, isDue: false }) {
  const clock = openHandClock()
  const opened: string[] = []
  const draining = new AbortController()
  const host = openHost({
    jobs,
    clock,
    most: 1,
    draining: draining.signal,
    seen: () => {},
    schedules: { startDue: () => {}, dueAt: () => Infinity },
    offer: () => ({ stop: () => {} }),
    tell: () => {},
    patience: { waitingMs: 1, backgroundMs: 1, drainMs: 1, wantedMs: 1 },
    read: () => ({ bytes: log.bytes, isHeld: false, isDue: () => log.isDue }),
    async open({ id }) {
      opened.push(`${id} at ${clock.now()}`)
      return failed({ kind: "failed", message: "It is only a test." })
    },
  })
  return { host, clock, opened, draining }
}

test("what is due is opened one after the other; what could not be opened is said, and not tried again", async () => {
  using folder = temporaryFolder()
  const jobs = openJobs(folder.path, process.pid)
  jobs.put(job("a", { id: "p", text: "now" }))
  jobs.put(job("b", { id: "p", text: "now" }))
  jobs.put(job("c"))
  jobs.put(job("d", { id: "p", text: "now" }))
  jobs.mark("d", "stopped")
  const { host, opened } = openWorld(jobs)
  await host.run()
  expect(opened).toEqual(["a at 0", "b at 0"])
  expect(jobs.marked("a", "problem")?.text).toBe("It is only a test.")
  expect(host.hasWork()).toBe(false)
  jobs.mark("a", "wanted")
  expect(host.hasWork()).toBe(true)
})

test("a prompt for later is waited for", async () => {
  using folder = temporaryFolder()
  const jobs = openJobs(folder.path, process.pid)
  jobs.put(job("a", { id: "p", text: "later", notBefore: 60_000 }))
  const { host, clock, opened } = openWorld(jobs)
  const over = host.run()
  await clock.pass(59_000)
  expect(opened).toEqual([])
  await clock.pass(2_000)
  await over
  expect(opened).toEqual(["a at 60000"])
})

test("one whose log asks for it again and again is opened once for each change", async () => {
  using folder = temporaryFolder()
  const jobs = openJobs(folder.path, process.pid)
  jobs.put(job("a"))
  const log = { bytes: 100, isDue: true }
  const { host, opened } = openWorld(jobs, log)
  await host.run()
  jobs.unmark("a", "problem")
  await host.run()
  expect(opened).toEqual(["a at 0"])
  log.bytes = 101
  await host.run()
  expect(opened).toEqual(["a at 0", "a at 0"])
})

test("credentials are on disk until the host has read them", () => {
  using folder = temporaryFolder()
  const jobs = openJobs(folder.path, process.pid)
  jobs.lend("a", { KEY: "secret" })
  expect(jobs.borrow("a")).toEqual({ KEY: "secret" })
  expect(jobs.borrow("a")).toBeUndefined()
})
