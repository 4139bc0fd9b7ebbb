/** Which worker holds which session. The row of a session is also its place in the queue, so the two cannot disagree. See decision 79. */

import type { Sql, SqlValue } from "#lib/database.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { askFor } from "./approvals.ts"
import { addEvent, type Db, notifyChange, topic, wakeLead } from "./transaction.ts"
import type { Lease, NewWorker, SessionNews } from "#fleet/records.ts"
import { addSpending } from "./spending.ts"
import type { Fenced, FleetLeases } from "#fleet/store.ts"
import { now } from "./tables.ts"

/** A session that ended so many workers in a row is not tried again. */
const mostAttempts = 25

/** A worker that was not heard of for so long is not shown any more. */
const forgottenMs = 24 * 60 * 60 * 1000

const due = `wake_at <= ${now} and (worker is null or lease_until < ${now})`

export function openLeases(db: Db): FleetLeases {
  return {
    acquire: (worker, forMs) =>
      db.write(async (sql) => {
        const [taken] = await sql.rows<{ id: string; fence: number; created_by: string }>(
          `update fleet_sessions set worker = $1, fence = fence + 1, lease_until = ${now} + $2::double precision,
             attempts = attempts + 1, taken_wakes = wakes
           where id = (
             select id from fleet_sessions where ${due} and attempts < ${mostAttempts} and labels <@ (select labels from fleet_workers where id = $1)
               and (folder is null or coalesce(starts_with(folder, (select workplaces from fleet_workers where id = $1) || '/'), true))
             order by wake_at for update skip locked limit 1
           ) returning id, fence, created_by`,
          [worker, forMs],
        )
        if (!taken) return undefined
        await sql.notify(topic, taken.id)
        await tellHeld(sql, taken.created_by)
        return { sessionId: taken.id, worker, fence: taken.fence }
      }),
    beat: (worker, leases, forMs) =>
      db.write(async (sql) => {
        await register(sql, worker)
        await giveUp(sql)
        await forgetWorkers(sql)
        // Always in the same order, so that two who do this never wait for each other.
        const held: Lease[] = []
        for (const lease of leases.toSorted((a, b) => (a.sessionId < b.sessionId ? -1 : 1))) {
          const kept = await sql.rows(
            `update fleet_sessions set lease_until = ${now} + $4::double precision
             where id = $1 and fence = $2 and worker = $3 returning id`,
            [...keyOf(lease), forMs],
          )
          if (kept.length > 0) held.push(lease)
        }
        return held
      }),
    attend: async (lease) => {
      const [row] = await db.rows<{ wakes: number; woken: boolean }>(
        "select wakes, wakes > taken_wakes as woken from fleet_sessions where id = $1 and fence = $2 and worker = $3",
        keyOf(lease),
      )
      if (!row) return fenced
      if (row.woken)
        await db.rows(
          "update fleet_sessions set taken_wakes = $4 where id = $1 and fence = $2 and worker = $3 and taken_wakes < $4",
          [...keyOf(lease), row.wakes],
        )
      return ok(row.wakes)
    },
    settle: async (lease, folder) => {
      const [row] = await db.rows<{ folder: string }>(
        "update fleet_sessions set folder = coalesce(folder, $4) where id = $1 and fence = $2 and worker = $3 returning folder",
        [...keyOf(lease), folder],
      )
      return row ? ok(row.folder) : fenced
    },
    report: (lease, news) =>
      db.write(async (sql) => {
        const of = await change(sql, lease, news, "")
        if (of === undefined) return fenced
        await tellStage(sql, lease, news)
        if (news.stage === undefined) await notifyChange(sql, { what: "sessions", of })
        return ok(undefined)
      }),
    park: (lease, news, approvals = []) =>
      db.write(async (sql) => {
        const aside = `, worker = null, lease_until = null, attempts = 0, wake_at = case when wakes > taken_wakes then ${now} end`
        const of = await change(sql, lease, news, aside)
        if (of === undefined) return fenced
        await sql.rows("delete from fleet_events where session = $1 and type = 'moment'", [lease.sessionId])
        await askFor(sql, lease.sessionId, approvals)
        await tellStage(sql, lease, news)
        await tellHeld(sql, of)
        if (news.stage === "failed") await wakeLead(sql, lease.sessionId)
        return ok(undefined)
      }),
    handOver: (lease) =>
      db.write(async (sql) => {
        const again = `, worker = null, lease_until = null, attempts = 0, wake_at = ${now}`
        const of = await change(sql, lease, {}, again)
        if (of === undefined) return fenced
        await sql.notify(topic, lease.sessionId)
        await tellHeld(sql, of)
        return ok(undefined)
      }),
    async workers() {
      const found = await db.rows<NewWorker & { seen_at: number; busy: number }>(
        `select worker.*, (select count(*)::integer from fleet_sessions where fleet_sessions.worker = worker.id) as busy
         from fleet_workers as worker order by id`,
      )
      return found.map(({ id, pid, host, slots, labels, busy, seen_at: seenAt }) => {
        return { id, pid, host, slots, labels, busy, seenAt }
      })
    },
    leave: (worker) =>
      db.write(async (sql) => {
        await sql.rows("update fleet_sessions set lease_until = 0 where worker = $1", [worker])
        await sql.rows("delete from fleet_workers where id = $1", [worker])
        await sql.notify(topic, "")
        await notifyChange(sql, { what: "workers", of: undefined })
      }),
  }
}

const fenced: Result<never, Fenced> = failed({ kind: "fenced" })

const keyOf = ({ sessionId, fence, worker }: Lease): readonly SqlValue[] => [sessionId, fence, worker]

async function register(sql: Sql, { id, pid, host, slots, labels, workplaces }: NewWorker): Promise<void> {
  const [known] = await sql.rows<{ same: boolean }>(
    "select slots = $2::integer and labels = $3::text[] as same from fleet_workers where id = $1",
    [id, slots, labels],
  )
  await sql.rows(
    `insert into fleet_workers (id, pid, host, slots, labels, workplaces, seen_at) values ($1, $2, $3, $4, $5::text[], $6, ${now})
     on conflict (id) do update set pid = excluded.pid, host = excluded.host, slots = excluded.slots, labels = excluded.labels, workplaces = excluded.workplaces, seen_at = excluded.seen_at`,
    [id, pid, host, slots, labels, workplaces ?? null],
  )
  // That it is still there is no news.
  if (!known?.same) await notifyChange(sql, { what: "workers", of: undefined })
}

async function giveUp(sql: Sql): Promise<void> {
  const text = `It was begun ${mostAttempts} times, and each time its worker ended without a word.`
  const given = await sql.rows<{ id: string }>(
    `update fleet_sessions set stage = 'failed', result = $1, worker = null, lease_until = null, wake_at = null, fence = fence + 1
     where attempts >= ${mostAttempts} and ${due} returning id`,
    [JSON.stringify({ ok: false, text })],
  )
  for (const { id } of given) {
    await addEvent(sql, id, "stage", { stage: "failed" })
    await wakeLead(sql, id)
  }
}

/** Forgets workers that have not reported for a day; a dead machine cannot sign off. */
async function forgetWorkers(sql: Sql): Promise<void> {
  await sql.rows(
    `delete from fleet_workers where id in (
       select id from fleet_workers where seen_at < ${now} - ${forgottenMs} for update skip locked
     )`,
  )
}

/** Returns who created the session; undefined if the lease no longer holds. */
async function change(sql: Sql, lease: Lease, news: SessionNews, more: string): Promise<string | undefined> {
  const { title, mode, model, stage, clarifiedQuery, plan, gates, costUsd, result } = news
  const values: Record<string, SqlValue> = {
    ...(title !== undefined && { title }),
    ...(mode !== undefined && { mode }),
    ...(model !== undefined && { model }),
    ...(stage !== undefined && { stage }),
    ...(clarifiedQuery !== undefined && { clarified_query: clarifiedQuery }),
    ...(plan !== undefined && { plan: JSON.stringify(plan) }),
    ...(gates !== undefined && { gates: JSON.stringify(gates) }),
    ...(costUsd !== undefined && { cost_usd: costUsd }),
    ...(result !== undefined && { result: JSON.stringify(result) }),
  }
  if (costUsd !== undefined) await addSpending(sql, lease, costUsd)
  const set = Object.keys(values).map((column, at) => `, ${column} = $${at + 4}`)
  const [changed] = await sql.rows<{ created_by: string }>(
    `update fleet_sessions set updated_at = ${now}${set.join("")}${more} where id = $1 and fence = $2 and worker = $3 returning created_by`,
    [...keyOf(lease), ...Object.values(values)],
  )
  return changed?.created_by
}

/** Whoever holds a session is shown with it, and with the worker. */
async function tellHeld(sql: Sql, of: string): Promise<void> {
  await notifyChange(sql, { what: "sessions", of })
  await notifyChange(sql, { what: "workers", of: undefined })
}

async function tellStage(sql: Sql, { sessionId }: Lease, { stage }: SessionNews): Promise<void> {
  if (stage === undefined) await sql.notify(topic, sessionId)
  else await addEvent(sql, sessionId, "stage", { stage })
}
