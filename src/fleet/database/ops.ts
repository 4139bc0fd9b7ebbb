/** Ops that are asked of a session from outside, in order. Whoever holds the session runs them; otherwise it is woken for them. */

import type { SessionStage } from "#agent/words/stage.ts"
import type { Sql } from "#lib/database.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok } from "#lib/result.ts"
import { sessionChanged } from "./notices.ts"
import { addAudit, type Db, wakeUp } from "./transaction.ts"
import { auditWords, type FleetOp, opIn } from "#fleet/ops.ts"
import type { OpAnswer, QueuedOp } from "#fleet/records.ts"
import type { FleetOps } from "#fleet/store/sessions.ts"
import { now } from "./tables.ts"

interface OpRow {
  readonly session: string
  readonly id: string
  readonly content: string
  readonly given_by: string
  readonly given_at: number
  readonly done_at: number | null
  readonly answer: string | null
}

export function openOps(db: Db): FleetOps {
  return {
    add: (sessionId, id, op, by) =>
      db.write(async (sql) => {
        const [session] = await sql.rows<{ stage: SessionStage }>(
          "select stage from fleet_sessions where id = $1 for update",
          [sessionId],
        )
        if (!session) return failed({ kind: "no_such_session" } as const)
        const before = await find(sql, sessionId, id)
        if (before) return ok(before)
        if (session.stage === "cancelled") return failed({ kind: "cancelled" } as const)
        const kept = await queueOp(sql, sessionId, id, op, by)
        await wakeUp(sql, sessionId)
        await addAudit(sql, by, auditWords(op), { sessionId })
        return ok(kept)
      }),
    get: (sessionId, id) => find(db, sessionId, id),
    async waiting(sessionId) {
      const found = await db.rows<OpRow>(
        "select * from fleet_orders where session = $1 and done_at is null order by place",
        [sessionId],
      )
      return found.map(asQueued)
    },
    finish: ({ sessionId, fence, worker }, id, answer) =>
      db.write(async (sql) => {
        const leaseRows = await sql.rows(
          "select 1 from fleet_sessions where id = $1 and fence = $2 and worker = $3 for update",
          [sessionId, fence, worker],
        )
        if (leaseRows.length === 0) return failed({ kind: "fenced" } as const)
        await sql.rows(
          `update fleet_orders set done_at = ${now}, answer = $3 where session = $1 and id = $2 and done_at is null`,
          [sessionId, id, answer ? JSON.stringify(answer) : null],
        )
        await sessionChanged(sql, sessionId)
        return ok(undefined)
      }),
  }
}

/** The first op of a session is its prompt, under the session's own id. */
export async function queueOp(sql: Sql, sessionId: string, id: string, op: FleetOp, by: string): Promise<QueuedOp> {
  const [row] = await sql.rows<OpRow>(
    `insert into fleet_orders (session, id, content, given_by, given_at) values ($1, $2, $3, $4, ${now}) returning *`,
    [sessionId, id, JSON.stringify(op), by],
  )
  if (!row) throw new Error(`op ${id} was not queued`)
  return asQueued(row)
}

async function find(sql: Pick<Sql, "rows">, sessionId: string, id: string): Promise<QueuedOp | undefined> {
  const found = await sql.rows<OpRow>("select * from fleet_orders where session = $1 and id = $2", [sessionId, id])
  return found.map(asQueued)[0]
}

const asQueued = (row: OpRow): QueuedOp => ({
  id: row.id,
  sessionId: row.session,
  ...optional("op", opIn(row.content)),
  by: row.given_by,
  at: row.given_at,
  ...optional("doneAt", row.done_at ?? undefined),
  ...optional("answer", row.answer === null ? undefined : (JSON.parse(row.answer) as OpAnswer)),
})
