/** The graph of tasks in a team's file: every change is one transaction, so of several claimers one wins. */

import type { Board, Claim, Letter, NewTask, TaskChange, TaskFailure, TeamTask } from "#agent/words/team.ts"
import { pathBetween } from "#lib/graph.ts"
import type { JsonObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { TeamDatabase } from "./database.ts"
import { Refused } from "./refused.ts"
import type { TaskRow, TaskRows } from "./task-rows.ts"

/** After this many attempts a task is the lead's. */
export const mostAttempts = 3

type Tried<T> = Result<T, TaskFailure>

export interface KeptBoard {
  readonly board: Board
  /** Within a transaction of the caller's. */
  readonly giveBackAll: (owner: string, note: string, how?: "stopped") => void
}

/** What the lead is told of a task. */
export type Notice = Pick<Letter, "from" | "text" | "key">

type Noticed = Pick<TaskRow, "id" | "subject" | "owner" | "attempts" | "lease">

export const doneNotice = ({ id, subject, owner, lease }: Noticed): Notice => ({
  from: owner ?? "",
  text: `#${id} ${subject}: completed`,
  key: `done ${id} ${lease}`,
})

/** `attempts`: with the one that ended now. */
export function backNotice({ id, subject, owner, lease }: Noticed, attempts: number, note: string): Notice {
  const isLeads = attempts >= mostAttempts
  return {
    from: owner ?? "",
    text: `#${id} ${subject}: given back${isLeads ? `, and yours now after ${attempts} attempts` : ""}. ${note}`,
    key: `back ${id} ${lease}`,
  }
}

export function openBoard({ write }: TeamDatabase, rows: TaskRows, notify: (notice: Notice) => void): KeptBoard {
  /** A failure within undoes what was done before it. */
  function tried<T>(work: () => T): Tried<T> {
    try {
      return ok(write(work))
    } catch (error) {
      if (error instanceof Refused) return failed(error.failure)
      throw error
    }
  }

  function back(row: TaskRow, note: string, how?: "stopped"): TeamTask {
    const attempts = row.attempts + (how === "stopped" ? 0 : 1)
    notify(backNotice(row, attempts, note))
    rows.set(row.id, {
      status: "pending",
      owner: attempts >= mostAttempts ? rows.lead() : null,
      attempts,
      notes: JSON.stringify([...rows.notes(row), note]),
      lease: null,
    })
    return rows.task(row.id)
  }

  const board: Board = {
    create: async (task) => tried(() => create(rows, task)),
    change: async (id, change) => tried(() => apply(rows, rows.existing(id), change)),
    get: async (id) => rows.find(id),
    list: async () => rows.all(),
    claim: async (worker, wish = {}) => tried(() => claim(rows, worker, wish)),
    async beat(leases) {
      write(() => rows.beat(leases))
    },
    claims: async () => rows.claims(),
    complete: async (id, lease) =>
      tried(() => {
        const row = rows.leased(id, lease)
        rows.set(row.id, { status: "completed", lease: null })
        notify(doneNotice(row))
        return rows.task(row.id)
      }),
    giveBack: async (id, lease, note) => tried(() => back(rows.leased(id, lease), note)),
    takeBack: async ({ id, lease, beat }, note) =>
      tried(() => {
        const row = rows.leased(id, lease)
        if (row.beat !== beat) throw new Refused({ kind: "claimed", id, owner: row.owner ?? "" })
        return back(row, note)
      }),
  }
  return {
    board,
    giveBackAll(owner, note, how) {
      for (const { id, lease, owner: by } of rows.claims()) if (by === owner) back(rows.leased(id, lease), note, how)
    },
  }
}

function create(rows: TaskRows, task: NewTask): TeamTask {
  const id = rows.insert(task)
  link(rows, id, task.blocks, task.blockedBy)
  return rows.task(id)
}

function apply(rows: TaskRows, row: TaskRow, change: TaskChange): TeamTask {
  const { subject, description, activeForm, owner, status, metadata } = change
  // Whoever works on it loses it: it was given to somebody else, stopped, or deleted.
  const ends = row.lease !== null && (status !== undefined || (owner !== undefined && owner !== row.owner))
  rows.set(row.id, {
    ...(subject !== undefined && { subject }),
    ...(description !== undefined && { description }),
    ...(activeForm !== undefined && { active_form: activeForm }),
    ...(ends && { status: "pending", owner: null, lease: null }),
    ...(status !== undefined && { status }),
    ...(owner !== undefined && { owner }),
    ...(metadata !== undefined && { metadata: JSON.stringify(merged(rows.metadata(row), metadata)) }),
  })
  for (const other of change.removeBlocks ?? []) rows.unlink(row.id, rows.existing(other).id)
  for (const other of change.removeBlockedBy ?? []) rows.unlink(rows.existing(other).id, row.id)
  link(rows, row.id, change.addBlocks, change.addBlockedBy)
  return rows.task(row.id)
}

function link(rows: TaskRows, id: number, blocks: readonly string[] = [], blockedBy: readonly string[] = []): void {
  const edges = [
    ...blocks.map((other) => [id, rows.existing(other).id] as const),
    ...blockedBy.map((other) => [rows.existing(other).id, id] as const),
  ]
  for (const [blocker, blocked] of edges) {
    const way = pathBetween(blocked, blocker, rows.blocks)
    if (way) throw new Refused({ kind: "cycle", ids: [blocker, ...way].map(String) })
    rows.link(blocker, blocked)
  }
}

function claim(
  rows: TaskRows,
  worker: string,
  { id, onlyIfFree = false }: { readonly id?: string; readonly onlyIfFree?: boolean },
): Claim {
  const open = onlyIfFree ? rows.openOf(worker) : undefined
  if (open !== undefined) throw new Refused({ kind: "busy", id: String(open) })
  const row = id === undefined ? rows.ready(worker) : claimable(rows, rows.existing(id), worker)
  if (!row) throw new Refused({ kind: "nothing" })
  const lease = rows.nextLease()
  rows.set(row.id, { status: "in_progress", owner: worker, lease, beat: 0 })
  return { task: rows.task(row.id), lease }
}

function claimable(rows: TaskRows, row: TaskRow, worker: string): TaskRow {
  const id = String(row.id)
  if (row.status === "completed" || row.status === "deleted")
    throw new Refused({ kind: "resolved", id, status: row.status })
  if (row.status === "in_progress" || (row.owner !== null && row.owner !== worker))
    throw new Refused({ kind: "claimed", id, owner: row.owner ?? "" })
  const by = rows.openBlockers(row.id)
  if (by.length > 0) throw new Refused({ kind: "blocked", id, by: by.map(String) })
  return row
}

export const merged = (is: JsonObject, change: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries({ ...is, ...change }).filter(([, value]) => value !== null))
