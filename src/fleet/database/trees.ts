/** The files of sessions that work in a repository, kept for whoever continues on another machine. */

import type { Sql } from "#lib/database.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Lane } from "#ground/workspace/source/checkout.ts"
import type { Lease, SessionOpening } from "#fleet/records.ts"
import type { Fenced } from "#fleet/store/failures.ts"
import type { FleetTrees, TreePlace } from "#fleet/store/trees.ts"
import type { Db } from "./transaction.ts"
import { now } from "./tables.ts"

interface TreeRow {
  readonly base: string
  readonly files_state: string | null
  readonly files_in: TreePlace | null
  readonly beside_state: string | null
  readonly behind: string | null
}

/** Large values are cut, so that no statement is too large. */
const pieceBytes = 8_000_000

export function openTrees(db: Db): FleetTrees {
  return {
    begin: (lease, base) =>
      ifHeld(db, lease, async (sql) => {
        await sql.rows(
          "insert into fleet_trees (session, base, fence) values ($1, $2, $3) on conflict (session) do nothing",
          [lease.sessionId, base, lease.fence],
        )
        const [row] = await sql.rows<TreeRow>("select base from fleet_trees where session = $1", [lease.sessionId])
        return row?.base ?? base
      }),
    async get(sessionId) {
      const [row] = await db.rows<TreeRow>("select * from fleet_trees where session = $1", [sessionId])
      if (!row) return undefined
      const sizes = await db.rows<{ lane: Lane; bytes: number }>(
        "select lane, sum(length(bytes))::double precision as bytes from fleet_tree_parts where session = $1 group by lane",
        [sessionId],
      )
      const bytesOf = (lane: Lane): number => sizes.find((each) => each.lane === lane)?.bytes ?? 0
      const { base, files_state: files, files_in: place, beside_state: beside, behind } = row
      return {
        base,
        ...(files !== null && { files: { state: files, place: place ?? "database", bytes: bytesOf("files") } }),
        ...(beside !== null && { beside: { state: beside, place: "database", bytes: bytesOf("beside") } }),
        ...optional("behind", behind ?? undefined),
      }
    },
    async parts(sessionId, lane) {
      const rows = await db.rows<{ state: string; bytes: Uint8Array }>(
        "select state, bytes from fleet_tree_parts where session = $1 and lane = $2 order by place",
        [sessionId, lane],
      )
      return [...Map.groupBy(rows, ({ state }) => state).values()].map((pieces) =>
        Buffer.concat(pieces.map(({ bytes }) => bytes)),
      )
    },
    keep: (lease, { lane, state = null, place, part, replaces }) =>
      ifHeld(db, lease, async (sql) => {
        const [before] = await sql.rows<TreeRow>("select * from fleet_trees where session = $1", [lease.sessionId])
        // It was kept already, and only the answer was lost.
        if (state !== null && (lane === "files" ? before?.files_state : before?.beside_state) === state) return
        if (replaces)
          await sql.rows("delete from fleet_tree_parts where session = $1 and lane = $2", [lease.sessionId, lane])
        for (let at = 0; part && at < part.length; at += pieceBytes)
          await sql.rows("insert into fleet_tree_parts (session, lane, state, bytes) values ($1, $2, $3, $4)", [
            lease.sessionId,
            lane,
            state,
            part.subarray(at, at + pieceBytes),
          ])
        if (lane === "beside")
          await sql.rows("update fleet_trees set beside_state = $2 where session = $1", [lease.sessionId, state])
        else
          await sql.rows(
            "update fleet_trees set files_state = $2, files_in = $3, fence = $4, behind = null where session = $1",
            [lease.sessionId, state, place, lease.fence],
          )
      }),
    fallBehind: (lease, why) =>
      ifHeld(db, lease, async (sql) => {
        await sql.rows("update fleet_trees set behind = $2 where session = $1", [lease.sessionId, why])
      }),
    async unneeded(forMs, limit) {
      const rows = await db.rows<{ id: string; opening: string; files_in: TreePlace | null }>(
        `select id, opening, files_in from fleet_trees join fleet_sessions on id = session
         where stage = 'cancelled' and files_state is not null and updated_at < ${now} - $1::double precision
         order by updated_at limit $2`,
        [forMs, limit],
      )
      return rows.map(({ id, opening, files_in: place }) => ({
        sessionId: id,
        opening: JSON.parse(opening) as SessionOpening,
        place: place ?? "database",
      }))
    },
    forget: (sessionId) =>
      db.write(async (sql) => {
        await sql.rows("delete from fleet_tree_parts where session = $1", [sessionId])
        await sql.rows(
          "update fleet_trees set files_state = null, files_in = null, beside_state = null where session = $1",
          [sessionId],
        )
      }),
  }
}

/** Only whoever holds the session changes its files. */
const ifHeld = <T>(
  db: Db,
  { sessionId, fence, worker }: Lease,
  work: (sql: Sql) => Promise<T>,
): Promise<Result<T, Fenced>> =>
  db.write(async (sql) => {
    const leaseQuery = "select id from fleet_sessions where id = $1 and fence = $2 and worker = $3 for update"
    if ((await sql.rows(leaseQuery, [sessionId, fence, worker])).length === 0)
      return failed({ kind: "fenced" } as const)
    return ok(await work(sql))
  })
