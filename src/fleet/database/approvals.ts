/** Approvals: of several decisions about one action the first counts, and a decision about another action counts never. */

import { optional } from "#lib/optional.ts"
import type { Sql } from "#lib/database.ts"
import type { JsonObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { addAudit, addEvent, type Db, wakeUp } from "./transaction.ts"
import { decisionDetails, decisionWords, runDetails } from "#fleet/audit-details.ts"
import type { FleetApproval, Lease, NewApproval, SessionOpening } from "#fleet/records.ts"
import type { ApprovalKind, ApprovalState } from "#session/port/approval.ts"
import { shownApproval } from "#fleet/shown-approval.ts"
import type {
  Decision,
  DecisionFailure,
  DecisionOutcome,
  FleetApprovals,
  PastDecision,
} from "#fleet/store/approvals.ts"
import type { Fenced } from "#fleet/store/failures.ts"
import type { ApprovalDetails } from "#session/port/approval-details.ts"
import { now } from "./tables.ts"

/** As part of a statement: a letter to each address, if there is none yet. */
export const lettersFrom = (source: string): string =>
  `insert into fleet_deliveries (url, session, approval, digest, opened, next_at)
   select hook.url, asked.session, asked.id, asked.digest, asked.opened, ${now} from ${source}
   on conflict do nothing`

export interface ApprovalRow {
  readonly session: string
  readonly id: string
  readonly digest: string
  readonly opened: string
  readonly kind: ApprovalKind
  readonly title: string
  readonly action: string
  readonly explanation: string
  readonly risks: readonly string[]
  readonly details: string | null
  readonly state: ApprovalState
  readonly expires_at: number | null
  readonly created_at: number
  readonly decided_at: number | null
  readonly decided_by: string | null
  readonly answer: string | null
  readonly is_late: boolean
  readonly session_title?: string
  readonly session_by?: string | null
}

const titled =
  "(select title from fleet_sessions where fleet_sessions.id = fleet_approvals.session) as session_title, created_by as session_by"

const selected = `select *, coalesce(expires_at < ${now}, false) as is_late from fleet_approvals`

export const selectApprovals = (where: string): string => `${selected} where ${where}`

export function openDecisions(db: Db): FleetApprovals {
  return {
    decide: (decision) => db.write((sql) => decide(sql, decision)),
    async open(createdBy) {
      const { where, values } = openTo(createdBy)
      // As one text: of thousands of rows, reading them one by one would take most of the time.
      const [found] = await db.rows<{ all: string }>(
        `select coalesce(json_agg(asked order by opened), '[]')::text as all from (select *, ${titled} from fleet_approvals ${where}) as asked`,
        values,
      )
      return (JSON.parse(found?.all ?? "[]") as readonly ApprovalRow[]).map(asApproval)
    },
    async openPage({ createdBy, limit, after = "0" }) {
      const { where, values } = openTo(createdBy)
      const [counted] = await db.rows<{ total: number }>(
        `select count(*)::integer as total from fleet_approvals ${where}`,
        values,
      )
      const found = await db.rows<ApprovalRow>(
        `select *, ${titled} from fleet_approvals ${where} and opened > $${values.length + 1} order by opened limit $${values.length + 2}::integer`,
        // One more than is shown says whether anything follows.
        [...values, after, limit + 1],
      )
      const page = found.slice(0, limit)
      return {
        approvals: page.map(asApproval),
        ...optional("next", found.length > limit ? page.at(-1)?.opened : undefined),
        total: counted?.total ?? 0,
      }
    },
    of: async (sessionId) =>
      (await db.rows<ApprovalRow>(`${selected} where session = $1 order by opened`, [sessionId])).map(asApproval),
    decided: (wish) => pastDecisions(db, wish),
    ofAll: async (sessionIds) =>
      (await db.rows<ApprovalRow>(`${selected} where session = any($1::text[]) order by opened`, [sessionIds])).map(
        inShort,
      ),
    ran: (lease, approvalId, action) => db.write((sql) => ran(sql, lease, approvalId, action)),
    expire: () => expireApprovals(db),
  }
}

/** Older ones say little about what is done today. */
const mostDecided = 500

async function pastDecisions(
  db: Db,
  { sessionId, createdBy }: Parameters<FleetApprovals["decided"]>[0],
): Promise<readonly PastDecision[]> {
  const of = sessionId === undefined ? (createdBy === undefined ? "" : "and created_by = $1") : "and session = $1"
  const rows = await db.rows<ApprovalRow & { readonly opening: string }>(
    `select past.*, false as is_late, sessions.title as session_title, sessions.opening
     from (select * from fleet_approvals where state in ('allowed', 'denied') and kind = 'tool' ${of} order by opened desc limit ${mostDecided}) as past
     cross join lateral (select title, opening from fleet_sessions where id = past.session limit 1) as sessions order by past.opened desc`,
    [sessionId ?? createdBy ?? []].flat(),
  )
  return rows.map((row) => ({
    approval: inShort(row),
    workspace: (JSON.parse(row.opening) as SessionOpening).workspace,
  }))
}

/** A session at a time, so that nobody waits for all of them. */
export async function expireApprovals(db: Db): Promise<readonly FleetApproval[]> {
  const late = await db.rows<{ session: string }>(
    `select distinct session from fleet_approvals where state = 'open' and expires_at is not null and expires_at < ${now} order by session`,
  )
  const expired: FleetApproval[] = []
  for (const { session } of late) expired.push(...(await db.write((sql) => expireIn(sql, session))))
  return expired
}

async function expireIn(sql: Sql, session: string): Promise<readonly FleetApproval[]> {
  await lockSession(sql, session)
  const rows = await sql.rows<ApprovalRow>(
    `${selected} where session = $1 and state = 'open' and expires_at < ${now} order by opened`,
    [session],
  )
  const expired: FleetApproval[] = []
  for (const row of rows) expired.push(await expireOne(sql, row))
  return expired
}

/** Which ones wait, in the words of the indexes. */
const openTo = (createdBy: string | undefined): { readonly where: string; readonly values: readonly string[] } => ({
  where: `where state = 'open' and (expires_at is null or expires_at >= ${now}) ${createdBy === undefined ? "" : "and created_by = $1"}`,
  values: createdBy === undefined ? [] : [createdBy],
})

export async function decide(sql: Sql, decision: Decision): Promise<Result<DecisionOutcome, DecisionFailure>> {
  const { sessionId, approvalId, digest, by } = decision
  // Whoever comes at the same moment waits here and then finds what was decided.
  await lockSession(sql, sessionId)
  const rows = await sql.rows<ApprovalRow>(`${selected} where session = $1 and id = $2 order by opened desc`, [
    sessionId,
    approvalId,
  ])
  const [current] = rows
  if (!current) return failed({ kind: "no_such_approval" })
  const named = rows.find((row) => row.digest === digest)
  if (current.digest !== digest || current.state === "void")
    return failed({ kind: "void", approval: asApproval(named ?? current) })
  if (current.state === "expired") return failed({ kind: "expired", approval: asApproval(current) })
  if (current.state !== "open") return ok({ approval: asApproval(current), isEffective: false })
  if (current.is_late) return failed({ kind: "expired", approval: await expireOne(sql, current) })
  const approval = await close(sql, current, decision)
  await wakeUp(sql, sessionId)
  await waitNoMore(sql, sessionId, decision)
  const shown = asApproval(current)
  const details = decisionDetails(decision, shown)
  await addAudit(sql, by, decisionWords(decision, shown), { sessionId, approvalId, details })
  return ok({ approval, isEffective: true })
}

/** Once nothing is open, it does not wait for anybody: it works as soon as a worker is free. */
async function waitNoMore(sql: Sql, id: string, { allows }: Decision): Promise<void> {
  const [session] = await sql.rows<{ stage: string; mode: string }>(
    `select stage, mode from fleet_sessions where id = $1 and worker is null and starts_with(stage, 'awaiting_')
       and not exists (select 1 from fleet_approvals where session = $1 and state = 'open')`,
    [id],
  )
  if (!session) return
  const isPlanning = session.stage === "awaiting_plan_approval" ? !allows : session.mode === "plan"
  const stage = isPlanning ? "planning" : "executing"
  await sql.rows("update fleet_sessions set stage = $2 where id = $1", [id, stage])
  await addEvent(sql, id, "stage", { stage })
}

async function ran(
  sql: Sql,
  { sessionId, fence, worker }: Lease,
  approvalId: string,
  action: FleetApproval["action"],
): Promise<Result<void, Fenced>> {
  const leaseQuery = "select 1 from fleet_sessions where id = $1 and fence = $2 and worker = $3 for update"
  if ((await sql.rows(leaseQuery, [sessionId, fence, worker])).length === 0) return failed({ kind: "fenced" })
  const [row] = await sql.rows<ApprovalRow>(
    `${selected} where session = $1 and id = $2 and state = 'allowed' order by opened desc`,
    [sessionId, approvalId],
  )
  if (!row) return ok(undefined)
  const details = runDetails(action, asApproval(row))
  // The answer to the first attempt may have been lost.
  const before = await sql.rows<{ details: string }>(
    "select details from fleet_audit where session = $1 and approval = $2 and what like 'ran%'",
    [sessionId, approvalId],
  )
  if (before.some((each) => each.details === JSON.stringify(details))) return ok(undefined)
  const what = details.shown === details.ran ? "ran as shown" : "ran as edited"
  await addAudit(sql, row.decided_by ?? "", what, { sessionId, approvalId, details })
  return ok(undefined)
}

async function close(sql: Sql, { session, id, digest }: ApprovalRow, decision: Decision): Promise<FleetApproval> {
  const state: ApprovalState = decision.allows ? "allowed" : "denied"
  return changed(
    sql,
    session,
    await sql.rows<ApprovalRow>(
      `update fleet_approvals set state = $4, details = null, decided_at = ${now}, decided_by = $5, answer = $6
       where session = $1 and id = $2 and digest = $3 returning *`,
      [session, id, digest, state, decision.by, JSON.stringify(decision.answer)],
    ),
  )
}

async function expireOne(sql: Sql, row: ApprovalRow): Promise<FleetApproval> {
  await wakeUp(sql, row.session)
  return endOne(sql, row, "expired")
}

/** Without a decision. */
const endOne = async (
  sql: Sql,
  { session, id, digest }: ApprovalRow,
  state: "expired" | "void",
): Promise<FleetApproval> =>
  changed(
    sql,
    session,
    await sql.rows<ApprovalRow>(
      "update fleet_approvals set state = $4, details = null where session = $1 and id = $2 and digest = $3 returning *",
      [session, id, digest, state],
    ),
  )

async function changed(sql: Sql, sessionId: string, rows: readonly ApprovalRow[]): Promise<FleetApproval> {
  const [row] = rows
  if (!row) throw new Error(`an approval of session ${sessionId} is gone`)
  const approval = asApproval(row)
  // Whoever follows the session finds the details in its log.
  const { details: _details, ...withoutDetails } = approval
  await addEvent(sql, sessionId, "approval", shownApproval(withoutDetails, true))
  return approval
}

/** What a session waits for from now on, and nothing else: what it asked before and does not ask now is void. The caller has locked the session. */
export async function askFor(sql: Sql, sessionId: string, asked: readonly NewApproval[]): Promise<void> {
  const known = await sql.rows<ApprovalRow>(`${selected} where session = $1`, [sessionId])
  const isAsked = ({ id, digest }: ApprovalRow): boolean =>
    asked.some((each) => each.id === id && each.digest === digest)
  for (const row of known) {
    // One that was decided and is not asked any more has been used, unless the same is asked about another action.
    const isReplaced = asked.some(({ id }) => id === row.id)
    const isVoid = !isAsked(row) && (row.state === "open" || (isReplaced && row.state !== "void"))
    if (isVoid) await endOne(sql, row, "void")
  }
  for (const each of asked) {
    const before = known.find(({ id, digest }) => id === each.id && digest === each.digest)
    // An answer that came meanwhile is the answer.
    if (before && ["open", "allowed", "denied"].includes(before.state)) continue
    await changed(sql, sessionId, await openOne(sql, sessionId, each))
  }
}

const openOne = (sql: Sql, sessionId: string, each: NewApproval): Promise<readonly ApprovalRow[]> =>
  sql.rows<ApprovalRow>(
    `with asked as (
       insert into fleet_approvals (session, id, digest, kind, title, action, explanation, risks, details, state, expires_at, created_at, created_by)
       values ($1, $2, $3, $4, $5, $6, $7, $8::text[], $11, 'open', coalesce($9::double precision, ${now} + $10::double precision), ${now},
         (select created_by from fleet_sessions where id = $1))
       on conflict (session, id, digest) do update set
         state = 'open', details = excluded.details, opened = nextval('fleet_opened'), expires_at = excluded.expires_at, decided_at = null, decided_by = null, answer = null
       returning *
     ),
     letters as (${lettersFrom("asked cross join fleet_hooks as hook")})
     select * from asked`,
    [
      sessionId,
      each.id,
      each.digest,
      each.kind,
      each.title,
      JSON.stringify(each.action),
      each.explanation,
      each.risks,
      each.expiresAt ?? null,
      each.expiresInMs ?? null,
      each.details ? JSON.stringify(each.details) : null,
    ],
  )

const lockSession = (sql: Sql, id: string): Promise<unknown> =>
  sql.rows("select 1 from fleet_sessions where id = $1 for update", [id])

/** Where many are shown, or somebody is only told that one waits. */
export const inShort = (row: ApprovalRow): FleetApproval => asApproval({ ...row, details: null })

export const asApproval = (row: ApprovalRow): FleetApproval => ({
  id: row.id,
  sessionId: row.session,
  ...optional("sessionTitle", row.session_title),
  ...optional("sessionBy", row.session_by ?? undefined),
  kind: row.kind,
  title: row.title,
  action: JSON.parse(row.action) as FleetApproval["action"],
  explanation: row.explanation,
  risks: row.risks,
  ...optional("details", row.details === null ? undefined : (JSON.parse(row.details) as ApprovalDetails)),
  digest: row.digest,
  state: row.state,
  ...optional("expiresAt", row.expires_at ?? undefined),
  createdAt: row.created_at,
  ...optional("decidedAt", row.decided_at ?? undefined),
  ...optional("decidedBy", row.decided_by ?? undefined),
  ...optional("answer", row.answer === null ? undefined : (JSON.parse(row.answer) as JsonObject)),
})
