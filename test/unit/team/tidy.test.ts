/** Which teams are removed: those that nobody has used for long, and only those. */

import { existsSync, readdirSync, utimesSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, test } from "bun:test"
import { openTeamStore } from "#ground/team/store.ts"
import { systemClock } from "#lib/clock.ts"
import { leadName, listLead, teamFile } from "#team/place.ts"
import { removeOldTeams } from "#team/tidy.ts"
import { temporaryFolder } from "../../kit/tmp.ts"

const dead = { pid: 999_999_999, start: "1", host: "here" }
const alive = { pid: process.pid, start: "", host: "here" }

async function make(
  stateFolder: string,
  name: string,
  { lead = leadName, days, owner = dead }: { lead?: string; days: number; owner?: typeof dead },
): Promise<void> {
  const path = teamFile(stateFolder, name)
  const store = await openTeamStore({ path, about: { name, lead }, clock: systemClock })
  await store.roster.join({ name: lead, sessionId: "s", ...owner })
  await store.close()
  const at = systemClock.now() / 1000 - days * 24 * 60 * 60
  for (const file of readdirSync(dirname(path))) utimesSync(join(dirname(path), file), at, at)
}

test("only teams that nobody has used for so long are removed", async () => {
  using folder = temporaryFolder()
  const stateFolder = folder.path
  await make(stateFolder, "old", { days: 31 })
  await make(stateFolder, "fresh", { days: 29 })
  await make(stateFolder, "running", { days: 31, owner: alive })
  await make(stateFolder, "shared", { days: 31, lead: listLead })
  const removed = await removeOldTeams({ stateFolder, days: 30, clock: systemClock, pid: 1 })
  expect(removed).toEqual(["old"])
  const left = ["old", "fresh", "running", "shared"].filter((name) => existsSync(dirname(teamFile(stateFolder, name))))
  expect(left).toEqual(["fresh", "running", "shared"])
})
