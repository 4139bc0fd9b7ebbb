/** Links that decide: each about one approval as it was asked, as one person, once. Only digests of their secrets are kept. */

import { optional } from "#lib/optional.ts"
import { failed, ok } from "#lib/result.ts"
import type { DecisionLink, FleetDecisionLinks } from "#fleet/store/approvals.ts"
import { type ApprovalRow, asApproval, decide, selectApprovals } from "./approvals.ts"
import type { Db } from "./transaction.ts"
import { tokenDigest } from "./tokens.ts"
import { now } from "./tables.ts"

/** What is said about a link that is over: so long it is not just unknown. */
const rememberedMs = 24 * 60 * 60 * 1000

interface LinkRow {
  readonly session: string
  readonly approval: string
  readonly action: string
  readonly opened: string
  readonly who: string
  readonly allows: boolean | null
  readonly is_used: boolean
  readonly is_expired: boolean
}

export function openDecisionLinks(db: Db): FleetDecisionLinks {
  return {
    make: (deliveryId, { secret, who, allows, forMs }) =>
      db.write(async (sql) => {
        await sql.rows(
          `insert into fleet_decision_links (digest, session, approval, action, opened, who, allows, expires_at)
           select $1, session, approval, digest, opened, $2, $3, ${now} + $4::double precision from fleet_deliveries where id = $5`,
          [tokenDigest(secret), who, allows ?? null, forMs, deliveryId],
        )
        await sql.rows(
          `delete from fleet_decision_links where digest in (
             select digest from fleet_decision_links where expires_at < ${now} - ${rememberedMs} order by expires_at limit 100 for update skip locked
           )`,
        )
      }),
    async find(secret) {
      const link = await linkOf(db, secret)
      if (!link) return undefined
      const rows = await approvalsOf(db, link)
      const meant = rows.find((row) => row.digest === link.action)
      return meant && asLink(link, meant, rows[0])
    },
    use: (secret, said) =>
      db.write(async (sql) => {
        const link = await linkOf(sql, secret)
        if (!link) return failed({ kind: "no_such_link" } as const)
        // Whoever comes at the same moment waits here.
        await sql.rows("select 1 from fleet_sessions where id = $1 for update", [link.session])
        const [current] = await approvalsOf(sql, link)
        if (!current) return failed({ kind: "no_such_approval" } as const)
        const { is_used: isUsed, is_expired: isExpired } = (await linkOf(sql, secret)) ?? link
        if (isUsed) return failed({ kind: "used" } as const)
        if (isExpired) return failed({ kind: "late" } as const)
        if (current.opened !== link.opened) return failed({ kind: "void", approval: asApproval(current) } as const)
        const { session: sessionId, approval: approvalId, action: digest, allows, who: by } = link
        const decision = allows === null ? said : { allows, answer: {} }
        const decided = await decide(sql, { sessionId, approvalId, digest, ...decision, by, through: "link" })
        if (!decided.ok) return decided
        await sql.rows(`update fleet_decision_links set used_at = ${now} where digest = $1`, [tokenDigest(secret)])
        return ok(decided.value)
      }),
  }
}

async function linkOf(db: Pick<Db, "rows">, secret: string): Promise<LinkRow | undefined> {
  const [link] = await db.rows<LinkRow>(
    `select session, approval, action, opened, who, allows, used_at is not null as is_used, expires_at < ${now} as is_expired
     from fleet_decision_links where digest = $1`,
    [tokenDigest(secret)],
  )
  return link
}

/** The newest first. */
const approvalsOf = (db: Pick<Db, "rows">, { session, approval }: LinkRow): Promise<readonly ApprovalRow[]> =>
  db.rows<ApprovalRow>(selectApprovals("session = $1 and id = $2 order by opened desc"), [session, approval])

const asLink = (link: LinkRow, meant: ApprovalRow, current: ApprovalRow | undefined): DecisionLink => ({
  who: link.who,
  ...optional("allows", link.allows ?? undefined),
  isUsed: link.is_used,
  isExpired: link.is_expired || meant.is_late,
  isChanged: current?.opened !== link.opened || meant.state === "void",
  approval: asApproval(meant),
})
