/** Where we are and where our own things are, for commands that need no settings. */

import { realpathSync } from "node:fs"
import { join } from "node:path"
import { processEnvironment, readEnvironment } from "#ground/settings/environment.ts"
import { homeFolder, stateFolder } from "#ground/settings/state-folder.ts"

export interface Where {
  readonly home: string
  readonly state: string
  readonly cwd: string
  readonly projects: string
  readonly catalog: string
}

export function whereWeAre(): Where {
  const environment = readEnvironment(processEnvironment())
  const home = homeFolder(environment)
  const state = stateFolder(environment, home)
  return {
    home,
    state,
    cwd: realpathSync(process.cwd()),
    projects: join(state, "projects"),
    catalog: join(state, "cache", "sessions.sqlite"),
  }
}
