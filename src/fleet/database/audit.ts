/** Who did what: read from the beginning by exports, from the end by people. */

import type { AuditDetails, AuditEntry } from "#fleet/records.ts"
import type { FleetAudit } from "#fleet/store.ts"
import { optional } from "#lib/optional.ts"
import { addAudit, type Db } from "./transaction.ts"

interface AuditRow {
  readonly seq: string
  readonly at: number
  readonly who: string
  readonly what: string
  readonly session: string | null
  readonly approval: string | null
  readonly session_title: string | null
  readonly details: string | null
}

export const openAudit = (db: Db): FleetAudit => ({
  async audit(after, limit) {
    const found = await db.rows<AuditRow>("select * from fleet_audit where seq > $1 order by seq limit $2::integer", [
      after,
      limit,
    ])
    return found.map(toEntry)
  },
  async recentAudit({ before = Number.MAX_SAFE_INTEGER, who }, limit) {
    const ofWhom = who === undefined ? "" : "and who = $3"
    const found = await db.rows<AuditRow>(
      `select * from fleet_audit where seq < $1 ${ofWhom} order by seq desc limit $2::integer`,
      who === undefined ? [before, limit] : [before, limit, who],
    )
    return found.map(toEntry)
  },
  note: (who, what, details) => addAudit(db, who, what, { details }),
})

const toEntry = ({ seq, at, who, what, session, approval, ...row }: AuditRow): AuditEntry => ({
  seq: Number(seq),
  at,
  who,
  what,
  ...optional("sessionId", session ?? undefined),
  ...optional("sessionTitle", row.session_title ?? undefined),
  ...optional("approvalId", approval ?? undefined),
  ...optional("details", row.details === null ? undefined : (JSON.parse(row.details) as AuditDetails)),
})
