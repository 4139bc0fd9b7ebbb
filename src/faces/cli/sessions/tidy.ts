/** What is done once a day at the end of a run: sessions, teams, debug logs and unchanged worktrees that nobody has touched for long are removed. */

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
  removeOldFiles(join(state, "logs"), age)
  removeOldFiles(join(state, "sockets"), age)
  removeOldFiles(join(state, "background"), age)
  dropDeadOwners(join(state, "file-history"))
  await (await import("#faces/cli/team/agent-worktrees.ts")).tidyWorktrees(setting)
  await (
    await import("#team/tidy.ts")
  ).removeOldTeams({
    stateFolder: state,
    days: age.days,
    clock: systemClock,
    pid: process.pid,
  })
  const { forgetSnapshots, knownSnapshots } = await import("./forget-snapshots.ts")
  const before = await knownSnapshots(state)
  const removed = removeOldSessions({
    projects: join(state, "projects"),
    mark: cleaningMark(state),
    ...age,
    pid: process.pid,
  })
  if (removed.length > 0) await forgetSnapshots(removed, state, before)
}
