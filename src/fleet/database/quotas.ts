/**
 * How many sessions of a person, or in a repository, are at work at a time. Whoever would be one too many waits in its row, and is due again when one
 * of the others is set aside. Members of a team count as the session that leads them.
 */

import { enterSection, type Sql } from "#lib/database.ts"
import type { FleetSession, Lease, SessionQuotas } from "#fleet/records.ts"
import { sessionTopic, tellLists, tellSession } from "./notices.ts"
import { nextDue } from "./queue.ts"
import { afterWake, type Db, type WokenRow, wokenColumns } from "./transaction.ts"
import { now } from "./tables.ts"

/** One of them may have to wait for something else, so a few are tried. */
const mostWoken = 4
/** Of all that wait, those that have waited longest are looked at now and then. */
const mostLooked = 200

interface NextRow {
  readonly id: string
  readonly created_by: string
  readonly repository: string | null
  readonly lead: string | null
}

/** `leaseSession` makes the lease of the session, which is locked. */
export async function acquireWithin(
  db: Db,
  worker: string,
  quotas: SessionQuotas,
  leaseSession: (sql: Sql, id: string) => Promise<Lease | undefined>,
): Promise<Lease | undefined> {
  for (;;) {
    const taken = await db.write(async (sql) => {
      const [next] = await sql.rows<NextRow>(
        `${nextDue("$1")} select id, created_by, repository, lead from fleet_sessions where id = (select id from next)`,
        [worker],
      )
      if (!next) return undefined
      const waitsFor = next.lead === null ? await fullQuota(sql, next, quotas) : undefined
      if (waitsFor === undefined) return leaseSession(sql, next.id)
      await sql.rows(
        `with queued as (
           update fleet_sessions set waits_for = $2, wake_at = null, worker = null, lease_until = null, is_lost = false where id = $1 returning created_by
         )
         select ${tellSession("$1", "$3")}, ${tellLists("sessions", "created_by")} from queued`,
        [next.id, waitsFor, sessionTopic(next.id)],
      )
      return "queued" as const
    })
    if (taken !== "queued") return taken
  }
}

/** What it waits for, as its row says it. Whoever counts for the same person or repository waits meanwhile. */
async function fullQuota(
  sql: Sql,
  { id, created_by: user, repository }: NextRow,
  { userSessions, repositorySessions }: SessionQuotas,
): Promise<string | undefined> {
  const atWork = async (column: "created_by" | "repository", value: string): Promise<number> => {
    await enterSection(sql, `sessions ${column} ${value}`)
    const [row] = await sql.rows<{ count: number }>(
      `select count(*)::integer as count from fleet_sessions where ${column} = $1 and worker is not null and lead is null and id <> $2`,
      [value, id],
    )
    return row?.count ?? 0
  }
  if (userSessions !== undefined && (await atWork("created_by", user)) >= userSessions) return `user ${userSessions}`
  if (repositorySessions === undefined || repository === null) return undefined
  return (await atWork("repository", repository)) >= repositorySessions ? `repository ${repositorySessions}` : undefined
}

/** One session of this person, in this repository, has made room. */
export async function wakeQueued(sql: Sql, user: string, repository: string | null): Promise<void> {
  const oldest = (column: string, value: string): string =>
    `select id from fleet_sessions where waits_for is not null and ${column} = ${value} order by place limit ${mostWoken} for update skip locked`
  const woken = await sql.rows<WokenRow>(
    `with of_user as (${oldest("created_by", "$1")}), of_repository as (${oldest("repository", "$2")})
     update fleet_sessions set waits_for = null, wake_at = ${now}
     where id in (select id from of_user union select id from of_repository) returning ${wokenColumns}`,
    [user, repository],
  )
  for (const session of woken) await afterWake(sql, session)
}

/** Whoever began to wait just when room was made was not seen, and limits may have been raised. */
export async function wakeLongQueued(db: Db): Promise<void> {
  await db.rows(
    `update fleet_sessions set waits_for = null, wake_at = ${now} where id in (
       select id from (
         select id, row_number() over (partition by created_by order by place) as nth from (
           select id, created_by, place from fleet_sessions where waits_for is not null order by place limit ${mostLooked}
         ) as oldest
       ) as numbered where nth <= ${mostWoken}
     ) and waits_for is not null`,
  )
}

/** For whoever looks at the session. */
export function queuedWords(
  waitsFor: string | null,
  { createdBy, repository }: Pick<FleetSession, "createdBy"> & { readonly repository: string | null },
): string | undefined {
  const [, what, most] = /^(user|repository) (\d+)$/.exec(waitsFor ?? "") ?? []
  if (what === undefined) return undefined
  const setting = what === "user" ? "userSessions" : "repositorySessions"
  const whose = what === "user" ? `of ${createdBy}` : `in ${repository ?? "this repository"}`
  const many = most === "1" ? "One session" : `${most} sessions`
  return `${many} ${whose} ${most === "1" ? "is" : "are"} at work, and no more may be at a time (server.quotas.${setting}). This one starts by itself when another ends or waits for an answer.`
}
