/** A team's tasks, mail and members in Postgres, shared by processes of any machine. */

import type { TeamAbout, TeamStore } from "#agent/words/team.ts"
import type { Clock } from "#lib/clock.ts"
import type { Database, SchemaFailure, Sql } from "#lib/database.ts"
import { ok, type Result } from "#lib/result.ts"
import { openBoard } from "./board.ts"
import { openCalls } from "./calls.ts"
import { openMail } from "./mail.ts"
import { openMoment } from "./moment.ts"
import { openRoster } from "./roster.ts"
import type { TeamSql, Work } from "./sql.ts"
import { postgresTables } from "./tables.ts"

/** Runs statements about the team within the transaction. */
export type RunWork = <T>(work: Work<T>) => Promise<T>

export interface TeamInPostgres {
  readonly database: Database
  readonly team: string
  readonly clock: Clock
  /** Comes first in every transaction that changes something: what it throws undoes that. */
  readonly guard?: ((sql: Sql) => Promise<void>) | undefined
  /** Comes last in every transaction that changed something. */
  readonly onChange?: ((sql: Sql, run: RunWork) => Promise<void>) | undefined
}

/** Whoever listens to it hears which team has changed. */
export const topic = "team"

/** Its tasks, mail and members, without news of what others change. */
export function teamInPostgres(
  parts: TeamInPostgres,
  changed: () => void = () => {},
): Omit<TeamStore, "watch" | "close"> {
  const sql = openTeamSql(parts, changed)
  const { clock } = parts
  return {
    callRecord: openCalls(sql),
    board: openBoard(sql, clock),
    mail: openMail(sql, clock),
    roster: openRoster(sql, clock),
    moment: openMoment(sql),
  }
}

/** It is made if it does not exist, as `about` says. Whoever opened the database closes it. */
export async function openTeamInPostgres(
  parts: TeamInPostgres & { readonly about: TeamAbout },
): Promise<Result<TeamStore, SchemaFailure>> {
  const { database, team, about } = parts
  const prepared = await database.migrate(postgresTables)
  if (!prepared.ok) return prepared
  await database.rows(
    "insert into teams (id, name, description, lead) values ($1, $2, $3, $4) on conflict do nothing",
    [team, about.name, about.description ?? null, about.lead],
  )
  const listeners = new Set<() => void>()
  const changed = (): void => {
    for (const listener of listeners) listener()
  }
  const stop = await database.watch(topic, (which) => {
    if (which === undefined || which === team) changed()
  })
  return ok({
    ...teamInPostgres(parts, changed),
    watch(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async close() {
      listeners.clear()
      await stop()
    },
  })
}

function openTeamSql({ database, team, guard, onChange }: TeamInPostgres, changed: () => void): TeamSql {
  return {
    read: (work) => runIn(database, team, work()),
    snapshot: (work) =>
      database.transaction(
        async (sql) => {
          // Whoever changes something has this row for itself.
          await sql.rows("select 1 from teams where id = $1 for share", [team])
          return runIn(sql, team, work())
        },
        { locks: "its own" },
      ),
    async write(work) {
      let hasChanged = false
      const value = await database.transaction(
        async (sql) => {
          hasChanged = false
          await sql.rows("select 1 from teams where id = $1 for update", [team])
          await guard?.(sql)
          const done = await runIn(sql, team, work(), () => void (hasChanged = true))
          if (hasChanged) {
            await onChange?.(sql, (more) => runIn(sql, team, more))
            await sql.notify(topic, team)
          }
          return done
        },
        { locks: "its own" },
      )
      if (hasChanged) changed()
      return value
    },
  }
}

/** One statement after the other. */
export async function runIn<T>(sql: Sql, team: string, work: Work<T>, onChange = (): void => {}): Promise<T> {
  for (let step = work.next(); ;) {
    if (step.done) return step.value
    if ("seal" in step.value) {
      // Nobody else writes there.
      step = work.next([])
      continue
    }
    const { text, values, changes } = step.value
    const found = await sql.rows(text, [team, ...values])
    if (changes && found.length > 0) onChange()
    step = work.next(found)
  }
}
