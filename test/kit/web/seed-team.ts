/** A team of a session: tasks that wait for each other, members, and mail. */

import type { TeamStore } from "#agent/words/team.ts"
import { openTeamInPostgres } from "#ground/team/postgres.ts"
import { systemClock } from "#lib/clock.ts"
import { notifyTeam } from "#fleet/database/teams.ts"
import type { Database, Sql } from "#lib/database.ts"
import { leadName } from "#team/place.ts"
import { newcomer, valueOf } from "../team/conformance.ts"

export async function seedTeam(database: Database, name: string, sessionId: string): Promise<TeamStore> {
  const about = { name, lead: leadName }
  const team = `${sessionId}/${name}`
  const onChange = (sql: Sql): Promise<void> => notifyTeam(sql, sessionId)
  const store = valueOf(await openTeamInPostgres({ database, team, about, clock: systemClock, onChange }))
  valueOf(await store.roster.join(newcomer(leadName, sessionId)))
  for (const member of ["mia", "noah"]) valueOf(await store.roster.join(newcomer(member)))
  const tasks: readonly (readonly [subject: string, blockedBy: readonly string[]])[] = [
    ["Read how totals are computed", []],
    ["Total with counts and taxes", ["1"]],
    ["Tax rates from the settings", ["1"]],
    ["Receipt shows the taxes", ["2", "3"]],
    ["Tests for the checkout", ["4"]],
  ]
  for (const [subject, blockedBy] of tasks)
    valueOf(await store.board.create({ subject, description: subject, blockedBy: [...blockedBy] }))
  const first = valueOf(await store.board.claim("mia", { id: "1" }))
  valueOf(await store.board.complete("1", first.lease))
  valueOf(await store.board.claim("mia", { id: "2" }))
  await store.roster.working("mia")
  valueOf(
    await store.mail.send({
      from: "mia",
      to: leadName,
      type: "message",
      text: "The total is in src/cart.js.",
      summary: "Found the total",
      key: "k1",
    }),
  )
  return store
}
