/** Where the statements of a fleet run: on the database, or within a transaction that is under way. */

import type { Database, Sql } from "#lib/database.ts"
import type { AuditDetails } from "#fleet/records.ts"
import { topic as teamTopic } from "#ground/team/postgres.ts"
import { sessionTopic, tellHolder, tellLists, tellSession, wakeWorker } from "./notices.ts"
import { now } from "./tables.ts"

export interface Db extends Pick<Sql, "rows"> {
  /** All of it or nothing. Whoever is told of a session is told afterwards. */
  readonly write: <T>(work: (sql: Sql) => Promise<T>) => Promise<T>
}

export const onDatabase = (database: Database): Db => ({
  rows: database.rows,
  // Every transaction locks the rows it is about before it looks at them.
  write: (work) => database.transaction(work, { locks: "its own" }),
})

export const withinTransaction = (sql: Sql): Db => ({ rows: sql.rows, write: (work) => work(sql) })

/** Numbered within the session, whose row this locks. */
export async function addEvent(sql: Sql, sessionId: string, type: "stage" | "approval", data: object): Promise<void> {
  await sql.rows(
    `with numbered as (update fleet_sessions set events = events + 1, updated_at = ${now} where id = $1 returning events, created_by),
     added as (insert into fleet_events (session, seq, type, data) select $1, events, $2, $3 from numbered)
     select ${tellSession("$1", "$4")}, ${tellLists(type === "stage" ? "sessions" : "approvals", "created_by")} from numbered`,
    [sessionId, type, JSON.stringify(data), sessionTopic(sessionId)],
  )
}

export async function addAudit(
  sql: Pick<Sql, "rows">,
  who: string,
  what: string,
  {
    sessionId,
    approvalId,
    details,
  }: { readonly sessionId?: string; readonly approvalId?: string; readonly details?: AuditDetails | undefined } = {},
): Promise<void> {
  await sql.rows(
    `insert into fleet_audit (at, who, what, session, approval, details, session_title)
     values (${now}, $1, $2, $3, $4, $5, (select title from fleet_sessions where id = $3))`,
    [who, what, sessionId ?? null, approvalId ?? null, details ? JSON.stringify(details) : null],
  )
}

/** The lead of a session that will not go on sees to its team. */
export async function wakeLead(sql: Sql, sessionId: string): Promise<void> {
  const statement = "select lead from fleet_sessions where id = $1 and lead is not null"
  const [row] = await sql.rows<{ lead: string }>(statement, [sessionId])
  if (!row || !(await wakeUp(sql, row.lead))) return
  // Perhaps it is open, and looks when its team changes.
  const teams = await sql.rows<{ team: string }>(
    "select team from team_members where session_id = $2 and starts_with(team, $1 || '/')",
    [row.lead, sessionId.slice(row.lead.length + 1)],
  )
  for (const { team } of teams) await sql.notify(teamTopic, team)
}

/** Some worker takes it now, or after whoever holds it has let go. Returns whether there is such a session, and it was not cancelled. */
export async function wakeUp(sql: Sql, sessionId: string): Promise<boolean> {
  const [woken] = await sql.rows<WokenRow>(
    `update fleet_sessions set wakes = wakes + 1, wake_at = least(coalesce(wake_at, ${now}), ${now})
     where id = $1 and stage <> 'cancelled' returning ${wokenColumns}`,
    [sessionId],
  )
  if (woken) await afterWake(sql, woken)
  return woken !== undefined
}

export interface WokenRow {
  readonly id: string
  readonly worker: string | null
  readonly labels: readonly string[]
  readonly folder: string | null
}

export const wokenColumns = "id, worker, labels, folder"

/** Whoever holds it is told, or else a worker that may take it. */
export const afterWake = (sql: Pick<Sql, "rows">, { id, worker, labels, folder }: WokenRow): Promise<void> =>
  worker === null ? wakeWorker(sql, labels, folder) : tellHolder(sql, worker, id)
