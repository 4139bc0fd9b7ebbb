/** Sessions of a fleet as rows. */

import type { GateOverview } from "#agent/words/gates.ts"
import type { SessionStage } from "#agent/words/stage.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import { dirname } from "node:path"
import { enterSection, type Sql, type SqlValue } from "#lib/database.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok } from "#lib/result.ts"
import { silentMs, tellHolder, wakeWorker } from "./notices.ts"
import { addAudit, addEvent, type Db, wakeLead, wakeUp } from "./transaction.ts"
import type { FleetSession, SessionOpening } from "#fleet/records.ts"
import type { PlanOverview } from "#session/port/stage-overview.ts"
import { messageOp } from "#fleet/ops.ts"
import { queueOp } from "./ops.ts"
import type { FleetSessions } from "#fleet/store/sessions.ts"
import { folderOf, repositoryOf } from "#fleet/workspaces.ts"
import { queuedWords, wakeQueued } from "./quotas.ts"
import { now } from "./tables.ts"

interface KeptSession {
  readonly id: string
  readonly title: string
  readonly query: string
  readonly clarified_query: string | null
  readonly mode: PermissionMode
  readonly model: string
  readonly stage: SessionStage
  readonly plan: string | null
  readonly gates: string | null
  readonly result: string | null
  readonly opening: string
  readonly labels: readonly string[]
  readonly cost_usd: number
  readonly created_by: string
  readonly created_at: number
  readonly updated_at: number
  readonly worker: string | null
  readonly pid: number | null
  readonly host: string | null
  readonly lines: number
  readonly events: number
  readonly lead: string | null
  readonly folder: string | null
  readonly repository: string | null
  readonly waits_for: string | null
  /** What no worker that lives has. */
  readonly unserved: "workers" | "labels" | "folder" | "both" | null
  /** Whoever held it was not heard of in time. */
  readonly is_lost: boolean
}

/** Nobody reads a list of more. */
const mostSharing = 20

/** Something is to be done, and nobody does it: it has no worker, or one that was not heard of in time. */
const isDue = `session.wake_at <= ${now} and (session.worker is null or session.lease_until < ${now})`

/** A worker that lives and has its folders where the session has its own. */
const isPlaced = `coalesce(starts_with(session.folder, other.workplaces || '/'), true)`

const noneThat = (fits: string): string =>
  `not exists (select 1 from fleet_workers as other where other.seen_at > ${now} - ${silentMs} and ${fits})`

const unserved = `case when ${isDue} then
    case when ${noneThat("true")} then 'workers'
      when ${noneThat("session.labels <@ other.labels")} then 'labels'
      when session.folder is not null and ${noneThat(isPlaced)} then 'folder'
      when session.folder is not null and ${noneThat(`session.labels <@ other.labels and ${isPlaced}`)} then 'both'
    end end as unserved,
  (session.worker is not null and session.lease_until < ${now}) as is_lost`

const selected = `select session.*, worker.pid, worker.host, ${unserved}
  from fleet_sessions as session left join fleet_workers as worker on worker.id = session.worker`

export function openSessions(db: Db): FleetSessions {
  const get = async (id: string): Promise<FleetSession | undefined> =>
    (await db.rows<KeptSession>(`${selected} where session.id = $1`, [id])).map(asSession)[0]
  return {
    get,
    create: (session, by, images) => db.write((sql) => insertSession(sql, session, by, images)),
    createAlone: (session, by, images) =>
      db.write(async (sql) => {
        const path = folderOf(session.opening.workspace)
        if (path === undefined) return ok(await insertSession(sql, session, by, images))
        await enterSection(sql, "folders of sessions")
        const others = await openIn(sql, path, session.lead ?? session.id)
        return others.length > 0
          ? failed({ kind: "shared", others } as const)
          : ok(await insertSession(sql, session, by, images))
      }),
    async list(wish) {
      const { text, values } = newestOf(wish)
      const found = await db.rows<KeptSession>(
        `${selected} join (${text}) as listed on listed.id = session.id order by listed.place desc`,
        values,
      )
      return found.map(asSession)
    },
    async sharingFolder(id) {
      const [mine] = await db.rows<{ path: string | null; team: string }>(
        "select path, coalesce(lead, id) as team from fleet_sessions where id = $1",
        [id],
      )
      if (!mine || mine.path === null) return []
      return openIn(db, mine.path, mine.team)
    },
    cancel: (id, by) =>
      db.write(async (sql) => {
        const found = await sql.rows<{ id: string; stage: SessionStage; worker: string | null }>(
          "select id, stage, worker from fleet_sessions where id = $1 or lead = $1 order by id for update",
          [id],
        )
        if (!found.some((session) => session.id === id)) return failed({ kind: "no_such_session" } as const)
        // Those who work for it end with it.
        for (const session of found) {
          if (session.stage !== "cancelled") await cancelOne(sql, session.id, by)
          if (session.worker !== null) await tellHolder(sql, session.worker, session.id)
        }
        await wakeLead(sql, id)
        return ok(undefined)
      }),
    wake: (id) => db.write(async (sql) => void (await wakeUp(sql, id))),
  }
}

/**
 * The newest of each stage, then the newest of these. As ranges of an index: of a stage that few are in, a walk by age would pass all the others.
 */
function newestOf({ stages, limit, after, createdBy }: Parameters<FleetSessions["list"]>[0]): {
  readonly text: string
  readonly values: readonly SqlValue[]
} {
  const values: SqlValue[] = [limit]
  const nth = (value: SqlValue): string => `$${values.push(value)}`
  const before =
    after === undefined ? `${Number.MAX_SAFE_INTEGER}` : `(select place from fleet_sessions where id = ${nth(after)})`
  const by = createdBy === undefined ? "" : `created_by = ${nth(createdBy)}::text and `
  if (stages === undefined) {
    const text = `select id, place from fleet_sessions where ${by}place < ${before} order by place desc limit $1::integer`
    return { text, values }
  }
  // Without an owner, planners think little of the stages that few are in, and would walk by age: a comparison of rows is a range of one index only.
  const [within, order] =
    by === ""
      ? [`(stage, place) > (given.stage, 0) and (stage, place) < (given.stage, ${before})`, "stage desc, place desc"]
      : [`${by}stage = given.stage and place < ${before}`, "place desc"]
  const text = `select found.* from unnest(${nth(stages)}::text[]) as given (stage) cross join lateral (
      select id, place from fleet_sessions where ${within} order by ${order} limit $1::integer
    ) as found order by place desc limit $1::integer`
  return { text, values }
}

/** Its first prompt is queued with it. */
async function insertSession(
  sql: Sql,
  ...[session, by, images]: Parameters<FleetSessions["create"]>
): Promise<FleetSession> {
  const { id, title, query, mode, model, opening, labels, lead } = session
  const stage: SessionStage = mode === "plan" ? "planning" : "executing"
  await sql.rows(
    `insert into fleet_sessions (id, title, query, mode, model, stage, opening, labels, created_by, lead, path, repository, created_at, updated_at, wake_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8::text[], $9, $10, $11, $12, ${now}, ${now}, ${now})`,
    [
      id,
      title,
      query,
      mode,
      model,
      stage,
      JSON.stringify(opening),
      labels,
      by,
      lead ?? null,
      folderOf(opening.workspace) ?? null,
      repositoryOf(opening.workspace),
    ],
  )
  await queueOp(sql, id, id, messageOp(query, images), by)
  await addAudit(sql, by, "session created", { sessionId: id })
  await addEvent(sql, id, "stage", { stage })
  await wakeWorker(sql, labels, null)
  const [row] = await sql.rows<KeptSession>(`${selected} where session.id = $1`, [id])
  if (!row) throw new Error(`session ${id} was not kept`)
  return asSession(row)
}

/** Those of other teams that are not over and work in this folder, in one above it or below it. */
async function openIn(sql: Pick<Sql, "rows">, path: string, team: string): Promise<readonly FleetSession[]> {
  // Everything below is between two names, which an index finds.
  const below = path === "/" ? "/" : `${path}/`
  const isOpen = "path is not null and stage not in ('completed', 'failed', 'cancelled')"
  const found = await sql.rows<KeptSession>(
    `with there as materialized (
       select id from fleet_sessions where ${isOpen} and path = any($2::text[])
       union select id from fleet_sessions where ${isOpen} and path ~>=~ $3 and path ~<~ $4
     )
     ${selected} where session.id in (select id from there) and coalesce(session.lead, session.id) <> $1
     order by session.place limit ${mostSharing}`,
    [team, ancestorsOf(path), below, `${below.slice(0, -1)}0`],
  )
  return found.map(asSession)
}

/** The folder itself, and all it is in. */
function ancestorsOf(path: string): readonly string[] {
  const all = [path]
  for (let at = path; dirname(at) !== at; at = dirname(at)) all.push(dirname(at))
  return all
}

async function cancelOne(sql: Sql, id: string, by: string): Promise<void> {
  const [session] = await sql.rows<Pick<KeptSession, "created_by" | "repository">>(
    `update fleet_sessions set stage = 'cancelled', fence = fence + 1, worker = null, lease_until = null, wake_at = null, waits_for = null
     where id = $1 returning created_by, repository`,
    [id],
  )
  if (session) await wakeQueued(sql, session.created_by, session.repository)
  await sql.rows("update fleet_approvals set state = 'void', details = null where session = $1 and state = 'open'", [
    id,
  ])
  await addAudit(sql, by, "session cancelled", { sessionId: id })
  await addEvent(sql, id, "stage", { stage: "cancelled" })
}

const asSession = (row: KeptSession): FleetSession => ({
  id: row.id,
  title: row.title,
  query: row.query,
  ...optional("clarifiedQuery", row.clarified_query ?? undefined),
  mode: row.mode,
  model: row.model,
  stage: row.stage,
  ...optional("plan", row.plan === null ? undefined : (JSON.parse(row.plan) as PlanOverview)),
  ...optional("gates", row.gates === null ? undefined : (JSON.parse(row.gates) as readonly GateOverview[])),
  ...optional("result", row.result === null ? undefined : (JSON.parse(row.result) as { ok: boolean; text: string })),
  opening: JSON.parse(row.opening) as SessionOpening,
  labels: row.labels,
  costUsd: row.cost_usd,
  ...optional(
    "worker",
    row.worker === null || row.is_lost ? undefined : { id: row.worker, pid: row.pid ?? 0, host: row.host ?? "" },
  ),
  ...optional("needs", isUnplaced(row) && row.folder !== null ? dirname(row.folder) : undefined),
  ...optional("stuck", stuckWords(row)),
  ...optional("queued", queuedWords(row.waits_for, { createdBy: row.created_by, repository: row.repository })),
  lines: row.lines,
  events: row.events,
  ...optional("lead", row.lead ?? undefined),
  createdBy: row.created_by,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

/** Where nobody is at all, a worker for its folder has to be started too. */
const isUnplaced = ({ unserved: what, folder }: KeptSession): boolean =>
  what === "folder" || what === "both" || (what === "workers" && folder !== null)

/** What is missing, and what to do about it. */
function stuckWords(row: KeptSession): string | undefined {
  const { unserved: what, is_lost: isLost, host, labels, folder } = row
  if (what === null) return undefined
  const lost = isLost ? `Its worker${host ? ` on ${host}` : ""} was not heard of any more. ` : ""
  const place = folder === null ? "" : ` --workplaces ${dirname(folder)}`
  const offer = labels.length === 0 ? "" : ` --labels ${labels.join(",")}`
  const missing = {
    workers: "No worker is running.",
    labels: `No worker that runs has the labels ${labels.join(", ")}.`,
    folder: `No worker that runs keeps the folders of sessions in ${folder === null ? "" : dirname(folder)}, where this one has its own.`,
    both: `No worker that runs has both the labels ${labels.join(", ")} and the folder ${folder === null ? "" : dirname(folder)}.`,
  }[what]
  return `${lost}${missing} Start one: codewright worker --database …${place}${offer}`
}
