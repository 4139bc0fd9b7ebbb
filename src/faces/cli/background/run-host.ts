/** This process is the host of the background sessions of this user. It ends when nothing is left to do. See decision 141. */

import { mkdirSync, writeFileSync } from "node:fs"
import { openHost, type ReadLog } from "#fleet/background/host.ts"
import { openJobs, jobsFolder, type Jobs } from "#fleet/background/jobs.ts"
import { progressOf } from "#fleet/background/progress.ts"
import { loadTail } from "#ground/transcript/load.ts"
import { holderOf, takeLock } from "#ground/transcript/lock.ts"
import { systemClock } from "#lib/clock.ts"
import { statsOf } from "#lib/quietly.ts"
import { version } from "#lib/version.ts"
import type { Io } from "#faces/cli/io.ts"
import { offerHere } from "#faces/cli/sessions/shared-session.ts"
import { whereWeAre } from "#faces/cli/where.ts"
import { callUser } from "./call-user.ts"
import { logsOf } from "./job-places.ts"
import { schedulesHere } from "./schedules-here.ts"
import { openJobHere } from "./open-job.ts"
import { hostLock, hostVersion } from "./start-host.ts"

/** Those that wait for a person are not open and do not count. */
const mostOpen = 16

const patience = { waitingMs: 250, backgroundMs: 10_000, drainMs: 8_000, wantedMs: 15_000, mailMs: 30_000 } as const

export async function runHost(io: Io): Promise<number> {
  const { state } = whereWeAre()
  mkdirSync(jobsFolder(state), { recursive: true, mode: 0o700 })
  const jobs = openJobs(state, process.pid)
  const draining = new AbortController()
  void io.untilStopped().then(() => draining.abort())
  const { open, seen, notifications } = openJobHere({ jobs, state })
  const host = openHost({
    jobs,
    open,
    seen,
    offer: (session, onFaces) => ({ stop: offerHere(session, state, { onFaces }) }),
    notify: (job, what, words) =>
      callUser(job, what === "asks" ? `waits for you. ${words}` : words, notifications(job.id)),
    clock: systemClock,
    patience,
    draining: draining.signal,
    most: mostOpen,
    schedules: schedulesHere(state, jobs),
    read: (id) => readLog(id, jobs, state),
  })
  do {
    const lock = takeLock(hostLock(state), process.pid)
    // Whoever has it looks once more after giving it up, so what was written until now is seen.
    if (!lock.ok) return lock.failure.kind === "held" ? 0 : io.fail(lock.failure.message)
    writeFileSync(hostVersion(state), version, { mode: 0o600 })
    await host.run()
    lock.value()
  } while (!draining.signal.aborted && host.hasWork())
  return 0
}

function readLog(id: string, jobs: Jobs, state: string): ReadLog {
  const path = logsOf(state, jobs.get(id)?.cwd ?? "/").find(id)
  return {
    bytes: path === undefined ? 0 : (statsOf(path)?.size ?? 0),
    isHeld: path !== undefined && holderOf(`${path}.lock`, process.pid) !== undefined,
    progress() {
      const loaded = path === undefined ? undefined : loadTail(path, { torn: "leave" })
      return loaded?.ok ? progressOf(loaded.value.entries) : undefined
    },
  }
}
