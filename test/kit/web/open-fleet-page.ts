/** The page of a seeded fleet on a socket. */

import type { KeptTeam } from "#ground/team/store.ts"
import { systemClock } from "#lib/clock.ts"
import { lookAtTeamOf } from "#team/look.ts"
import { openPageFiles } from "#faces/web/page-files.ts"
import { embeddedIn, opened } from "../database/databases.ts"
import { openTestServer, type TestServer } from "../fleet/web-server.ts"
import type { TemporaryFolder } from "../tmp.ts"
import { seedTeam } from "./seed-team.ts"
import { seedFleet } from "./seeds.ts"

export interface FleetPage extends TestServer {
  /** Of the session `s_tool`. */
  readonly team: KeptTeam
}

export async function openFleetPage(folder: Pick<TemporaryFolder, "join">): Promise<FleetPage> {
  const database = await opened(await embeddedIn(folder))
  const server = await openTestServer(database, {
    page: openPageFiles(),
    visibility: "all",
    teamOf: (id) => lookAtTeamOf(folder.join("state"), id, systemClock),
  })
  await seedFleet(server.store)
  const team = await seedTeam(folder.join("state"), "shop", "s_tool")
  return {
    ...server,
    team,
    async close() {
      await team.close()
      await server.close()
      await database.close()
    },
  }
}
