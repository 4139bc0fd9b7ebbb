/** Tasks as rows: what is known of one, and of all. */

import type { OpenClaim, TaskStatus, TeamTask } from "#agent/words/team.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { Refused } from "./refused.ts"
import { row, rows, set, type Work } from "./sql.ts"

export interface TaskRow {
  readonly id: number
  readonly subject: string
  readonly description: string
  readonly active_form: string | null
  readonly status: TaskStatus
  readonly owner: string | null
  readonly attempts: number
  readonly notes: string
  readonly metadata: string
  readonly lease: number | null
  readonly beat: number
}

interface Edge {
  readonly blocker: number
  readonly blocked: number
}

/** A blocker that nobody will do any more blocks nothing. */
const openBlockers = `select other.id from team_edges as edge
  join team_tasks as other on other.team = edge.team and other.id = edge.blocker and other.status in ('pending', 'in_progress')
  where edge.team = task.team and edge.blocked = task.id`

/** Deleted or not. */
export const taskById = (id: number): Work<TaskRow | undefined> =>
  row<TaskRow>("select * from team_tasks where team = $1 and id = $2", id)

export function* found(id: string): Work<TaskRow | undefined> {
  const task = /^\d{1,9}$/.test(id) ? yield* taskById(Number(id)) : undefined
  return task?.status === "deleted" ? undefined : task
}

export function* existing(id: string): Work<TaskRow> {
  const task = yield* found(id)
  if (!task) throw new Refused({ kind: "no_such_task", id })
  return task
}

/** The row, if it is still held by that lease. */
export function* leased(id: string, lease: number): Work<TaskRow> {
  const task = yield* found(id)
  if (task?.lease !== lease) throw new Refused({ kind: "lost", id })
  return task
}

export function* allTasks(): Work<readonly TeamTask[]> {
  const tasks = yield* rows<TaskRow>("select * from team_tasks where team = $1 and status <> 'deleted' order by id")
  if (tasks.length === 0) return []
  const there = new Set(tasks.map(({ id }) => id))
  const edges = (yield* allEdges()).filter(({ blocker, blocked }) => there.has(blocker) && there.has(blocked))
  const after = Map.groupBy(edges, ({ blocker }) => blocker)
  const before = Map.groupBy(edges, ({ blocked }) => blocked)
  return tasks.map((task) => asTask(task, after.get(task.id), before.get(task.id)))
}

/** Those of deleted tasks too. */
export const allEdges = (): Work<readonly Edge[]> =>
  rows<Edge>("select blocker, blocked from team_edges where team = $1 order by blocker, blocked")

/** One that is there. */
export function* taskNow(id: number): Work<TeamTask> {
  const task = yield* taskById(id)
  if (!task) throw new Refused({ kind: "no_such_task", id: String(id) })
  return yield* linked(task)
}

export function* linked(task: TaskRow): Work<TeamTask> {
  const edges = yield* rows<Edge>(
    `select blocker, blocked from team_edges as edge where team = $1 and (blocker = $2 or blocked = $2) and not exists (
       select 1 from team_tasks as other where other.team = $1 and other.id in (edge.blocker, edge.blocked) and other.id <> $2 and other.status = 'deleted')
     order by blocker, blocked`,
    task.id,
  )
  return asTask(
    task,
    edges.filter(({ blocker }) => blocker === task.id),
    edges.filter(({ blocked }) => blocked === task.id),
  )
}

export function* openBlockersOf(id: number): Work<readonly number[]> {
  const statement = `select blocker.id from team_edges as edge
    join team_tasks as blocker on blocker.team = edge.team and blocker.id = edge.blocker
    where edge.team = $1 and edge.blocked = $2 and blocker.status in ('pending', 'in_progress') order by blocker.id`
  return (yield* rows<{ id: number }>(statement, id)).map((each) => each.id)
}

/** The lead coordinates: only what is meant for it is its own work. */
export function* readyFor(worker: string): Work<TaskRow | undefined> {
  return yield* row<TaskRow>(
    `select task.* from team_tasks as task where task.team = $1 and task.status = 'pending' and not exists (${openBlockers})
     and (task.owner = $2 or (task.owner is null and $2 <> (select lead from teams where id = $1)))
     order by task.owner is distinct from $2, task.id limit 1`,
    worker,
  )
}

export function* openOf(worker: string): Work<number | undefined> {
  const statement = "select id from team_tasks where team = $1 and status = 'in_progress' and owner = $2 order by id"
  return (yield* row<{ id: number }>(statement, worker))?.id
}

export function* openClaims(): Work<readonly OpenClaim[]> {
  const claims = yield* rows<{ id: number; owner: string; lease: number; beat: number }>(
    "select id, owner, lease, beat from team_tasks where team = $1 and status = 'in_progress' and lease is not null order by id",
  )
  return claims.map(({ id, owner, lease, beat }) => ({ id: String(id), owner, lease, beat }))
}

export const setTask = (id: number, values: Partial<Omit<TaskRow, "id">>): Work<void> =>
  set("team_tasks", { id }, values)

export const notesOf = ({ notes }: TaskRow): readonly string[] => JSON.parse(notes) as string[]

export function metadataOf({ metadata }: TaskRow): JsonObject {
  const value: unknown = JSON.parse(metadata)
  return isObject(value) ? value : {}
}

const asTask = (task: TaskRow, after: readonly Edge[] = [], before: readonly Edge[] = []): TeamTask => ({
  id: String(task.id),
  subject: task.subject,
  description: task.description,
  ...(task.active_form !== null && { activeForm: task.active_form }),
  status: task.status,
  ...(task.owner !== null && { owner: task.owner }),
  blocks: after.map(({ blocked }) => String(blocked)),
  blockedBy: before.map(({ blocker }) => String(blocker)),
  attempts: task.attempts,
  notes: notesOf(task),
  metadata: metadataOf(task),
})
