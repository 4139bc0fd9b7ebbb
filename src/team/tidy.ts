/** Removes teams that nobody has used for long, as sessions are removed. */

import { readdirSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { isRunning, ownerOf } from "#ground/transcript/lock.ts"
import type { Member, TeamOverview } from "#agent/words/team.ts"
import type { Clock } from "#lib/clock.ts"
import { statsOf } from "#lib/quietly.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { readTeamOverview, teamNames } from "./overview.ts"
import { teamFile } from "./place.ts"

const dayMs = 24 * 60 * 60 * 1000

/** Never one whose lead or member runs, and never a list of tasks that the user shares by its name. */
export async function removeOldTeams(cleaning: {
  readonly stateFolder: string
  readonly days: number
  readonly clock: Clock
  readonly pid: number
}): Promise<readonly string[]> {
  const { stateFolder, days, clock, pid } = cleaning
  if (!(days >= 1)) return []
  const me = ownerOf(pid)
  const removed: string[] = []
  for (const name of teamNames(stateFolder)) {
    const folder = dirname(teamFile(stateFolder, name))
    // Before it is opened: that alone would make it look used.
    if (changedIn(folder) > clock.now() - days * dayMs) continue
    const team = await readTeamOverview(stateFolder, name, clock).catch(() => undefined)
    if (team?.lead === undefined || team.members.some((member) => isRunning(member, me))) continue
    rmSync(folder, { recursive: true, force: true })
    removed.push(name)
  }
  return removed
}

/** Removes a team or task list that nobody uses now. The failure is a sentence. */
export function removeTeam(
  stateFolder: string,
  { name, members }: TeamOverview,
  runs: (member: Member) => boolean,
): Result<void, string> {
  const running = members.filter(runs)
  const [first] = running
  if (first) {
    const names = running.map((member) => member.name).join(", ")
    return failed(`${name} is in use: ${names} (process ${first.pid}). Quit that session first.`)
  }
  rmSync(dirname(teamFile(stateFolder, name)), { recursive: true, force: true })
  return ok(undefined)
}

const changedIn = (folder: string): number =>
  Math.max(...readdirSync(folder).map((name) => statsOf(join(folder, name))?.mtimeMs ?? 0), 0)
