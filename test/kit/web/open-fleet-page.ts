/** The page of a seeded fleet on a socket. */

import { openPageFiles } from "#faces/web/page-files.ts"
import { embeddedIn, opened } from "../database/databases.ts"
import { openTestServer, type TestServer } from "../fleet/web-server.ts"
import type { TemporaryFolder } from "../tmp.ts"
import { seedFleet } from "./seeds.ts"

export async function openFleetPage(folder: Pick<TemporaryFolder, "join">): Promise<TestServer> {
  const database = await opened(await embeddedIn(folder))
  const server = await openTestServer(database, { page: openPageFiles(), visibility: "all" })
  await seedFleet(server.store)
  return {
    ...server,
    async close() {
      await server.close()
      await database.close()
    },
  }
}
