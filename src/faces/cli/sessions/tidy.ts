/**
 * What is done once a day at the end of a run: sessions, teams, files and unchanged worktrees that nobody has touched for
 * long are removed, and if the rest is too much, what can be spared of it.
 */

import { existsSync } from "node:fs"
import { join } from "node:path"
import { dropDeadOwners } from "#ground/snapshots/owners.ts"
import { cleaningMark, isCleaningDue } from "#ground/transcript/cleaning.ts"
import { removeOldFiles, removeOldSessions } from "#ground/transcript/remove.ts"
import { systemClock } from "#lib/clock.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

export async function tidy(setting: Pick<StartupContext, "cwd" | "state" | "trusted" | "loaded">): Promise<void> {
  const { state, loaded } = setting
  const age = { days: loaded.settings.cleanupPeriodDays, now: systemClock.now() }
  if (!isCleaningDue(cleaningMark(state), age.now)) return
  removeOldFiles(join(state, "sockets"), age)
  dropDeadOwners(join(state, "file-history"))
  await (await import("#faces/cli/team/agent-worktrees.ts")).tidyWorktrees(setting)
  // Most homes have none, and the end of the first run of a day need not wait for their store.
  if (existsSync(join(state, "teams"))) {
    const { removeOldTeams } = await import("#team/tidy.ts")
    await removeOldTeams({ stateFolder: state, days: age.days, clock: systemClock, pid: process.pid })
  }
  const [{ forgetSnapshots, knownSnapshots }, { cleanStorage }, { storageLimits }] = await Promise.all([
    import("./forget-snapshots.ts"),
    import("./clean-storage.ts"),
    import("./storage-plan.ts"),
  ])
  const before = await knownSnapshots(state)
  const removed = removeOldSessions({
    projects: join(state, "projects"),
    mark: cleaningMark(state),
    ...age,
    pid: process.pid,
  })
  if (removed.length > 0) await forgetSnapshots(removed, state, before)
  await cleanStorage(state, storageLimits(loaded.settings, age.now))
}
