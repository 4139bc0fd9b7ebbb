/** What is done once a day when the person leaves: sessions that nobody has touched for long are removed. */

import { join } from "node:path"
import { cleaningMark, removeOldSessions } from "#ground/transcript/remove.ts"
import { systemClock } from "#lib/clock.ts"
import type { Setting } from "./setting.ts"

export async function tidy({ state, loaded }: Pick<Setting, "state" | "loaded">): Promise<void> {
  const removed = removeOldSessions({
    projects: join(state, "projects"),
    mark: cleaningMark(state),
    days: loaded.settings.cleanupPeriodDays,
    now: systemClock.now(),
    pid: process.pid,
  })
  if (removed.length > 0) await (await import("./forget-snapshots.ts")).forgetSnapshots(removed, state)
}
