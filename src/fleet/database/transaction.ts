/** Where the statements of a fleet run: on the database, or within a transaction that is under way. */

import { topic as teamTopic } from "#ground/team/postgres.ts"
import type { Database, Sql } from "#lib/database.ts"
import type { AuditDetails } from "#fleet/records.ts"
import { changingKinds, type FleetChange } from "#fleet/store.ts"
import { now } from "./tables.ts"

export interface Db extends Pick<Sql, "rows"> {
  /** All of it or nothing. Whoever is told of a session is told afterwards. */
  readonly write: <T>(work: (sql: Sql) => Promise<T>) => Promise<T>
}

export const topic = "fleet"
/** What people see in lists: told less often than what happens within sessions. */
export const changesTopic = "fleet_changes"

export const onDatabase = (database: Database): Db => ({
  rows: database.rows,
  // Every transaction locks the rows it is about before it looks at them.
  write: (work) => database.transaction(work, { locks: "its own" }),
})

export const withinTransaction = (sql: Sql): Db => ({ rows: sql.rows, write: (work) => work(sql) })

/** Numbered within the session, whose row this locks. */
export async function addEvent(sql: Sql, sessionId: string, type: "stage" | "approval", data: object): Promise<void> {
  const [row] = await sql.rows<{ created_by: string }>(
    `with numbered as (update fleet_sessions set events = events + 1, updated_at = ${now} where id = $1 returning events, created_by),
     added as (insert into fleet_events (session, seq, type, data) select $1, events, $2, $3 from numbered)
     select created_by from numbered`,
    [sessionId, type, JSON.stringify(data)],
  )
  await sql.notify(topic, sessionId)
  if (row) await notifyChange(sql, { what: type === "stage" ? "sessions" : "approvals", of: row.created_by })
}

export const notifyChange = (sql: Sql, { what, of = "" }: FleetChange): Promise<void> =>
  sql.notify(changesTopic, `${what} ${of}`)

/** Undefined for anything else: then all may have changed. */
export function changeIn(text: string): FleetChange | undefined {
  const [, kind, of] = /^(\w+) (.*)$/s.exec(text) ?? []
  const what = changingKinds.find((each) => each === kind)
  return what && { what, of: of === "" ? undefined : of }
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
  await sql.notify(topic, row.lead)
  // Perhaps it is open, and looks when its team changes.
  const teams = await sql.rows<{ team: string }>(
    "select team from team_members where team like $1 || '/%' and $1 || '-' || session_id = $2",
    [row.lead, sessionId],
  )
  for (const { team } of teams) await sql.notify(teamTopic, team)
}

/** Some worker takes it now, or after whoever holds it has let go. Returns whether there is such a session, and it was not cancelled. */
export async function wakeUp(sql: Sql, sessionId: string): Promise<boolean> {
  const woken = await sql.rows(
    `update fleet_sessions set wakes = wakes + 1, wake_at = least(coalesce(wake_at, ${now}), ${now})
     where id = $1 and stage <> 'cancelled' returning id`,
    [sessionId],
  )
  return woken.length > 0
}
