/** Takes a session out of the background, so that it can be opened here. */

import { openJobs } from "#fleet/background/jobs.ts"
import { holderOf } from "#ground/transcript/lock.ts"
import { systemClock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { hostLock } from "./start-host.ts"

const lookEveryMs = 30
/** What changes something may end first. */
const looks = 600

/** The failure is a sentence. */
export async function takeOutOfBackground(id: string, logPath: string, state: string): Promise<Result<void, string>> {
  const jobs = openJobs(state, process.pid)
  jobs.remove(id)
  for (let poll = 0; poll < looks; poll++) {
    const holder = holderOf(`${logPath}.lock`, process.pid)
    // Anybody else is asked to stop in the usual way.
    if (!holder || holder.pid !== holderOf(hostLock(state), process.pid)?.pid) return ok(undefined)
    await systemClock.sleep(lookEveryMs, new AbortController().signal)
  }
  return failed("The host of background sessions does not let go of the session. Try again in a moment.")
}
