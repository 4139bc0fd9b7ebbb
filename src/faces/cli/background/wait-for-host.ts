/** Waits until the host has a background session open, so that others can attach to it. */

import { openJobs } from "#fleet/background/jobs.ts"
import { holderOf } from "#ground/transcript/lock.ts"
import { systemClock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { logsOf } from "./job-places.ts"
import { startHost } from "./start-host.ts"

const lookEveryMs = 30
const looks = 1_000

/** The failure is a sentence. */
export async function waitForHost(id: string, state: string): Promise<Result<void, string>> {
  const jobs = openJobs(state, process.pid)
  const job = jobs.get(id)
  if (!job) return failed("The session is not in the background.")
  jobs.unmark(id, "problem")
  jobs.mark(id, "wanted")
  const started = await startHost(state)
  if (!started.ok) return started
  for (let poll = 0; poll < looks; poll++) {
    const path = logsOf(state, job.cwd).find(id)
    if (path !== undefined && holderOf(`${path}.lock`, process.pid) && jobs.marked(id, "wanted") === undefined)
      return ok(undefined)
    const problem = jobs.marked(id, "problem")
    if (problem) return failed(`The session could not be opened: ${problem.text}`)
    await systemClock.sleep(lookEveryMs, new AbortController().signal)
  }
  return failed("The host of background sessions does not answer. Try again.")
}
