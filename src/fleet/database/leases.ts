/** Which worker holds which session. The row of a session is also its place in the queue, so the two cannot disagree. See decisions 79 and 154. */

import type { Sql, SqlValue } from "#lib/database.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { askFor } from "./approvals.ts"
import { doChores } from "./chores.ts"
import { listsChanged, sessionTopic, tellLists, tellSession, wakeWorker } from "./notices.ts"
import { addEvent, afterWake, type Db, wakeLead, wokenColumns, type WokenRow } from "./transaction.ts"
import { mostAttempts, nextDue } from "./queue.ts"
import { acquireWithin, wakeQueued } from "./quotas.ts"
import type { Lease, NewWorker, SessionNews } from "#fleet/records.ts"
import type { Fenced } from "#fleet/store/failures.ts"
import type { FleetLeases } from "#fleet/store/sessions.ts"
import { now, today } from "./tables.ts"

/** What a fleet does by itself is done so often, by whichever worker comes first. */
const mostChoresMs = 5_000

export function openLeases(db: Db): FleetLeases {
  return {
    acquire(worker, forMs, { fills = false, quotas = {} } = {}) {
      const { userSessions, repositorySessions } = quotas
      const lease: LeaseWish = { worker, forMs, fills }
      if (userSessions === undefined && repositorySessions === undefined) return acquireLease(db, lease)
      return acquireWithin(db, worker, quotas, (sql, id) => acquireLease(sql, lease, id))
    },
    async makeRoom(worker) {
      await db.rows("update fleet_workers set has_room = true where id = $1", [worker])
    },
    async beat(worker, leases, forMs) {
      const idle = leases.length === 0 ? await idleBeat(db, worker, forMs) : []
      const rows = idle.length > 0 ? idle : await beat(db, worker, leases, forMs)
      if (rows.some(({ claimed }) => claimed)) await doChores(db)
      return leases.filter(({ sessionId, fence }) => rows.some((row) => row.id === sessionId && row.fence === fence))
    },
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
    async report(lease, news) {
      const { stage } = news
      if (stage === undefined) return (await change(db, lease, news, "spent at once")) ? ok(undefined) : fenced
      return db.write(async (sql) => {
        const changed = await change(sql, lease, news, "spent later")
        if (!changed) return fenced
        await addEvent(sql, lease.sessionId, "stage", { stage })
        await spend(sql, changed)
        return ok(undefined)
      })
    },
    park: (lease, news, approvals = []) =>
      db.write(async (sql) => {
        const aside = `, worker = null, lease_until = null, attempts = 0, wake_at = case when wakes > taken_wakes then ${now} end`
        const parked = await change(sql, lease, news, "spent later", aside)
        if (!parked) return fenced
        await askFor(sql, lease.sessionId, approvals)
        if (news.stage !== undefined) await addEvent(sql, lease.sessionId, "stage", { stage: news.stage })
        if (news.stage === "failed") await wakeLead(sql, lease.sessionId)
        if (parked.has_queued) await wakeQueued(sql, parked.created_by, parked.repository)
        if (parked.wake_at !== null) await wakeWorker(sql, parked.labels, parked.folder)
        await spend(sql, parked)
        return ok(undefined)
      }),
    handOver: (lease) =>
      db.write(async (sql) => {
        const again = `, worker = null, lease_until = null, attempts = 0, wake_at = ${now}`
        const handed = await change(sql, lease, {}, "spent at once", again)
        if (!handed) return fenced
        await wakeWorker(sql, handed.labels, handed.folder)
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
        await sql.rows("delete from fleet_workers where id = $1", [worker])
        const left = await sql.rows<WokenRow>(
          `update fleet_sessions set lease_until = 0, is_lost = true where worker = $1 returning ${wokenColumns}`,
          [worker],
        )
        for (const session of left) await afterWake(sql, { ...session, worker: null })
        await listsChanged(sql, { what: "workers", of: undefined })
      }),
  }
}

const fenced: Result<never, Fenced> = failed({ kind: "fenced" })

const keyOf = ({ sessionId, fence, worker }: Lease): readonly SqlValue[] => [sessionId, fence, worker]

interface LeaseWish {
  readonly worker: string
  readonly forMs: number
  readonly fills: boolean
}

/** The session that is due first, or the one that is named. */
async function acquireLease(
  sql: Pick<Sql, "rows">,
  { worker, forMs, fills }: LeaseWish,
  id?: string,
): Promise<Lease | undefined> {
  const next = id === undefined ? nextDue("$1") : "with next as (select $4::text as id)"
  const [taken] = await sql.rows<{ id: string; fence: number }>(
    `${next},
     taken as (
       update fleet_sessions set worker = $1, fence = fence + 1, lease_until = ${now} + $2::double precision,
         attempts = attempts + 1, taken_wakes = wakes, is_lost = false, waits_for = null
       where id = (select id from next) returning id, fence, created_by
     ),
     filled as (update fleet_workers set has_room = false where id = $1 and $3::boolean and exists (select from taken))
     select id, fence, ${tellLists("sessions", "created_by")}, ${tellLists("workers")} from taken`,
    [worker, forMs, fills, ...(id === undefined ? [] : [id])],
  )
  return taken && { sessionId: taken.id, worker, fence: taken.fence }
}

interface BeatRow {
  readonly id: string | null
  readonly fence: number | null
  readonly claimed: boolean
}

/** How old the last chores are when they are due again. */
const choresAfter = (forMs: number): number => Math.min(mostChoresMs, forMs / 6)

const choresDue = (afterMs: string): string =>
  `select name from fleet_chores where name = 'fleet' and done_at <= ${now} - ${afterMs}::double precision`

/**
 * Of a worker that is known and holds nothing. Many beat on a connection of their own, for which planning a statement about sessions and all of their
 * indexes costs more than everything else. Nothing when it is not known as it is now.
 */
function idleBeat(db: Db, { takesMore = true, ...worker }: NewWorker, forMs: number): Promise<readonly BeatRow[]> {
  const { id, pid, slots, labels, workplaces } = worker
  return db.rows<BeatRow>(
    `with here as (
       update fleet_workers set seen_at = ${now}, has_room = $6
       where id = $1 and pid = $2::integer and slots = $3::integer and labels = $4::text[] and workplaces is not distinct from $5::text returning id
     ),
     claimed as (
       update fleet_chores set done_at = ${now} where name in (${choresDue("$7")} and exists (select from here) for update skip locked) returning name
     )
     select null as id, null as fence, exists (select from claimed) as claimed from here`,
    [id, pid, slots, labels, workplaces ?? null, takesMore, choresAfter(forMs)],
  )
}

/**
 * A row that somebody has locked is not waited for: its lease lasts for three more beats, and a process that stops within a transaction must not
 * take those of others with it.
 */
function beat(db: Db, worker: NewWorker, leases: readonly Lease[], forMs: number): Promise<readonly BeatRow[]> {
  const { id, pid, host, slots, labels, workplaces, takesMore = true } = worker
  return db.rows<BeatRow>(
    `with known as (select from fleet_workers where id = $1 and slots = $4::integer and labels = $5::text[]),
     here as (
       insert into fleet_workers (id, pid, host, slots, labels, workplaces, seen_at, has_room)
       values ($1, $2, $3, $4::integer, $5::text[], $6, ${now}, $7)
       on conflict (id) do update set pid = excluded.pid, host = excluded.host, slots = excluded.slots, labels = excluded.labels,
         workplaces = excluded.workplaces, seen_at = excluded.seen_at, has_room = excluded.has_room
     ),
     held as (
       select session.id, session.fence from fleet_sessions as session
       join unnest($8::text[], $9::text[]) as given (id, fence) on session.id = given.id and session.fence = given.fence::integer
       where session.worker = $1
     ),
     renewed as (
       update fleet_sessions set lease_until = ${now} + $10::double precision, is_lost = false
       where id in (select id from fleet_sessions where id in (select id from held) and worker = $1 for update skip locked)
     ),
     claimed as (
       update fleet_chores set done_at = ${now} where name in (
         select name from fleet_chores where name = 'fleet'
           and (done_at <= ${now} - $11::double precision or exists (select from fleet_sessions where attempts >= ${mostAttempts} and wake_at is not null))
         for update skip locked
       ) returning name
     )
     select held.id, held.fence, exists (select from claimed) as claimed,
       case when not exists (select from known) then ${tellLists("workers")} end
     from (select 1) as one left join held on true`,
    [
      id,
      pid,
      host,
      slots,
      labels,
      workplaces ?? null,
      takesMore && leases.length < slots,
      leases.map(({ sessionId }) => sessionId),
      leases.map(({ fence }) => String(fence)),
      forMs,
      choresAfter(forMs),
    ],
  )
}

interface ChangedRow {
  readonly labels: readonly string[]
  readonly folder: string | null
  readonly wake_at: number | null
  readonly created_by: string
  readonly repository: string | null
  /** By how much its cost has grown. */
  readonly grown: number
  /** Whether any session waits until there are fewer at work. */
  readonly has_queued: boolean
}

/** The sums of a day, by person and by repository: `of` has what a session cost more, as a part of the same statement. */
const spending = (of: string): string =>
  `spent as (
     insert into fleet_spending (day, who, usd) select ${today}, created_by, grown from ${of} where grown > 0
     on conflict (day, who) do update set usd = fleet_spending.usd + excluded.usd
   ),
   spent_in as (
     insert into fleet_spending_in (day, repository, usd) select ${today}, repository, grown from ${of} where repository is not null and grown > 0
     on conflict (day, repository) do update set usd = fleet_spending_in.usd + excluded.usd
   )`

/**
 * Last in its transaction: all sessions of a person or repository add to the same row, which is locked until the end. With other statements after it,
 * a thousand sessions of one person would end one after the other, each waiting for several answers that another one gets.
 */
async function spend(sql: Pick<Sql, "rows">, { created_by: by, repository, grown }: ChangedRow): Promise<void> {
  if (grown <= 0) return
  await sql.rows(
    `with cost as (select $1::text as created_by, $2::text as repository, $3::double precision as grown), ${spending("cost")} select 1`,
    [by, repository, grown],
  )
}

/** Nothing if the lease no longer holds. The cost of a session is told as a whole; what it grew by was spent today. */
async function change(
  sql: Pick<Sql, "rows">,
  lease: Lease,
  news: SessionNews,
  cost: "spent at once" | "spent later",
  more = "",
): Promise<ChangedRow | undefined> {
  const { title, mode, model, stage, clarifiedQuery, plan, gates, costUsd, result } = news
  const values: Record<string, SqlValue> = {
    ...(title !== undefined && { title }),
    ...(mode !== undefined && { mode }),
    ...(model !== undefined && { model }),
    ...(stage !== undefined && { stage }),
    ...(clarifiedQuery !== undefined && { clarified_query: clarifiedQuery }),
    ...(plan !== undefined && { plan: JSON.stringify(plan) }),
    ...(gates !== undefined && { gates: JSON.stringify(gates) }),
    ...(result !== undefined && { result: JSON.stringify(result) }),
  }
  const set = Object.keys(values).map((column, at) => `, ${column} = $${at + 6}`)
  const isReleased = more !== ""
  const [changed] = await sql.rows<ChangedRow>(
    `with before as (
       select greatest(coalesce($5::double precision - cost_usd, 0), 0) as grown, created_by, repository
       from fleet_sessions where id = $1 and fence = $2 and worker = $3 for update),
     ${cost === "spent at once" ? `${spending("before")},` : ""}
     ${isReleased ? "passed as (delete from fleet_events where session = $1 and type = 'moment' and exists (select from before))," : ""}
     changed as (
       update fleet_sessions set updated_at = ${now}, cost_usd = coalesce($5::double precision, cost_usd)${set.join("")}${more}
       where id = $1 and fence = $2 and worker = $3 and exists (select from before) returning created_by, repository, labels, folder, wake_at
     )
     select labels, folder, wake_at, created_by, repository, (select grown from before) as grown, exists (select from fleet_sessions where waits_for is not null) as has_queued, ${tellSession("$1", "$4")}, ${tellLists("sessions", "created_by")}${isReleased ? `, ${tellLists("workers")}` : ""} from changed`,
    [...keyOf(lease), sessionTopic(lease.sessionId), costUsd ?? null, ...Object.values(values)],
  )
  return changed
}
