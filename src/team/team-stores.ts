/** Where a session keeps its teams: in files of this machine, or wherever the sessions of a fleet are kept. */

import { existsSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import type { TeamAbout, TeamStore } from "#agent/words/team.ts"
import type { Clock } from "#lib/clock.ts"
import { teamFile } from "./place.ts"

export interface TeamStores {
  readonly has: (team: string) => Promise<boolean>
  /** It is made if it does not exist. */
  readonly open: (about: TeamAbout) => Promise<TeamStore>
  readonly remove: (team: string) => Promise<void>
  /** For the plans of members. Questions name these files, so they are in the same place whenever the team continues. */
  readonly plans: (team: string) => string
  /** `elsewhere`: that nobody else runs the team is seen to by whoever opened the session, and its earlier process may have others to run. */
  readonly guarded: "here" | "elsewhere"
}

export const fileTeamStores = (stateFolder: string, clock: Clock): TeamStores => {
  const folderOf = (team: string): string => dirname(teamFile(stateFolder, team))
  return {
    has: async (team) => existsSync(teamFile(stateFolder, team)),
    async open(about) {
      const { openTeamStore } = await import("#ground/team/store.ts")
      return openTeamStore({ path: teamFile(stateFolder, about.name), about, clock })
    },
    remove: async (team) => rmSync(folderOf(team), { recursive: true, force: true }),
    plans: (team) => join(folderOf(team), "plans"),
    guarded: "here",
  }
}
