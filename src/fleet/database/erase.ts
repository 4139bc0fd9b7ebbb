/** Erasing: a session goes with everything that was said, asked and made in it. What is left is that somebody erased it, and what machines still have to remove. */

import { digestLines } from "#ground/transcript/digest.ts"
import type { Sql } from "#lib/database.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok } from "#lib/result.ts"
import type { ErasedSession, SessionOpening } from "#fleet/records.ts"
import type { FleetErasing } from "#fleet/store/erasing.ts"
import { isOfAgent } from "./lines.ts"
import { erasedTopic, listsChanged, sessionChanged, tellHolder } from "./notices.ts"
import { addAudit, type Db, wakeLead } from "./transaction.ts"
import { now } from "./tables.ts"

/** Machines that were away for longer keep the files they have. */
const rememberedMs = 180 * 24 * 60 * 60 * 1000

/** Answers are kept for so long, for whoever sends a request again. */
export const keyMs: number = 24 * 60 * 60 * 1000

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
    one: (id, by, quietMs) =>
      db.write(async (sql) => {
        if ((await eraseWithMembers(sql, id, quietMs)) === 0) return failed({ kind: "no_such_session" } as const)
        await addAudit(sql, by, "session erased", { sessionId: id })
        return ok(undefined)
      }),
    old: async (forMs, limit) => {
      // By when they were created, which does not change: those that are left of that time are few.
      const found = await db.rows<{ id: string }>(
        `select id from fleet_sessions as session where lead is null and ${isOver} and ${isQuiet("$1")}
           and created_at < ${now} - $1::double precision
           and not exists (select from fleet_sessions as member where member.lead = session.id and not (${isQuiet("$1", "member.")}))
         order by created_at limit $2::integer`,
        [forMs, limit],
      )
      return found.map(({ id }) => id)
    },
    audit: async (forMs, limit) => {
      const gone = await db.rows(
        `delete from fleet_audit where seq = any(array(
           select seq from fleet_audit where at < ${now} - $1::double precision order by at limit $2::integer for update skip locked
         )) returning seq`,
        [forMs, limit],
      )
      return gone.length
    },
    sent: async (limit) => {
      const gone = await db.rows(
        `delete from fleet_deliveries where id = any(array(
           select id from fleet_deliveries as letter where next_at is null and not exists (
             select from fleet_approvals as asked where asked.session = letter.session and asked.id = letter.approval
             and asked.digest = letter.digest and asked.opened = letter.opened and asked.state = 'open')
           order by id limit $1::integer for update skip locked
         )) returning id`,
        [limit],
      )
      return gone.length
    },
    person: (name, by) => erasePerson(db, name, by),
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

const isOver = "stage in ('completed', 'failed', 'cancelled')"

/** Nobody works in it or asks anything of it, and nothing has happened for so long. */
const isQuiet = (ms: string, of = ""): string =>
  `${of}worker is null and ${of}wake_at is null and ${of}updated_at < ${now} - ${ms}::double precision`

/**
 * Returns how many there were; none if there is no such session. With `quietMs`, none either if somebody continued it since it was found to be old.
 */
async function eraseWithMembers(sql: Sql, id: string, quietMs?: number): Promise<number> {
  const found = await sql.rows<{ id: string; is_needed: boolean }>(
    `select id, not (${isQuiet("$2")} and (lead is not null or ${isOver})) as is_needed
     from fleet_sessions where id = $1 or lead = $1 order by id for update`,
    [id, quietMs ?? 0],
  )
  if (!found.some((session) => session.id === id)) return 0
  if (quietMs !== undefined && found.some(({ is_needed: isNeeded }) => isNeeded)) return 0
  await wakeLead(sql, id)
  for (const session of found) await eraseOne(sql, session.id)
  return found.length
}

async function eraseOne(sql: Sql, id: string): Promise<void> {
  const [session] = await sql.rows<ErasableRow>(
    `select opening, folder, created_by, worker, updated_at > ${now} - ${keyMs} as is_recent from fleet_sessions where id = $1`,
    [id],
  )
  if (!session) return
  const { workspace } = JSON.parse(session.opening) as SessionOpening
  const lines = await sql.rows<{ line: string }>("select line from fleet_lines where session = $1 order by seq", [id])
  const snapshots = digestLines(
    lines.map(({ line }) => Buffer.from(isOfAgent(line) ? line.replace(/^@\S+ /, "") : line)),
    "row",
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
  if (session.is_recent) await sql.rows("delete from fleet_keys where strpos(answer, $1) > 0", [id])
  await sql.rows("delete from teams where id ~>=~ $1 and id ~<~ $2", [`${id}/`, `${id}0`])
  await sql.rows("delete from fleet_audit where session = $1", [id])
  await sql.rows("delete from fleet_pushes where session = $1", [id])
  // Everything else that is about it goes with its row.
  await sql.rows("delete from fleet_sessions where id = $1", [id])
  await sessionChanged(sql, id)
  if (session.worker !== null) await tellHolder(sql, session.worker, id)
  await sql.notify(erasedTopic, id)
  for (const what of ["sessions", "approvals", "teams"] as const)
    await listsChanged(sql, { what, of: session.created_by })
}

interface ErasableRow {
  readonly opening: string
  readonly folder: string | null
  readonly created_by: string
  readonly worker: string | null
  /** Whether an answer about it may still be kept. */
  readonly is_recent: boolean
}

/** A session at a time. What others did with sessions of theirs stays, without the name. */
async function erasePerson(db: Db, name: string, by: string): Promise<number> {
  let sessions = 0
  for (;;) {
    const found = await db.rows<{ id: string }>(
      "select id from fleet_sessions where created_by = $1 order by lead is not null, id limit 100",
      [name],
    )
    if (found.length === 0) break
    for (const { id } of found) sessions += await db.write((sql) => eraseWithMembers(sql, id))
  }
  await db.write(async (sql) => {
    await sql.rows("delete from fleet_logins where token in (select digest from fleet_tokens where name = $1)", [name])
    await sql.rows("delete from fleet_tokens where name = $1", [name])
    await sql.rows("delete from fleet_keys where who = $1", [name])
    await sql.rows(
      `with gone as (delete from fleet_spending where who = $1 returning day, usd)
       insert into fleet_spending (day, who, usd) select day, $2, usd from gone
       on conflict (day, who) do update set usd = fleet_spending.usd + excluded.usd`,
      [name, erasedName],
    )
    await sql.rows("update fleet_audit set who = $2, details = null where who = $1", [name, erasedName])
    await sql.rows("update fleet_approvals set decided_by = $2 where decided_by = $1", [name, erasedName])
    await sql.rows("update fleet_orders set given_by = $2 where given_by = $1", [name, erasedName])
    await sql.rows("delete from fleet_grants where who = $1", [name])
    await sql.rows("delete from fleet_links where made_by = $1", [name])
    await sql.rows("delete from fleet_people where name = $1", [name])
    await sql.rows("delete from fleet_devices where who = $1", [name])
    await sql.rows("delete from fleet_wishes where who = $1", [name])
    await sql.rows("delete from fleet_decision_links where who = $1", [name])
    await sql.rows("update fleet_comments set said_by = $2 where said_by = $1", [name, erasedName])
    await sql.rows("update fleet_templates set saved_by = $2 where saved_by = $1", [name, erasedName])
    await addAudit(sql, by, "a person's data erased")
  })
  return sessions
}

const erasedName = "erased"

const asErased = ({ seq, session, folder, cwd, snapshots, source }: ErasedRow): ErasedSession => ({
  seq: Number(seq),
  sessionId: session,
  ...optional("folder", folder ?? undefined),
  ...optional("cwd", cwd ?? undefined),
  snapshots,
  ...optional("source", source ?? undefined),
})
