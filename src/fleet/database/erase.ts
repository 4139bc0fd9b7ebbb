/** Erasing: a session goes with everything that was said, asked and made in it. What is left is that somebody erased it, and what machines still have to remove. */

import { digestLines } from "#ground/transcript/digest.ts"
import type { Sql } from "#lib/database.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok } from "#lib/result.ts"
import type { ErasedSession, SessionOpening } from "#fleet/records.ts"
import type { FleetErasing } from "#fleet/store.ts"
import { isOfAgent } from "./lines.ts"
import { addAudit, type Db, notifyChange, topic, wakeLead } from "./transaction.ts"
import { now } from "./tables.ts"

/** Machines that were away for longer keep the files they have. */
const rememberedMs = 180 * 24 * 60 * 60 * 1000

/** What a notification about an erased session begins with. */
export const erasedWord = "erased "

interface ErasedRow {
  readonly seq: string
  readonly session: string
  readonly folder: string | null
  readonly cwd: string | null
  readonly snapshots: readonly string[]
  readonly source: string | null
}

export function openErasing(db: Db): FleetErasing {
  return {
    one: (id, by) =>
      db.write(async (sql) => {
        const found = await sql.rows<{ id: string }>(
          "select id from fleet_sessions where id = $1 or lead = $1 order by id for update",
          [id],
        )
        if (!found.some((session) => session.id === id)) return failed({ kind: "no_such_session" } as const)
        await wakeLead(sql, id)
        for (const session of found) await eraseOne(sql, session.id)
        await addAudit(sql, by, "session erased", { sessionId: id })
        return ok(undefined)
      }),
    old: async (forMs, limit) => {
      const found = await db.rows<{ id: string }>(
        `select id from fleet_sessions where lead is null and stage in ('completed', 'failed', 'cancelled')
           and worker is null and wake_at is null and updated_at < ${now} - $1::double precision
         order by updated_at limit $2::integer`,
        [forMs, limit],
      )
      return found.map(({ id }) => id)
    },
    audit: async (forMs) => {
      const gone = await db.rows(`delete from fleet_audit where at < ${now} - $1::double precision returning seq`, [
        forMs,
      ])
      return gone.length
    },
    after: async (seq, limit) => {
      const found = await db.rows<ErasedRow>(
        "select * from fleet_erased where seq > $1 order by seq limit $2::integer",
        [seq, limit],
      )
      return found.map(asErased)
    },
    unpublished: async (sessionId) =>
      void (await db.rows("update fleet_erased set source = null where session = $1", [sessionId])),
  }
}

async function eraseOne(sql: Sql, id: string): Promise<void> {
  const [session] = await sql.rows<{ opening: string; folder: string | null; created_by: string }>(
    "select opening, folder, created_by from fleet_sessions where id = $1",
    [id],
  )
  if (!session) return
  const { workspace } = JSON.parse(session.opening) as SessionOpening
  const lines = await sql.rows<{ line: string }>("select line from fleet_lines where session = $1 order by seq", [id])
  const snapshots = digestLines(
    lines.map(({ line }) => (isOfAgent(line) ? line.replace(/^@\S+ /, "") : line)),
  ).snapshots
  const [tree] = await sql.rows<{ files_in: string | null }>("select files_in from fleet_trees where session = $1", [
    id,
  ])
  const source = tree?.files_in === "source" && "git" in workspace ? workspace.git.url : null
  await sql.rows(
    `insert into fleet_erased (session, folder, cwd, snapshots, source, at) values ($1, $2, $3, $4::text[], $5, ${now})`,
    [id, session.folder, "path" in workspace ? workspace.path : null, [...new Set(snapshots)], source],
  )
  await sql.rows(`delete from fleet_erased where at < ${now} - ${rememberedMs}`)
  // Answers that are kept for whoever sends a request again say what was asked for.
  await sql.rows("delete from fleet_keys where strpos(answer, $1) > 0", [id])
  await sql.rows("delete from teams where starts_with(id, $1 || '/')", [id])
  await sql.rows("delete from fleet_audit where session = $1", [id])
  // Everything else that is about it goes with its row.
  await sql.rows("delete from fleet_sessions where id = $1", [id])
  await sql.notify(topic, id)
  await sql.notify(topic, `${erasedWord}${id}`)
  for (const what of ["sessions", "approvals", "teams"] as const)
    await notifyChange(sql, { what, of: session.created_by })
}

const asErased = ({ seq, session, folder, cwd, snapshots, source }: ErasedRow): ErasedSession => ({
  seq: Number(seq),
  sessionId: session,
  ...optional("folder", folder ?? undefined),
  ...optional("cwd", cwd ?? undefined),
  snapshots,
  ...optional("source", source ?? undefined),
})
