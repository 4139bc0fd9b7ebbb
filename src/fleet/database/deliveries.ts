/** What waits, as letters to addresses: rows, so that a restart loses none. */

import { type ApprovalRow, inShort, lettersFrom } from "./approvals.ts"
import { addAudit, type Db } from "./transaction.ts"
import { type FleetSession, programNames } from "#fleet/records.ts"
import type { Delivery, FleetDeliveries } from "#fleet/store/telling.ts"
import { now } from "./tables.ts"

/** 5 s after the first attempt, then four times as long each time: the last is about eight hours after the first. */
const firstPauseMs = 5_000
const mostAttempts = 8

interface DueRow extends ApprovalRow {
  readonly delivery: string
  readonly url: string
  readonly attempts: number
  readonly session_title: string
  readonly stage: FleetSession["stage"]
  readonly created_by: string
}

export function openDeliveries(db: Db): FleetDeliveries {
  return {
    delivered: async (url) =>
      void (await db.rows(
        `insert into fleet_hooks (url, since) select $1, coalesce(max(opened), 0) from fleet_approvals where state = 'open' on conflict do nothing`,
        [url],
      )),
    catchUp: async (urls) =>
      void (await db.rows(
        lettersFrom(
          `fleet_approvals as asked join fleet_hooks as hook on asked.opened > hook.since
           where asked.state = 'open' and hook.url = any($1::text[]) and not exists (
             select from fleet_deliveries as letter where letter.url = hook.url and letter.session = asked.session
             and letter.approval = asked.id and letter.digest = asked.digest and letter.opened = asked.opened)`,
        ),
        [urls],
      )),
    due: (urls, limit) =>
      db.write(async (sql) => {
        // Nobody has to be told of what was decided.
        await sql.rows(
          `delete from fleet_deliveries as letter where next_at is not null and not exists (
             select from fleet_approvals as asked where asked.session = letter.session and asked.id = letter.approval
             and asked.digest = letter.digest and asked.opened = letter.opened and asked.state = 'open')`,
        )
        const abandoned = await sql.rows<{ session: string; approval: string; url: string }>(
          `update fleet_deliveries set next_at = null where next_at <= ${now} and attempts >= ${mostAttempts}
           and url = any($1::text[]) returning session, approval, url`,
          [urls],
        )
        for (const { session, approval, url } of abandoned)
          await addAudit(sql, programNames.webhooks, `gave up telling ${new URL(url).host}`, {
            sessionId: session,
            approvalId: approval,
          })
        const taken = await sql.rows<{ id: string }>(
          `update fleet_deliveries set attempts = attempts + 1, next_at = ${now} + ${firstPauseMs} * power(4, attempts)
           where id in (
             select id from fleet_deliveries where next_at <= ${now} and url = any($1::text[])
             order by next_at for update skip locked limit $2::integer
           ) returning id`,
          [urls, limit],
        )
        const rows = await sql.rows<DueRow>(
          `select asked.*, false as is_late, letter.id as delivery, letter.url, letter.attempts,
             session.title as session_title, session.stage, session.created_by
           from fleet_deliveries as letter
           join fleet_approvals as asked on asked.session = letter.session and asked.id = letter.approval and asked.digest = letter.digest
           join fleet_sessions as session on session.id = letter.session
           where letter.id = any($1::bigint[]) order by letter.id`,
          [taken.map(({ id }) => id)],
        )
        return rows.map(asDelivery)
      }),
    done: async (id) => void (await db.rows("update fleet_deliveries set next_at = null where id = $1", [id])),
    postpone: async (id, forMs) =>
      void (await db.rows(
        `update fleet_deliveries set next_at = ${now} + $2::double precision, attempts = attempts - 1 where id = $1`,
        [id, forMs],
      )),
    async dueInMs(urls) {
      const [found] = await db.rows<{ ms: number | null }>(
        `select min(next_at) - ${now} as ms from fleet_deliveries where next_at is not null and url = any($1::text[])`,
        [urls],
      )
      return found?.ms ?? undefined
    },
  }
}

const asDelivery = (row: DueRow): Delivery => ({
  id: row.delivery,
  url: row.url,
  attempts: row.attempts,
  approval: inShort(row),
  session: { id: row.session, title: row.session_title, stage: row.stage, createdBy: row.created_by },
})
