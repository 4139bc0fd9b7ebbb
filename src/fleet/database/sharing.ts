/** Who besides its owner may look at a session or act in it: by a link that its owner made, once they have opened it. Only a digest of the link is kept. */

import { failed, ok } from "#lib/result.ts"
import type { UserRole } from "#fleet/records.ts"
import type { FleetSharing } from "#fleet/store/people.ts"
import { listsChanged } from "./notices.ts"
import { addAudit, type Db } from "./transaction.ts"
import { tokenDigest } from "./tokens.ts"
import { now } from "./tables.ts"

export function openSharing(db: Db): FleetSharing {
  return {
    async roleOf(sessionId, who) {
      const [row] = await db.rows<{ role: UserRole }>("select role from fleet_grants where session = $1 and who = $2", [
        sessionId,
        who,
      ])
      return row?.role
    },
    async with(sessionId) {
      const found = await db.rows<{ who: string; role: UserRole }>(
        "select who, role from fleet_grants where session = $1 order by who limit 200",
        [sessionId],
      )
      return found
    },
    makeLink: (sessionId, { secret, role, forMs }, by) =>
      db.write(async (sql) => {
        await sql.rows(
          `insert into fleet_links (digest, session, role, made_by, expires_at) values ($1, $2, $3, $4, ${now} + $5::double precision)`,
          [tokenDigest(secret), sessionId, role, by, forMs],
        )
        await sql.rows(`delete from fleet_links where expires_at < ${now}`)
        await addAudit(sql, by, `link made for a ${role}`, { sessionId })
      }),
    redeem: (secret, { name, role: own }) =>
      db.write(async (sql) => {
        const [link] = await sql.rows<{ session: string; role: UserRole; made_by: string }>(
          `select session, role, made_by from fleet_links where digest = $1 and expires_at > ${now} for update`,
          [tokenDigest(secret)],
        )
        if (!link) return failed({ kind: "no_such_link" } as const)
        // Nobody becomes more by a link than their token lets them be, and a second link takes nothing away.
        const role = link.role === "operator" && own !== "viewer" ? "operator" : "viewer"
        await sql.rows(
          `insert into fleet_grants (session, who, role) values ($1, $2, $3)
           on conflict (session, who) do update set role = excluded.role where fleet_grants.role = 'viewer'`,
          [link.session, name, role],
        )
        await addAudit(sql, name, `link of ${link.made_by} opened, as a ${role}`, { sessionId: link.session })
        return ok(link.session)
      }),
    revoke: (sessionId, who, by) =>
      db.write(async (sql) => {
        const gone = await sql.rows(
          "delete from fleet_grants where session = $1 and ($2::text is null or who = $2) returning who",
          [sessionId, who ?? null],
        )
        // Whoever has the link would be in again.
        await sql.rows("delete from fleet_links where session = $1", [sessionId])
        await addAudit(sql, by, who === undefined ? "sharing ended" : `sharing with ${who} ended`, { sessionId })
        return gone.length
      }),
    handOver: (sessionId, to, by) =>
      db.write(async (sql) => {
        const [session] = await sql.rows<{ created_by: string }>(
          "select created_by from fleet_sessions where id = $1 for update",
          [sessionId],
        )
        if (!session) return failed({ kind: "no_such_session" } as const)
        const known = await sql.rows(
          `select 1 from fleet_tokens where name = $1 and revoked_at is null and role <> 'viewer' and (expires_at is null or expires_at > ${now})`,
          [to],
        )
        if (known.length === 0) return failed({ kind: "no_such_user" } as const)
        // Those who work for it go with it.
        await sql.rows("update fleet_sessions set created_by = $2 where id = $1 or lead = $1", [sessionId, to])
        await sql.rows(
          "update fleet_approvals set created_by = $2 where state = 'open' and session in (select id from fleet_sessions where id = $1 or lead = $1)",
          [sessionId, to],
        )
        await sql.rows("delete from fleet_grants where session = $1 and who = $2", [sessionId, to])
        await addAudit(sql, by, `handed to ${to}`, { sessionId })
        for (const of of [session.created_by, to]) {
          await listsChanged(sql, { what: "sessions", of })
          await listsChanged(sql, { what: "approvals", of })
        }
        return ok(undefined)
      }),
  }
}
