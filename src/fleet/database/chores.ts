/** What a fleet does by itself now and then, whichever worker does it: it finds what nobody tells of. */

import type { FleetApproval } from "#fleet/records.ts"
import { expireApprovals } from "./approvals.ts"
import { wakeWorker } from "./notices.ts"
import { mostAttempts, overdue } from "./queue.ts"
import { wakeLongQueued } from "./quotas.ts"
import { addEvent, type Db, wakeLead } from "./transaction.ts"
import { now } from "./tables.ts"

/** A worker that was not heard of for so long is not shown any more. */
const forgottenMs = 24 * 60 * 60 * 1000

/** A worker that was told takes what is due at once. */
const overdueMs = 2_000
/** Of each kind of what is due; the next time it is the turn of others. */
const mostTold = 20

export async function doChores(db: Db): Promise<readonly FleetApproval[]> {
  await db.rows(
    `with lost as (
       update fleet_sessions set is_lost = true where id in (
         select id from fleet_sessions where worker is not null and lease_until < ${now} and not is_lost for update skip locked
       )
     ),
     forgotten as (
       delete from fleet_workers where id in (select id from fleet_workers where seen_at < ${now} - ${forgottenMs} for update skip locked)
     )
     delete from fleet_watched where what in (select what from fleet_watched where until < ${now} for update skip locked)`,
  )
  await giveUp(db)
  await wakeLongQueued(db)
  const expired = await expireApprovals(db)
  for (const { labels, folder } of await db.rows<DueRow>(overdue(overdueMs, mostTold)))
    await wakeWorker(db, labels, folder)
  return expired
}

interface DueRow {
  readonly labels: readonly string[]
  readonly folder: string | null
}

async function giveUp(db: Db): Promise<void> {
  const text = `It was begun ${mostAttempts} times, and each time its worker ended without a word.`
  const hopeless = `attempts >= ${mostAttempts} and wake_at <= ${now} and (worker is null or lease_until < ${now})`
  const found = await db.rows<{ id: string }>(`select id from fleet_sessions where ${hopeless} order by id`)
  for (const { id } of found)
    await db.write(async (sql) => {
      const abandoned = await sql.rows(
        `update fleet_sessions set stage = 'failed', result = $2, worker = null, lease_until = null, wake_at = null, fence = fence + 1
         where id = $1 and ${hopeless} returning id`,
        [id, JSON.stringify({ ok: false, text })],
      )
      if (abandoned.length === 0) return
      await addEvent(sql, id, "stage", { stage: "failed" })
      await wakeLead(sql, id)
    })
}
