/** What is asked of a session from outside, in order. Whoever holds the session carries it out; otherwise it is woken for it. */

import type { SessionStage } from "#agent/words/stage.ts"
import type { Sql } from "#lib/database.ts"
import { given } from "#lib/given.ts"
import { failed, ok } from "#lib/result.ts"
import { addAudit, type Desk, topic, wakeUp } from "./desk.ts"
import type { FleetOrder, Order, OrderAnswer } from "#fleet/records.ts"
import type { FleetOrders } from "#fleet/store.ts"
import { now } from "./tables.ts"

interface OrderRow {
  readonly session: string
  readonly id: string
  readonly content: string
  readonly given_by: string
  readonly given_at: number
  readonly done_at: number | null
  readonly answer: string | null
}

export function openOrders(desk: Desk): FleetOrders {
  return {
    give: (sessionId, id, order, by) =>
      desk.write(async (sql) => {
        const [session] = await sql.rows<{ stage: SessionStage }>(
          "select stage from fleet_sessions where id = $1 for update",
          [sessionId],
        )
        if (!session) return failed({ kind: "no_such_session" } as const)
        const before = await find(sql, sessionId, id)
        if (before) return ok(before)
        if (session.stage === "cancelled") return failed({ kind: "cancelled" } as const)
        const kept = await keepOrder(sql, sessionId, id, order, by)
        await wakeUp(sql, sessionId)
        await addAudit(sql, by, auditWords(order), { sessionId })
        await sql.tell(topic, sessionId)
        return ok(kept)
      }),
    get: (sessionId, id) => find(desk, sessionId, id),
    async waiting(sessionId) {
      const found = await desk.rows<OrderRow>(
        "select * from fleet_orders where session = $1 and done_at is null order by place",
        [sessionId],
      )
      return found.map(asOrder)
    },
    done: ({ sessionId, fence, worker }, id, answer) =>
      desk.write(async (sql) => {
        const held = await sql.rows(
          "select 1 from fleet_sessions where id = $1 and fence = $2 and worker = $3 for update",
          [sessionId, fence, worker],
        )
        if (held.length === 0) return failed({ kind: "fenced" } as const)
        await sql.rows(
          `update fleet_orders set done_at = ${now}, answer = $3 where session = $1 and id = $2 and done_at is null`,
          [sessionId, id, answer ? JSON.stringify(answer) : null],
        )
        await sql.tell(topic, sessionId)
        return ok(undefined)
      }),
  }
}

/** The first order of a session is its prompt, under the session's own id. */
export async function keepOrder(
  sql: Sql,
  sessionId: string,
  id: string,
  order: Order,
  by: string,
): Promise<FleetOrder> {
  const [row] = await sql.rows<OrderRow>(
    `insert into fleet_orders (session, id, content, given_by, given_at) values ($1, $2, $3, $4, ${now}) returning *`,
    [sessionId, id, JSON.stringify(order), by],
  )
  if (!row) throw new Error(`order ${id} was not kept`)
  return asOrder(row)
}

function auditWords(order: Order): string {
  switch (order.kind) {
    case "message":
      return "message sent"
    case "interrupt":
      return "interrupted"
    case "rewind":
      return "rewind asked for"
    case "gate":
      return `gate ${order.gate} to be switched ${order.on ? "on" : "off"}`
  }
}

async function find(sql: Pick<Sql, "rows">, sessionId: string, id: string): Promise<FleetOrder | undefined> {
  const found = await sql.rows<OrderRow>("select * from fleet_orders where session = $1 and id = $2", [sessionId, id])
  return found.map(asOrder)[0]
}

const asOrder = (row: OrderRow): FleetOrder => ({
  id: row.id,
  sessionId: row.session,
  order: JSON.parse(row.content) as Order,
  by: row.given_by,
  at: row.given_at,
  ...given("doneAt", row.done_at ?? undefined),
  ...given("answer", row.answer === null ? undefined : (JSON.parse(row.answer) as OrderAnswer)),
})
