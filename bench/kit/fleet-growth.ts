/**
 * How many blocks the database touches for each function of a fleet's store, when so many sessions are finished: made by SQL. Blocks and not times, which
 * say more about what else the machine does. Prints lines of JSON; run by `bench/fleet.ts`, also in an earlier version.
 */

import { openFleetStore } from "#fleet/database/open-store.ts"
import { openDatabase } from "#ground/database/open.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { startPostgres } from "../../test/kit/database/postgres-server.ts"
import { explained } from "../../test/kit/fleet/explained.ts"
import { fillFleet, fillPage } from "../../test/kit/fleet/many-rows.ts"
import { storeCalls } from "../../test/kit/fleet/store-calls.ts"

const sizes = (process.argv[2] ?? "1000").split(",").map(Number)

for (const finished of sizes) {
  await using postgres = await startPostgres()
  // A million sessions are made by statements that take minutes.
  const place = { kind: "server", url: postgres.url, silentMs: 3_600_000 } as const
  const database = await openDatabase(place, { clock: systemClock, ids: systemIds })
  if (!database.ok) throw new Error(JSON.stringify(database.failure))
  const counted = explained(database.value)
  const opened = await openFleetStore(counted.database)
  if (!opened.ok) throw new Error(JSON.stringify(opened.failure))
  const store = opened.value
  await fillFleet(database.value, finished, 0)
  await fillPage(database.value)
  // Otherwise each index on words has a list of new entries that whoever comes next reads or sorts in.
  await database.value.rows("vacuum")
  const blocks: { [name: string]: number } = {}
  for (const [name, call] of Object.entries(storeCalls(store))) {
    counted.drain()
    // An earlier version has not all of them.
    const isThere = await call().then(
      () => true,
      () => false,
    )
    if (isThere) blocks[name] = counted.drain().reduce((sum, statement) => sum + statement.blocks, 0)
  }
  console.log(JSON.stringify({ finished, ...blocks }))
  await store.close()
  await database.value.close()
}
process.exit(0)
