/** Which background sessions the host opens, and when it ends. The sessions here only say that they were opened. */

import { expect, test } from "bun:test"
import type { Loop } from "#agent/words/loop.ts"
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

interface Log {
  readonly bytes: number
  readonly isDue: boolean
  readonly loop?: Loop
}

function openWorld(jobs: Jobs, log: Log = { bytes: 0, isDue: false }) {
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
    notify: () => {},
    patience: { waitingMs: 1, backgroundMs: 1, drainMs: 1, wantedMs: 1, mailMs: 1 },
    read: () => ({ bytes: log.bytes, isHeld: false, progress: () => ({ isDue: log.isDue, loop: log.loop }) }),
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

const loop: Loop = { loopId: "l", everyMs: 60_000, prompt: "look", since: 0, nextAt: 60_000, sent: 1 }

test("one that repeats something is opened when that is due", async () => {
  using folder = temporaryFolder()
  const jobs = openJobs(folder.path, process.pid)
  jobs.put(job("a"))
  const { host, clock, opened } = openWorld(jobs, { bytes: 100, isDue: false, loop })
  const over = host.run()
  await clock.pass(59_000)
  expect(opened).toEqual([])
  await clock.pass(2_000)
  await over
  expect(opened).toEqual(["a at 60000"])
})

test("a clock that was set back does not silence a loop", async () => {
  using folder = temporaryFolder()
  const jobs = openJobs(folder.path, process.pid)
  jobs.put(job("a"))
  const { host, opened } = openWorld(jobs, { bytes: 100, isDue: false, loop: { ...loop, nextAt: 5 * 3_600_000 } })
  await host.run()
  expect(opened).toEqual(["a at 0"])
})

test("one with mail is opened, and once more if the host was killed while it read", async () => {
  using folder = temporaryFolder()
  const jobs = openJobs(folder.path, process.pid)
  for (const [id, mark] of [
    ["a", "mail"],
    ["b", "reading"],
    ["c", "mail"],
  ] as const) {
    jobs.put(job(id))
    jobs.mark(id, mark)
  }
  jobs.mark("c", "stopped")
  const { host, opened } = openWorld(jobs)
  await host.run()
  expect(opened).toEqual(["a at 0", "b at 0"])
})
