/** What whoever operates a fleet watches, counted by indexes that hold only what is not over: it does not grow with the past. */

import { isOver, stages } from "#agent/words/stage.ts"
import type { FleetFigures } from "#fleet/store/lists.ts"
import { now } from "./tables.ts"
import type { Db } from "./transaction.ts"

const open = stages.filter((stage) => !isOver(stage))
/** A worker that has said nothing for so long is gone. */
const silentMs = 60_000

export function openFigures(db: Db): () => Promise<FleetFigures> {
  return async () => {
    const sessions = await db.rows<{ stage: string; count: number }>(
      "select stage, count(*)::int as count from fleet_sessions where stage = any($1::text[]) group by stage",
      [open],
    )
    const [row] = await db.rows<Omit<FleetFigures, "sessions">>(
      `select
         (select count(*)::int from fleet_approvals where state = 'open') as approvals,
         (select coalesce(max(${now} - created_at), 0) from fleet_approvals where state = 'open') as "oldestApprovalMs",
         (select count(*)::int from fleet_sessions where worker is not null) as held,
         (select count(*)::int from fleet_workers where seen_at > ${now} - ${silentMs}) as workers,
         (select coalesce(sum(slots), 0)::int from fleet_workers where seen_at > ${now} - ${silentMs}) as slots,
         (select count(*)::int from fleet_deliveries where next_at is not null) as deliveries`,
    )
    const counted = new Map(sessions.map(({ stage, count }) => [stage, count]))
    const none = { approvals: 0, oldestApprovalMs: 0, held: 0, workers: 0, slots: 0, deliveries: 0 }
    return { ...(row ?? none), sessions: new Map(open.map((stage) => [stage, counted.get(stage) ?? 0])) }
  }
}
