/** The graph of tasks: every change is one transaction, so of several claimers one wins. */

import type { Board, Claim, Letter, NewTask, TaskChange, TaskFailure, TeamTask } from "#agent/words/team.ts"
import type { Clock } from "#lib/clock.ts"
import type { JsonObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { pathBetween } from "./graph.ts"
import { once } from "./calls.ts"
import { notifyLead, put } from "./mail.ts"
import { Refused } from "./refused.ts"
import { leadName, memberLike, next, rows, type TeamSql, type Work } from "./sql.ts"
import {
  allEdges,
  allTasks,
  existing,
  found,
  insertTask,
  leased,
  link,
  linked,
  metadataOf,
  notesOf,
  openBlockersOf,
  openClaims,
  openOf,
  readyFor,
  setTask,
  taskNow,
  type TaskRow,
  unlink,
} from "./task-rows.ts"

/** After this many attempts a task is the lead's. */
const mostAttempts = 3

export function openBoard(sql: TeamSql, clock: Clock): Board {
  /** A failure within undoes what was done before it. */
  async function tried<T>(work: () => Work<T>): Promise<Result<T, TaskFailure>> {
    try {
      return ok(await sql.write(work))
    } catch (error) {
      if (error instanceof Refused) return failed(error.failure)
      throw error
    }
  }

  return {
    create: (task, call, reserved) => tried(() => once(call, "create", () => create(task, reserved?.id))),
    reserve: async () => String(await sql.write(() => next("task"))),
    othersThan: (name) => sql.read(() => othersThan(name)),
    change: (id, what, call) =>
      tried(() =>
        once(call, "change", function* () {
          const task = yield* existing(id)
          const by = call && (yield* changer(task, what, call.caller))
          const changed = yield* apply(task, what)
          if (by) yield* tellWorker(task, changed, by, clock.now())
          return changed
        }),
      ),
    get: (id) =>
      sql.read(function* () {
        const task = yield* found(id)
        return task && (yield* linked(task))
      }),
    list: () => sql.read(allTasks),
    claim: (worker, wish = {}, call) => tried(() => once(call, "claim", () => claim(worker, wish))),
    async beat(leases) {
      if (leases.length > 0) await sql.write(() => raiseBeats(leases))
    },
    claims: () => sql.read(openClaims),
    complete: (id, lease, call) =>
      tried(() =>
        once(call, "complete", function* () {
          const task = yield* leased(id, lease)
          yield* setTask(task, { status: "completed", lease: null })
          yield* notifyLead(doneNotice(task), clock.now())
          return yield* taskNow(task.id)
        }),
      ),
    giveBack: (id, lease, note, call) =>
      tried(() =>
        once(call, "giveBack", function* () {
          return yield* putBack(yield* leased(id, lease), { note, now: clock.now() })
        }),
      ),
    takeBack: ({ id, lease, beat }, note) =>
      tried(function* () {
        const task = yield* leased(id, lease)
        if (task.beat !== beat) throw new Refused({ kind: "claimed", id, owner: task.owner ?? "" })
        return yield* putBack(task, { note, now: clock.now() })
      }),
  }
}

/** Whether whoever works on the task loses it: it is given to somebody else, stopped, or deleted. */
const ends = ({ lease, owner: by }: TaskRow, { owner, status }: TaskChange): boolean =>
  lease !== null && (status !== undefined || (owner !== undefined && owner !== by))

/** The lead, if it takes a task from somebody who works on it. Members leave the work of others alone. */
function* changer(task: TaskRow, what: TaskChange, caller: string): Work<string | undefined> {
  if (!ends(task, what) || task.owner === caller) return undefined
  const lead = yield* leadName()
  if (caller !== lead) throw new Refused({ kind: "claimed", id: String(task.id), owner: task.owner ?? "" })
  return lead
}

function* tellWorker({ id, subject, owner, lease }: TaskRow, now: TeamTask, by: string, at: number): Work<void> {
  if (owner === null) return
  const what =
    now.status === "deleted" ? "was deleted" : now.owner === undefined ? "is no longer yours" : `is ${now.owner}'s now`
  const letter = {
    from: by,
    to: owner,
    type: "message",
    text: `#${id} ${subject} ${what}. Stop working on it.`,
  } as const
  yield* put({ ...letter, summary: `#${id} ${what}`, key: `ended ${id} ${lease}` }, { to: owner, now: at })
}

function* othersThan(name: string): Work<readonly string[] | undefined> {
  const there = yield* rows<{ name: string }>(
    "select name from team_members where team = $1 and state <> 'gone' order by place",
  )
  if (there.length === 0 || there.some((each) => each.name.toLowerCase() === name.toLowerCase())) return undefined
  return there.map((each) => each.name)
}

/** As the member itself writes it. */
function* ownerNamed(name: string | null): Work<string | null> {
  return name === null ? null : ((yield* memberLike(name))?.name ?? name)
}

/** For the transaction in which somebody leaves. */
export function* giveBackAll(owner: string, back: GivenBack): Work<void> {
  for (const { id, lease, owner: by } of yield* openClaims())
    if (by === owner) yield* putBack(yield* leased(id, lease), back)
}

interface GivenBack {
  readonly note: string
  readonly now: number
  readonly how?: "stopped" | undefined
}

function* putBack(task: TaskRow, { note, now, how }: GivenBack): Work<TeamTask> {
  const attempts = task.attempts + (how === "stopped" ? 0 : 1)
  yield* notifyLead(backNotice(task, attempts, note), now)
  yield* setTask(task, {
    status: "pending",
    owner: attempts >= mostAttempts ? yield* leadName() : null,
    attempts,
    notes: JSON.stringify([...notesOf(task), note]),
    lease: null,
  })
  return yield* taskNow(task.id)
}

/** What the lead is told of a task. */
type Notice = Pick<Letter, "from" | "text" | "key">

const doneNotice = ({ id, subject, owner, lease }: TaskRow): Notice => ({
  from: owner ?? "",
  text: `#${id} ${subject}: completed`,
  key: `done ${id} ${lease}`,
})

/** `attempts`: with the one that ended now. */
function backNotice({ id, subject, owner, lease }: TaskRow, attempts: number, note: string): Notice {
  const isLeads = attempts >= mostAttempts
  return {
    from: owner ?? "",
    text: `#${id} ${subject}: given back${isLeads ? `, and yours now after ${attempts} attempts` : ""}. ${note}`,
    key: `back ${id} ${lease}`,
  }
}

function* create(task: NewTask, reserved?: string): Work<TeamTask> {
  const id = reserved === undefined ? yield* next("task") : Number(reserved)
  yield* insertTask({
    id,
    subject: task.subject,
    description: task.description,
    active_form: task.activeForm ?? null,
    status: "pending",
    owner: yield* ownerNamed(task.owner ?? null),
    attempts: 0,
    notes: "[]",
    metadata: JSON.stringify(task.metadata ?? {}),
    lease: null,
    beat: 0,
  })
  yield* linkAll(id, task.blocks, task.blockedBy)
  return yield* taskNow(id)
}

function* apply(task: TaskRow, what: TaskChange): Work<TeamTask> {
  const { subject, description, activeForm, status, metadata } = what
  const owner = what.owner === undefined ? undefined : yield* ownerNamed(what.owner)
  yield* setTask(task, {
    ...(subject !== undefined && { subject }),
    ...(description !== undefined && { description }),
    ...(activeForm !== undefined && { active_form: activeForm }),
    ...(ends(task, { ...what, ...(owner !== undefined && { owner }) }) && {
      status: "pending",
      owner: null,
      lease: null,
    }),
    ...(status !== undefined && { status }),
    ...(owner !== undefined && { owner }),
    ...(metadata !== undefined && { metadata: JSON.stringify(merged(metadataOf(task), metadata)) }),
  })
  for (const other of what.removeBlocks ?? []) yield* unlink(task.id, (yield* existing(other)).id)
  for (const other of what.removeBlockedBy ?? []) yield* unlink((yield* existing(other)).id, task.id)
  yield* linkAll(task.id, what.addBlocks, what.addBlockedBy)
  return yield* taskNow(task.id)
}

function* linkAll(id: number, blocks: readonly string[] = [], blockedBy: readonly string[] = []): Work<void> {
  if (blocks.length + blockedBy.length === 0) return
  const added: (readonly [number, number])[] = []
  for (const other of blocks) added.push([id, (yield* existing(other)).id])
  for (const other of blockedBy) added.push([(yield* existing(other)).id, id])
  // Those of deleted tasks too: one that comes back must not close a circle.
  const after = new Map<number, number[]>()
  for (const { blocker, blocked } of yield* allEdges()) after.set(blocker, [...(after.get(blocker) ?? []), blocked])
  for (const [blocker, blocked] of added) {
    const way = pathBetween(blocked, blocker, (node) => after.get(node) ?? [])
    if (way) throw new Refused({ kind: "cycle", ids: [blocker, ...way].map(String) })
    after.set(blocker, [...(after.get(blocker) ?? []), blocked])
    yield* link(blocker, blocked)
  }
}

function* claim(
  worker: string,
  { id, onlyIfFree = false }: { readonly id?: string; readonly onlyIfFree?: boolean },
): Work<Claim> {
  const open = onlyIfFree ? yield* openOf(worker) : undefined
  if (open !== undefined) throw new Refused({ kind: "busy", id: String(open) })
  const chosen = id === undefined ? yield* readyFor(worker) : yield* claimable(yield* existing(id), worker)
  if (chosen === undefined) throw new Refused({ kind: "nothing" })
  const lease = yield* next("lease")
  yield* setTask(chosen, { status: "in_progress", owner: worker, lease, beat: 0 })
  return { task: yield* taskNow(chosen.id), lease }
}

function* claimable(task: TaskRow, worker: string): Work<TaskRow> {
  const id = String(task.id)
  if (task.status === "completed" || task.status === "deleted")
    throw new Refused({ kind: "resolved", id, status: task.status })
  if (task.status === "in_progress" || (task.owner !== null && task.owner !== worker))
    throw new Refused({ kind: "claimed", id, owner: task.owner ?? "" })
  const by = yield* openBlockersOf(task)
  if (by.length > 0) throw new Refused({ kind: "blocked", id, by: by.map(String) })
  return task
}

/** A sign of life is no change that anyone has to be told of. */
function* raiseBeats(leases: readonly number[]): Work<void> {
  const list = leases.map((_, at) => `$${at + 2}`).join(", ")
  yield* rows(`update team_tasks set beat = beat + 1 where team = $1 and lease in (${list}) returning id`, ...leases)
}

const merged = (is: JsonObject, more: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries({ ...is, ...more }).filter(([, value]) => value !== null))
