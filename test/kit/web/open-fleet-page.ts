/** The page of a seeded fleet on a socket. */

import type { Database } from "#lib/database.ts"
import type { TeamStore } from "#agent/words/team.ts"
import { openPageFiles } from "#faces/web/page-files.ts"
import type { WebServerParts } from "#faces/web/server.ts"
import { openUsual } from "../database/engines.ts"
import { openTestServer, type TestServer } from "../fleet/web-server.ts"
import type { TemporaryFolder } from "../tmp.ts"
import { seedTeam } from "./seed-team.ts"
import { seedFleet } from "./seeds.ts"

export interface FleetPage extends TestServer {
  /** Of the session `s_tool`. */
  readonly team: TeamStore
  readonly rows: Database["rows"]
}

export async function openFleetPage(
  folder: Pick<TemporaryFolder, "join">,
  more: Partial<WebServerParts> = {},
): Promise<FleetPage> {
  const database = await openUsual(folder)
  const server = await openTestServer(database, {
    page: openPageFiles(),
    visibility: "all",
    ...more,
  })
  await seedFleet(server.store)
  const team = await seedTeam(database, "shop", "s_tool")
  return {
    ...server,
    team,
    rows: database.rows,
    async close() {
      await team.close()
      await server.close()
      await database.close()
    },
  }
}
