/** A team's tasks, mail and members in Postgres, shared by processes of any machine. */

import type { TeamStore } from "#agent/words/team.ts"
import type { Clock } from "#lib/clock.ts"
import type { Database, SchemaFailure, Sql } from "#lib/database.ts"
import { ok, type Result } from "#lib/result.ts"
import type { TeamAbout } from "#ground/team/database.ts"
import { openBoard } from "./board.ts"
import { openMail } from "./mail.ts"
import { openRoster } from "./roster.ts"
import { teamTables } from "./tables.ts"
import { openTeamDesk, type TeamRows, topic } from "./team-rows.ts"

export interface TeamInPostgres {
  readonly database: Database
  readonly team: string
  readonly clock: Clock
  /** Comes first in every transaction that changes something: what it throws undoes that. */
  readonly guard?: ((sql: Sql) => Promise<void>) | undefined
  /** Comes last in every transaction that changed something. */
  readonly onChange?: ((sql: Sql, rows: TeamRows) => Promise<void>) | undefined
}

/** Its tasks, mail and members, without a word of what others change. */
export function teamInPostgres(
  { database, team, clock, guard, onChange }: TeamInPostgres,
  changed: () => void = () => {},
): Omit<TeamStore, "watch" | "close"> {
  const desk = openTeamDesk({ database, team, changed, guard, onChange })
  return { board: openBoard(desk, clock), mail: openMail(desk, clock), roster: openRoster(desk, clock) }
}

/** It is made if it does not exist, as `about` says. Whoever opened the database closes it. */
export async function openTeamInPostgres(
  parts: TeamInPostgres & { readonly about: TeamAbout },
): Promise<Result<TeamStore, SchemaFailure>> {
  const { database, team, about } = parts
  const prepared = await database.migrate(teamTables)
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
