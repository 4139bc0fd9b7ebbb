/** Tasks of a team in Postgres: what is known of one, and of all. */

import type { OpenClaim, TeamTask } from "#agent/words/team.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import type { SqlValue } from "#lib/database.ts"
import { Refused } from "#ground/team/refused.ts"
import type { TaskRow } from "#ground/team/task-rows.ts"
import { assignments, type ChangingRows, type TeamRows } from "./team-rows.ts"

export interface LinkedRow extends TaskRow {
  readonly blocks: readonly string[]
  readonly blocked_by: readonly string[]
}

const linked = (side: string, other: string): string => `array(
  select other.id::text from team_edges as edge
  join team_tasks as other on other.team = edge.team and other.id = edge.${side} and other.status <> 'deleted'
  where edge.team = task.team and edge.${other} = task.id order by other.id
)`

const selected = `select task.*, ${linked("blocked", "blocker")} as blocks, ${linked("blocker", "blocked")} as blocked_by
  from team_tasks as task where task.team = $1`

const openBlockers = `select other.id from team_edges as edge
  join team_tasks as other on other.team = edge.team and other.id = edge.blocker and other.status in ('pending', 'in_progress')
  where edge.team = task.team and edge.blocked = task.id`

export const taskById = async ({ rows }: TeamRows, id: number): Promise<LinkedRow | undefined> =>
  (await rows<LinkedRow>(`${selected} and task.id = $2`, id))[0]

export async function found(rows: TeamRows, id: string): Promise<LinkedRow | undefined> {
  const row = /^\d{1,9}$/.test(id) ? await taskById(rows, Number(id)) : undefined
  return row?.status === "deleted" ? undefined : row
}

export async function existing(rows: TeamRows, id: string): Promise<LinkedRow> {
  const row = await found(rows, id)
  if (!row) throw new Refused({ kind: "no_such_task", id })
  return row
}

/** The row, if it is still held by that lease. */
export async function leased(rows: TeamRows, id: string, lease: number): Promise<LinkedRow> {
  const row = await found(rows, id)
  if (row?.lease !== lease) throw new Refused({ kind: "lost", id })
  return row
}

export const allTasks = ({ rows }: TeamRows): Promise<readonly LinkedRow[]> =>
  rows<LinkedRow>(`${selected} and task.status <> 'deleted' order by task.id`)

export async function openBlockersOf({ rows }: TeamRows, id: number): Promise<readonly number[]> {
  const statement = `select blocker.id from team_tasks as task, lateral (${openBlockers}) as blocker
    where task.team = $1 and task.id = $2 order by blocker.id`
  return (await rows<{ id: number }>(statement, id)).map((row) => row.id)
}

/** The lead coordinates: only what is meant for it is its own work. */
export async function readyFor({ rows }: TeamRows, worker: string): Promise<number | undefined> {
  const statement = `select task.id from team_tasks as task where task.team = $1 and task.status = 'pending' and not exists (${openBlockers})
    and (task.owner = $2 or (task.owner is null and $2 <> (select lead from teams where id = $1)))
    order by task.owner is distinct from $2, task.id limit 1`
  return (await rows<{ id: number }>(statement, worker))[0]?.id
}

export async function openOf({ rows }: TeamRows, worker: string): Promise<number | undefined> {
  const statement = "select id from team_tasks where team = $1 and status = 'in_progress' and owner = $2 order by id"
  return (await rows<{ id: number }>(statement, worker))[0]?.id
}

export async function claimsIn({ rows }: TeamRows): Promise<readonly OpenClaim[]> {
  const claims = await rows<{ id: number; owner: string; lease: number; beat: number }>(
    "select id, owner, lease, beat from team_tasks where team = $1 and status = 'in_progress' and lease is not null order by id",
  )
  return claims.map(({ id, owner, lease, beat }) => ({ id: String(id), owner, lease, beat }))
}

export async function leadOf({ rows }: TeamRows): Promise<string> {
  return (await rows<{ lead: string }>("select lead from teams where id = $1"))[0]?.lead ?? ""
}

export async function setTask(
  { change }: ChangingRows,
  id: number,
  values: Partial<Omit<TaskRow, "id">>,
): Promise<void> {
  if (Object.keys(values).length === 0) return
  const statement = `update team_tasks set ${assignments(values)} where team = $1 and id = $2 returning id`
  await change(statement, id, ...(Object.values(values) as SqlValue[]))
}

export const notesOf = ({ notes }: TaskRow): readonly string[] => JSON.parse(notes) as string[]

export function metadataOf({ metadata }: TaskRow): JsonObject {
  const value: unknown = JSON.parse(metadata)
  return isObject(value) ? value : {}
}

export const asTask = (row: LinkedRow): TeamTask => ({
  id: String(row.id),
  subject: row.subject,
  description: row.description,
  ...(row.active_form !== null && { activeForm: row.active_form }),
  status: row.status,
  ...(row.owner !== null && { owner: row.owner }),
  blocks: row.blocks,
  blockedBy: row.blocked_by,
  attempts: row.attempts,
  notes: notesOf(row),
  metadata: metadataOf(row),
})
