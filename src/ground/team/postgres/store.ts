/** A team's tasks, mail and members in Postgres, shared by processes of any machine. */

import type { TeamStore } from "#agent/words/team.ts"
import type { Clock } from "#lib/clock.ts"
import type { Database, SchemaFailure } from "#lib/database.ts"
import { ok, type Result } from "#lib/result.ts"
import type { TeamAbout } from "#ground/team/database.ts"
import { openBoard } from "./board.ts"
import { openMail } from "./mail.ts"
import { openRoster } from "./roster.ts"
import { teamTables } from "./tables.ts"
import { openTeamDesk, topic } from "./team-rows.ts"

/** Whoever opened the database closes it. */
export async function openTeamInPostgres(parts: {
  readonly database: Database
  /** Which team: it is made if it does not exist, as `about` says. */
  readonly team: string
  readonly about: TeamAbout
  readonly clock: Clock
}): Promise<Result<TeamStore, SchemaFailure>> {
  const { database, team, about, clock } = parts
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
  const desk = openTeamDesk(database, team, changed)
  return ok({
    board: openBoard(desk, clock),
    mail: openMail(desk, clock),
    roster: openRoster(desk, clock),
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
