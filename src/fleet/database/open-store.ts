/** The records of a fleet, in a database that may be shared. */

import { postgresTables as teamTables } from "#ground/team/tables.ts"
import type { Database, SchemaFailure, Sql } from "#lib/database.ts"
import type { JsonValue } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { openAudit } from "./audit.ts"
import { openDecisions } from "./approvals.ts"
import { openDecisionLinks } from "./decision-links.ts"
import { openChanges, openComments } from "./changes.ts"
import { type Db, onDatabase, withinTransaction } from "./transaction.ts"
import { openDeliveries } from "./deliveries.ts"
import { keyMs, openErasing } from "./erase.ts"
import { openFigures } from "./figures.ts"
import { openLeases } from "./leases.ts"
import { openLines } from "./lines.ts"
import { openNotifying } from "./notifying.ts"
import { openOps } from "./ops.ts"
import { openSessions } from "./sessions.ts"
import { openSharing } from "./sharing.ts"
import { openSpending } from "./spending.ts"
import type { FleetRecords, FleetStore, KeyFailure, OnceRequest } from "#fleet/store.ts"
import { fleetTables, now } from "./tables.ts"
import { openLists } from "./page-lists.ts"
import { pageTables } from "./page-tables.ts"
import { quotaTables } from "./quota-tables.ts"
import { openTeams } from "./teams.ts"
import { openTrees } from "./trees.ts"
import { openTokens } from "./tokens.ts"
import { openWatching } from "./watching.ts"

/** What is erased goes from the files of the database too, where they are this program's: once for all that is erased meanwhile. */
function openPurging({ purge }: Pick<Database, "purge">): {
  readonly begin: () => void
  readonly settled: () => Promise<void>
} {
  let running: Promise<void> = Promise.resolve()
  let isDue = false
  return {
    begin() {
      if (!purge || isDue) return
      isDue = true
      running = running.then(async () => {
        isDue = false
        // What is erased next tries it again.
        await purge().catch(() => undefined)
      })
    },
    settled: () => running,
  }
}

/** Whoever opened the database closes it. */
export async function openFleetStore(database: Database): Promise<Result<FleetStore, SchemaFailure>> {
  // Those of teams first: the fleet has indexes on them.
  for (const tables of [teamTables, fleetTables, pageTables, quotaTables]) {
    const prepared = await database.migrate(tables)
    if (!prepared.ok) return prepared
  }
  const purging = openPurging(database)
  const watching = openWatching(database)
  const stop = database.purge && (await watching.watchErased(() => purging.begin()))
  const db = onDatabase(database)
  return ok({
    ...recordsOn(db),
    teams: openTeams(database),
    once: (request, work) => db.write((sql) => once(sql, request, work)),
    ...watching,
    async close() {
      stop?.()
      await purging.settled()
      await watching.close()
    },
  })
}

const recordsOn = (db: Db): FleetRecords => ({
  sessions: openSessions(db),
  leases: openLeases(db),
  ops: openOps(db),
  lines: openLines(db),
  trees: openTrees(db),
  approvals: openDecisions(db),
  tokens: openTokens(db),
  spending: openSpending(db),
  figures: openFigures(db),
  deliveries: openDeliveries(db),
  notifying: openNotifying(db),
  decisionLinks: openDecisionLinks(db),
  erasing: openErasing(db),
  changes: openChanges(db),
  comments: openComments(db),
  lists: openLists(db),
  sharing: openSharing(db),
  ...openAudit(db),
})

async function once(
  sql: Sql,
  { who, key, digest }: OnceRequest,
  work: (records: FleetRecords) => Promise<JsonValue>,
): Promise<Result<JsonValue, KeyFailure>> {
  // Whoever comes with the same key meanwhile waits here until the first one is done.
  const [first] = await sql.rows(
    `insert into fleet_keys (who, key, digest, at) values ($1, $2, $3, ${now})
     on conflict (who, key) do update set digest = excluded.digest, answer = null, at = excluded.at
     where fleet_keys.at < ${now} - ${keyMs} returning key`,
    [who, key, digest],
  )
  if (!first) {
    const [before] = await sql.rows<{ digest: string; answer: string }>(
      "select digest, answer from fleet_keys where who = $1 and key = $2",
      [who, key],
    )
    return before?.digest === digest ? ok(JSON.parse(before.answer) as JsonValue) : failed({ kind: "key_reused" })
  }
  await sql.rows(
    `delete from fleet_keys where (who, key) in (
       select who, key from fleet_keys where at < ${now} - ${keyMs} limit 100 for update skip locked
     )`,
  )
  const answer = await work(recordsOn(withinTransaction(sql)))
  await sql.rows("update fleet_keys set answer = $3 where who = $1 and key = $2", [who, key, JSON.stringify(answer)])
  return ok(answer)
}
