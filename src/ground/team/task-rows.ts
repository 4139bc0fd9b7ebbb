/** Tasks as rows: the statements, prepared once. */

import type { Database, SQLQueryBindings } from "bun:sqlite"
import type { NewTask, OpenClaim, TaskStatus, TeamTask } from "#agent/words/team.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { Refused } from "./refused.ts"

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

/** For use within a transaction. Whatever names a task that is not there throws `Refused`. */
export interface TaskRows {
  readonly existing: (id: string) => TaskRow
  /** The row, if it is still held by that lease. */
  readonly leased: (id: string, lease: number) => TaskRow
  readonly notes: (row: TaskRow) => readonly string[]
  readonly metadata: (row: TaskRow) => JsonObject
  readonly find: (id: string) => TeamTask | undefined
  /** Of a row that is there, deleted or not. */
  readonly task: (id: number) => TeamTask
  readonly all: () => readonly TeamTask[]
  readonly insert: (task: NewTask) => number
  readonly set: (id: number, values: Partial<Omit<TaskRow, "id">>) => void
  readonly link: (blocker: number, blocked: number) => void
  readonly unlink: (blocker: number, blocked: number) => void
  /** Deleted ones too: one that comes back must not close a circle. */
  readonly blocks: (id: number) => readonly number[]
  readonly openBlockers: (id: number) => readonly number[]
  readonly ready: (worker: string) => TaskRow | undefined
  readonly openOf: (worker: string) => number | undefined
  readonly nextLease: () => number
  readonly beat: (leases: readonly number[]) => void
  readonly claims: () => readonly OpenClaim[]
  readonly lead: () => string
}

/** A blocker that nobody will do any more blocks nothing. */
const stillOpen = "status in ('pending', 'in_progress')"

const unblocked = `not exists (
  select 1 from edges join tasks as other on other.id = edges.blocker
  where edges.blocked = tasks.id and other.${stillOpen}
)`

export function openTaskRows(database: Database): TaskRows {
  const one = database.query<TaskRow, [number]>("select * from tasks where id = ?")
  const open = database.query<{ id: number }, [string]>(
    "select id from tasks where status = 'in_progress' and owner = ?",
  )
  // The lead coordinates: only what is meant for it is its own work.
  const next = database.query<TaskRow, [string, string, string]>(`
    select * from tasks where status = 'pending' and ${unblocked}
      and (owner = ? or (owner is null and ? <> (select lead from about)))
    order by owner is not ?, id limit 1`)
  const blockers = database.query<{ id: number }, [number]>(
    `select tasks.id from edges join tasks on tasks.id = edges.blocker where edges.blocked = ? and ${stillOpen} order by tasks.id`,
  )
  const visible = (side: string, other: string) =>
    database.query<{ id: number }, [number]>(
      `select tasks.id from edges join tasks on tasks.id = edges.${side} where edges.${other} = ? and status <> 'deleted' order by tasks.id`,
    )
  const after = visible("blocked", "blocker")
  const before = visible("blocker", "blocked")
  const followers = database.query<{ id: number }, [number]>("select blocked as id from edges where blocker = ?")
  const idsOf = (query: { all: (id: number) => { id: number }[] }, id: number): readonly number[] =>
    query.all(id).map((row) => row.id)

  const find = (id: string): TaskRow | undefined => {
    const row = /^\d{1,15}$/.test(id) ? one.get(Number(id)) : null
    return row === null || row.status === "deleted" ? undefined : row
  }
  const existing = (id: string): TaskRow => {
    const row = find(id)
    if (!row) throw new Refused({ kind: "no_such_task", id })
    return row
  }
  const notes = ({ notes: text }: TaskRow): readonly string[] => JSON.parse(text) as string[]
  const metadata = ({ metadata: text }: TaskRow): JsonObject => {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : {}
  }
  const asTask = (row: TaskRow): TeamTask => ({
    id: String(row.id),
    subject: row.subject,
    description: row.description,
    ...(row.active_form !== null && { activeForm: row.active_form }),
    status: row.status,
    ...(row.owner !== null && { owner: row.owner }),
    blocks: idsOf(after, row.id).map(String),
    blockedBy: idsOf(before, row.id).map(String),
    attempts: row.attempts,
    notes: notes(row),
    metadata: metadata(row),
  })

  return {
    notes,
    metadata,
    existing,
    find: (id) => {
      const row = find(id)
      return row && asTask(row)
    },
    task(id) {
      const row = one.get(id)
      if (!row) throw new Refused({ kind: "no_such_task", id: String(id) })
      return asTask(row)
    },
    all: () =>
      database.query<TaskRow, []>("select * from tasks where status <> 'deleted' order by id").all().map(asTask),
    insert: (task) =>
      Number(
        database
          .query("insert into tasks (subject, description, active_form, owner, metadata) values (?, ?, ?, ?, ?)")
          .run(
            task.subject,
            task.description,
            task.activeForm ?? null,
            task.owner ?? null,
            JSON.stringify(task.metadata ?? {}),
          ).lastInsertRowid,
      ),
    set(id, values) {
      const names = Object.keys(values)
      if (names.length === 0) return
      const change = `update tasks set ${names.map((name) => `${name} = ?`).join(", ")} where id = ?`
      database.query(change).run(...(Object.values(values) as SQLQueryBindings[]), id)
    },
    link: (blocker, blocked) =>
      void database.query("insert or ignore into edges (blocker, blocked) values (?, ?)").run(blocker, blocked),
    unlink: (blocker, blocked) =>
      void database.query("delete from edges where blocker = ? and blocked = ?").run(blocker, blocked),
    blocks: (id) => idsOf(followers, id),
    openBlockers: (id) => idsOf(blockers, id),
    ready: (worker) => next.get(worker, worker, worker) ?? undefined,
    openOf: (worker) => open.get(worker)?.id,
    leased(id, lease) {
      const row = find(id)
      if (row?.lease !== lease) throw new Refused({ kind: "lost", id })
      return row
    },
    nextLease: () =>
      database.query<{ last: number }, []>("update leases set last = last + 1 returning last").get()?.last ?? 0,
    beat(leases) {
      const once = database.query("update tasks set beat = beat + 1 where lease = ?")
      for (const lease of leases) once.run(lease)
    },
    claims: () =>
      database
        .query<{ id: number; owner: string; lease: number; beat: number }, []>(
          "select id, owner, lease, beat from tasks where status = 'in_progress' and lease is not null order by id",
        )
        .all()
        .map(({ id, owner, lease, beat }) => ({ id: String(id), owner, lease, beat })),
    lead: () => database.query<{ lead: string }, []>("select lead from about").get()?.lead ?? "",
  }
}
