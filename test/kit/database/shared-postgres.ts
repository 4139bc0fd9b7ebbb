/**
 * Run by `npm test`: one Postgres for all tests, until whoever started it goes. Prints its address. New databases on it
 * are copies of one that has our tables already: making them takes twice as long.
 */

import { openFleetStore } from "#fleet/database/open-store.ts"
import { valueOf } from "../team/conformance.ts"
import { opened } from "./databases.ts"
import { hasPostgres, readyDatabase, startPostgres } from "./postgres-server.ts"

if (hasPostgres) {
  await using server = await startPostgres()
  const admin = new Bun.SQL(server.url, { max: 1 })
  await admin.unsafe(`create database ${readyDatabase}`)
  await admin.close()
  const database = await opened({
    kind: "server",
    url: Object.assign(new URL(server.url), { pathname: `/${readyDatabase}` }).href,
  })
  await valueOf(await openFleetStore(database)).close()
  await database.close()
  process.stdout.write(`${server.url}\n`)
  // Nobody writes anything; it ends with whoever started us, however that was.
  await new Response(Bun.stdin.stream()).text()
}
