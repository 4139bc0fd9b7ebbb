/**
 * The port between a team's store and its database. The store is written once, as work that yields statements; each
 * engine carries the work out in its own way: SQLite in one go, so that nothing else of this process comes between two
 * statements of a transaction, Postgres by waiting for each answer.
 * See decision 108.
 */

import type { SqlValue } from "#lib/database.ts"

/** `$1` is the team in every statement; values follow from `$2`. The dialect is what SQLite and Postgres share. */
export interface Statement {
  readonly text: string
  readonly values: readonly SqlValue[]
  /** Ends with `returning`: if it returns nothing, nothing has changed, and nobody is told. */
  readonly changes: boolean
}

/** Asks the engine for a seal; see `seals.ts`. */
export interface Sealing {
  readonly seal: string
}

/** Statements in order, and what comes of them. It may be run again from its start, so it does nothing else. */
export type Work<T> = Generator<Statement | Sealing, T, readonly object[]>

export interface TeamSql {
  /** Each statement sees what is committed. */
  readonly read: <T>(work: () => Work<T>) => Promise<T>
  /** All statements see the same moment. */
  readonly snapshot: <T>(work: () => Work<T>) => Promise<T>
  /** All of it or nothing, with the team's row locked. What the work throws undoes it. Listeners are told if anything changed. */
  readonly write: <T>(work: () => Work<T>) => Promise<T>
}

// What a statement selects is known where it is written: this is where rows are decoded.
export function* rows<Row extends object>(text: string, ...values: readonly SqlValue[]): Work<readonly Row[]> {
  return (yield { text, values, changes: false }) as readonly Row[]
}

export function* row<Row extends object>(text: string, ...values: readonly SqlValue[]): Work<Row | undefined> {
  return (yield* rows<Row>(text, ...values))[0]
}

export function* change<Row extends object>(text: string, ...values: readonly SqlValue[]): Work<readonly Row[]> {
  return (yield { text, values, changes: true }) as readonly Row[]
}

/** The next number of a series: higher than all before, and never used again. */
export function* next(series: keyof typeof numbered): Work<number> {
  const column = `last_${series}`
  // A file may have rows that something else wrote, with higher numbers.
  const highest = `select coalesce(max(number), 0) from (select ${column} as number from teams where id = $1 union all ${numbered[series]}) as numbers`
  const raised = yield* row<{ last: number }>(
    `update teams set ${column} = (${highest}) + 1 where id = $1 returning ${column} as last`,
  )
  return raised?.last ?? 0
}

const numbered = {
  task: "select max(id) from team_tasks where team = $1",
  mail: "select max(seq) from team_mail where team = $1",
  lease: "select max(lease) from team_tasks where team = $1 and status = 'in_progress'",
} as const

/** Changes columns of one row, which `key` names. */
export function* set(table: string, key: { readonly [column: string]: SqlValue }, values: object): Work<void> {
  const entries = Object.entries(values) as [string, SqlValue][]
  if (entries.length === 0) return
  const [[column, value] = ["", ""]] = Object.entries(key)
  const assignments = entries.map(([name], at) => `${name} = $${at + 3}`).join(", ")
  yield* change(
    `update ${table} set ${assignments} where team = $1 and ${column} = $2 returning ${column}`,
    value,
    ...entries.map(([, each]) => each),
  )
}

export function* leadName(): Work<string> {
  return (yield* row<{ lead: string }>("select lead from teams where id = $1"))?.lead ?? ""
}

/** In whatever case it is written; those who are there before those who have left. */
export const memberLike = (name: string): Work<{ name: string; state: string; session_id: string } | undefined> =>
  row(
    `select name, state, session_id from team_members where team = $1 and lower(name) = lower($2)
     order by state = 'gone', name <> $2 limit 1`,
    name,
  )
