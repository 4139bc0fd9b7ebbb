/** What is done once a day at the end of a run: sessions and debug logs that nobody has touched for long are removed. */

import { join } from "node:path"
import { cleaningMark, isCleaningDue } from "#ground/transcript/cleaning.ts"
import { removeOldFiles, removeOldSessions } from "#ground/transcript/remove.ts"
import { systemClock } from "#lib/clock.ts"
import type { Setting } from "./setting.ts"

export async function tidy({ state, loaded }: Pick<Setting, "state" | "loaded">): Promise<void> {
  const age = { days: loaded.settings.cleanupPeriodDays, now: systemClock.now() }
  if (!isCleaningDue(cleaningMark(state), age.now)) return
  removeOldFiles(join(state, "logs"), age)
  const removed = removeOldSessions({
    projects: join(state, "projects"),
    mark: cleaningMark(state),
    ...age,
    pid: process.pid,
  })
  if (removed.length > 0) await (await import("./forget-snapshots.ts")).forgetSnapshots(removed, state)
}
