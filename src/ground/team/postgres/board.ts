/** The graph of tasks in Postgres. */

import type { Board, Claim, NewTask, TaskChange, TaskFailure, TeamTask } from "#agent/words/team.ts"
import { pathBetween } from "#lib/graph.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Clock } from "#lib/clock.ts"
import { backNotice, doneNotice, merged, mostAttempts } from "#ground/team/board.ts"
import { Refused } from "#ground/team/refused.ts"
import {
  allTasks,
  asTask,
  claimsIn,
  existing,
  found,
  leadOf,
  leased,
  type LinkedRow,
  metadataOf,
  notesOf,
  openBlockersOf,
  openOf,
  readyFor,
  setTask,
  taskById,
} from "./task-rows.ts"
import { notifyLead } from "./mail.ts"
import type { ChangingRows, TeamDesk } from "./team-rows.ts"

export function openBoard(desk: TeamDesk, clock: Clock): Board {
  /** A failure within undoes what was done before it. */
  async function tried<T>(work: (rows: ChangingRows) => Promise<T>): Promise<Result<T, TaskFailure>> {
    try {
      return ok(await desk.write(work))
    } catch (error) {
      if (error instanceof Refused) return failed(error.failure)
      throw error
    }
  }

  return {
    create: (task) => tried((rows) => create(rows, task)),
    change: (id, change) => tried(async (rows) => apply(rows, await existing(rows, id), change)),
    async get(id) {
      const row = await found(desk, id)
      return row && asTask(row)
    },
    list: async () => (await allTasks(desk)).map(asTask),
    claim: (worker, wish = {}) => tried((rows) => claim(rows, worker, wish)),
    async beat(leases) {
      if (leases.length === 0) return
      await desk.rows(
        "update team_tasks set beat = beat + 1 where team = $1 and lease = any($2::text[]::integer[])",
        leases.map(String),
      )
    },
    claims: () => claimsIn(desk),
    complete: (id, lease) =>
      tried(async (rows) => {
        const row = await leased(rows, id, lease)
        await setTask(rows, row.id, { status: "completed", lease: null })
        await notifyLead(rows, doneNotice(row), clock.now())
        return taskNow(rows, row.id)
      }),
    giveBack: (id, lease, note) =>
      tried(async (rows) => putBack(rows, await leased(rows, id, lease), { note, now: clock.now() })),
    takeBack: ({ id, lease, beat }, note) =>
      tried(async (rows) => {
        const row = await leased(rows, id, lease)
        if (row.beat !== beat) throw new Refused({ kind: "claimed", id, owner: row.owner ?? "" })
        return putBack(rows, row, { note, now: clock.now() })
      }),
  }
}

/** Within a transaction of the caller's. */
export async function giveBackAll(rows: ChangingRows, owner: string, back: GivenBack): Promise<void> {
  for (const { id, lease, owner: by } of await claimsIn(rows))
    if (by === owner) await putBack(rows, await leased(rows, id, lease), back)
}

interface GivenBack {
  readonly note: string
  readonly now: number
  readonly how?: "stopped" | undefined
}

async function putBack(rows: ChangingRows, row: LinkedRow, { note, now, how }: GivenBack): Promise<TeamTask> {
  const attempts = row.attempts + (how === "stopped" ? 0 : 1)
  await notifyLead(rows, backNotice(row, attempts, note), now)
  await setTask(rows, row.id, {
    status: "pending",
    owner: attempts >= mostAttempts ? await leadOf(rows) : null,
    attempts,
    notes: JSON.stringify([...notesOf(row), note]),
    lease: null,
  })
  return taskNow(rows, row.id)
}

async function taskNow(rows: ChangingRows, id: number): Promise<TeamTask> {
  const row = await taskById(rows, id)
  if (!row) throw new Refused({ kind: "no_such_task", id: String(id) })
  return asTask(row)
}

async function create(rows: ChangingRows, task: NewTask): Promise<TeamTask> {
  const id = await rows.next("task")
  await rows.change(
    `insert into team_tasks (team, id, subject, description, active_form, owner, metadata)
     values ($1, $2, $3, $4, $5, $6, $7) returning id`,
    id,
    task.subject,
    task.description,
    task.activeForm ?? null,
    task.owner ?? null,
    JSON.stringify(task.metadata ?? {}),
  )
  await link(rows, id, task.blocks, task.blockedBy)
  return taskNow(rows, id)
}

async function apply(rows: ChangingRows, row: LinkedRow, change: TaskChange): Promise<TeamTask> {
  const { subject, description, activeForm, owner, status, metadata } = change
  // Whoever works on it loses it: it was given to somebody else, stopped, or deleted.
  const ends = row.lease !== null && (status !== undefined || (owner !== undefined && owner !== row.owner))
  await setTask(rows, row.id, {
    ...(subject !== undefined && { subject }),
    ...(description !== undefined && { description }),
    ...(activeForm !== undefined && { active_form: activeForm }),
    ...(ends && { status: "pending", owner: null, lease: null }),
    ...(status !== undefined && { status }),
    ...(owner !== undefined && { owner }),
    ...(metadata !== undefined && { metadata: JSON.stringify(merged(metadataOf(row), metadata)) }),
  })
  for (const other of change.removeBlocks ?? []) await unlink(rows, row.id, (await existing(rows, other)).id)
  for (const other of change.removeBlockedBy ?? []) await unlink(rows, (await existing(rows, other)).id, row.id)
  await link(rows, row.id, change.addBlocks, change.addBlockedBy)
  return taskNow(rows, row.id)
}

async function link(
  rows: ChangingRows,
  id: number,
  blocks: readonly string[] = [],
  blockedBy: readonly string[] = [],
): Promise<void> {
  if (blocks.length + blockedBy.length === 0) return
  const edges: (readonly [number, number])[] = []
  for (const other of blocks) edges.push([id, (await existing(rows, other)).id])
  for (const other of blockedBy) edges.push([(await existing(rows, other)).id, id])
  // Those of deleted tasks too: one that comes back must not close a circle.
  const all = await rows.rows<{ blocker: number; blocked: number }>(
    "select blocker, blocked from team_edges where team = $1 order by blocker, blocked",
  )
  const after = Map.groupBy([...all], ({ blocker }) => blocker)
  for (const [blocker, blocked] of edges) {
    const way = pathBetween(blocked, blocker, (node) => (after.get(node) ?? []).map((edge) => edge.blocked))
    if (way) throw new Refused({ kind: "cycle", ids: [blocker, ...way].map(String) })
    after.set(blocker, [...(after.get(blocker) ?? []), { blocker, blocked }])
    await rows.change(
      "insert into team_edges (team, blocker, blocked) values ($1, $2, $3) on conflict do nothing returning team",
      blocker,
      blocked,
    )
  }
}

const unlink = (rows: ChangingRows, blocker: number, blocked: number): Promise<unknown> =>
  rows.change(
    "delete from team_edges where team = $1 and blocker = $2 and blocked = $3 returning team",
    blocker,
    blocked,
  )

async function claim(
  rows: ChangingRows,
  worker: string,
  { id, onlyIfFree = false }: { readonly id?: string; readonly onlyIfFree?: boolean },
): Promise<Claim> {
  const open = onlyIfFree ? await openOf(rows, worker) : undefined
  if (open !== undefined) throw new Refused({ kind: "busy", id: String(open) })
  const chosen =
    id === undefined ? await readyFor(rows, worker) : await claimable(rows, await existing(rows, id), worker)
  if (chosen === undefined) throw new Refused({ kind: "nothing" })
  const lease = await rows.next("lease")
  await setTask(rows, chosen, { status: "in_progress", owner: worker, lease, beat: 0 })
  return { task: await taskNow(rows, chosen), lease }
}

async function claimable(rows: ChangingRows, row: LinkedRow, worker: string): Promise<number> {
  const id = String(row.id)
  if (row.status === "completed" || row.status === "deleted")
    throw new Refused({ kind: "resolved", id, status: row.status })
  if (row.status === "in_progress" || (row.owner !== null && row.owner !== worker))
    throw new Refused({ kind: "claimed", id, owner: row.owner ?? "" })
  const by = await openBlockersOf(rows, row.id)
  if (by.length > 0) throw new Refused({ kind: "blocked", id, by: by.map(String) })
  return row.id
}
