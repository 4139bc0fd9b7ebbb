/** Where the statements of a fleet run: on the database, or within a transaction that is under way. */

import type { Database, Sql } from "#lib/database.ts"
import { now } from "./tables.ts"

export interface Desk extends Pick<Sql, "rows"> {
  /** All of it or nothing. Whoever is told of a session is told afterwards. */
  readonly write: <T>(work: (sql: Sql) => Promise<T>) => Promise<T>
}

export const topic = "fleet"

export const deskOn = (database: Database): Desk => ({
  rows: database.rows,
  // Every transaction locks the rows it is about before it looks at them.
  write: (work) => database.transaction(work, { locks: "its own" }),
})

export const deskWithin = (sql: Sql): Desk => ({ rows: sql.rows, write: (work) => work(sql) })

/** Numbered within the session, whose row this locks. */
export async function addEvent(sql: Sql, sessionId: string, type: "stage" | "approval", data: object): Promise<void> {
  await sql.rows(
    `with numbered as (update fleet_sessions set events = events + 1, updated_at = ${now} where id = $1 returning events)
     insert into fleet_events (session, seq, type, data) select $1, events, $2, $3 from numbered`,
    [sessionId, type, JSON.stringify(data)],
  )
  await sql.tell(topic, sessionId)
}

export async function addAudit(
  sql: Sql,
  who: string,
  what: string,
  { sessionId, approvalId }: { readonly sessionId?: string; readonly approvalId?: string } = {},
): Promise<void> {
  await sql.rows(`insert into fleet_audit (at, who, what, session, approval) values (${now}, $1, $2, $3, $4)`, [
    who,
    what,
    sessionId ?? null,
    approvalId ?? null,
  ])
}

/** Some worker takes it now, or after whoever holds it has let go. Returns whether there is such a session. */
export async function wakeUp(sql: Sql, sessionId: string): Promise<boolean> {
  const woken = await sql.rows(
    `update fleet_sessions set wakes = wakes + 1, wake_at = least(coalesce(wake_at, ${now}), ${now}) where id = $1 returning id`,
    [sessionId],
  )
  return woken.length > 0
}
