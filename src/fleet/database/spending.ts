/** What sessions cost, by the day and by whoever created them: kept together with each report of a worker. */

import type { Sql } from "#lib/database.ts"
import type { Desk } from "./desk.ts"
import type { Lease } from "#fleet/records.ts"
import type { FleetSpending } from "#fleet/store.ts"
import { today } from "./tables.ts"

export function openSpending(desk: Desk): FleetSpending {
  return {
    async today() {
      const [found] = await desk.rows<{ day: string }>(`select ${today} as day`)
      const rows = await desk.rows<{ who: string; usd: number }>(
        `select who, usd from fleet_spending where day = ${today}`,
      )
      return { day: found?.day ?? "", byUser: new Map(rows.map(({ who, usd }) => [who, usd])) }
    },
    async running() {
      const found = await desk.rows<{ id: string; created_by: string }>(
        "select id, created_by from fleet_sessions where worker is not null order by id",
      )
      return found.map(({ id, created_by: createdBy }) => ({ id, createdBy }))
    },
  }
}

/** The cost of a session is told as a whole; what it grew by was spent today. */
export async function addSpending(sql: Sql, { sessionId, fence, worker }: Lease, costUsd: number): Promise<void> {
  const [session] = await sql.rows<{ cost_usd: number; created_by: string }>(
    "select cost_usd, created_by from fleet_sessions where id = $1 and fence = $2 and worker = $3 for update",
    [sessionId, fence, worker],
  )
  if (!session || costUsd <= session.cost_usd) return
  await sql.rows(
    `insert into fleet_spending (day, who, usd) values (${today}, $1, $2)
     on conflict (day, who) do update set usd = fleet_spending.usd + excluded.usd`,
    [session.created_by, costUsd - session.cost_usd],
  )
}
