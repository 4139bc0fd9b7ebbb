/** Lets a session that was stopped, failed or is done continue in the background. */

import type { JobPrompt } from "#fleet/background/job.ts"
import { openJobs } from "#fleet/background/jobs.ts"
import { systemIds } from "#lib/ids.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { ListedSession } from "./session-list.ts"
import { startHost } from "./start-host.ts"

/** The failure is a sentence. */
export async function resumeOne(
  { id, state: how, background, isCutOff }: ListedSession,
  state: string,
): Promise<Result<void, string>> {
  if (how === "working" || how === "waiting" || how === "open") return failed(`It is ${how} already.`)
  if (!background)
    return failed(`It is not in the background. Open it, or use: codewright --bg --resume ${id.slice(0, 8)}`)
  const jobs = openJobs(state, process.pid)
  jobs.unmark(id, "stopped")
  jobs.unmark(id, "problem")
  if (!isCutOff) jobs.addPrompt(id, continuePrompt())
  jobs.poke()
  const started = await startHost(state)
  return started.ok ? ok(undefined) : started
}

export const continuePrompt = (): JobPrompt => ({
  id: systemIds.uuid(),
  text: "Continue with the task.",
  origin: { kind: "made" },
})
