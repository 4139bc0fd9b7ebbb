/** What sessions cost, by the day and by whoever created them: kept together with each report of a worker. */

import type { AgentSpending, OthersSpending } from "#agent/words/budget.ts"
import { enterSection } from "#lib/database.ts"
import { failed, ok } from "#lib/result.ts"
import type { Db } from "./transaction.ts"
import type { AtWork, FleetSpending, Spent } from "#fleet/store/people.ts"
import { today } from "./tables.ts"

export function openSpending(db: Db): FleetSpending {
  return {
    async spent() {
      const sums = (of: string, table: string): Promise<readonly SpentRow[]> =>
        db.rows<SpentRow>(
          `select ${of} as name, sum(case when day = ${today} then usd else 0 end) as day, sum(usd) as month
           from ${table} where day >= substr(${today}, 1, 7) || '-01' group by ${of}`,
        )
      const [[found], users, repositories] = await Promise.all([
        db.rows<{ day: string }>(`select ${today} as day`),
        sums("who", "fleet_spending"),
        sums("repository", "fleet_spending_in"),
      ])
      return { day: found?.day ?? "", users: byName(users), repositories: byName(repositories) }
    },
    async atWork() {
      const counts = (of: string): Promise<readonly AtWorkRow[]> =>
        db.rows<AtWorkRow>(
          `select name, sum(held)::integer as held, sum(queued)::integer as queued from (
             select ${of} as name, 1 as held, 0 as queued from fleet_sessions where worker is not null and lead is null
             union all select ${of}, 0, 1 from fleet_sessions where waits_for is not null
           ) as counted where name is not null group by name`,
        )
      const [users, repositories] = await Promise.all([counts("created_by"), counts("repository")])
      const named = (rows: readonly AtWorkRow[]): ReadonlyMap<string, AtWork> =>
        new Map(rows.map(({ name, held, queued }) => [name, { held, queued }]))
      return { users: named(users), repositories: named(repositories) }
    },
    async running() {
      const found = await db.rows<{ id: string; created_by: string; repository: string | null }>(
        "select id, created_by, repository from fleet_sessions where worker is not null order by id",
      )
      return found.map(({ id, created_by: createdBy, repository }) => ({ id, createdBy, repository: repository ?? "" }))
    },
    inTurn: (lease, lead, work) =>
      db.write(async (sql) => {
        const { sessionId, fence, worker } = lease
        await enterSection(sql, `budget ${lead}`)
        const leaseRows = await sql.rows(
          "select 1 from fleet_sessions where id = $1 and fence = $2 and worker = $3 for share",
          [sessionId, fence, worker],
        )
        if (leaseRows.length === 0) return failed({ kind: "fenced" } as const)
        // What a worker that is gone had reserved is free.
        const [others] = await sql.rows<AmountRow & ReservedRow>(
          `select sum(spent_usd + case when is_held then reserved_usd else 0 end) as usd,
             sum(spent_tokens + case when is_held then reserved_tokens else 0 end) as tokens,
             sum(case when is_held then reserved_usd else 0 end) as reserved_usd,
             sum(case when is_held then reserved_tokens else 0 end) as reserved_tokens
           from (
             select budget.*, session.fence = budget.fence and session.worker is not null as is_held
             from fleet_budgets as budget join fleet_sessions as session on session.id = budget.session
             where budget.lead = $1 and budget.session <> $2
           ) as others`,
          [lead, sessionId],
        )
        const now = work(othersIn(others))
        if (!now) return ok(undefined)
        const { spent, reserved } = now
        await sql.rows(
          `insert into fleet_budgets (session, lead, fence, spent_usd, spent_tokens, reserved_usd, reserved_tokens) values ($1, $2, $3, $4, $5, $6, $7)
           on conflict (session) do update set fence = excluded.fence, spent_usd = excluded.spent_usd, spent_tokens = excluded.spent_tokens,
             reserved_usd = excluded.reserved_usd, reserved_tokens = excluded.reserved_tokens`,
          [sessionId, lead, fence, spent.costUsd, spent.tokens, reserved.costUsd, reserved.tokens],
        )
        return ok(undefined)
      }),
    async of(sessionId) {
      const [row] = await db.rows<AmountRow>(
        "select spent_usd as usd, spent_tokens as tokens from fleet_budgets where session = $1",
        [sessionId],
      )
      return amountIn(row)
    },
  }
}

interface AtWorkRow extends AtWork {
  readonly name: string
}

interface SpentRow {
  readonly name: string
  readonly day: number
  readonly month: number
}

const byName = (rows: readonly SpentRow[]): Spent["users"] =>
  new Map(rows.map(({ name, day, month }) => [name, { day, month }]))

interface AmountRow {
  readonly usd: number | null
  readonly tokens: number | null
}

interface ReservedRow {
  readonly reserved_usd: number | null
  readonly reserved_tokens: number | null
}

const othersIn = (row: (AmountRow & ReservedRow) | undefined): OthersSpending => ({
  ...amountIn(row),
  reserved: { costUsd: row?.reserved_usd ?? 0, tokens: row?.reserved_tokens ?? 0 },
})

const amountIn = (row: AmountRow | undefined): AgentSpending => ({ costUsd: row?.usd ?? 0, tokens: row?.tokens ?? 0 })
