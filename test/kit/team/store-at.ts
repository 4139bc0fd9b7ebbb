/** A team's store by its place: a file, or the address of a Postgres server. */

import type { TeamStore } from "#agent/words/team.ts"
import { systemClock } from "#lib/clock.ts"
import { openTeamInPostgres } from "#ground/team/postgres.ts"
import { openTeamStore } from "#ground/team/store.ts"
import { opened } from "../database/databases.ts"
import { valueOf } from "./conformance.ts"

const about = { name: "crew", lead: "lead" }

/** On a server, what follows `#` is the team. */
export async function storeAt(place: string): Promise<TeamStore> {
  if (!place.startsWith("postgres:")) return openTeamStore({ path: place, about, clock: systemClock })
  const [url = "", team = "crew"] = place.split("#")
  const database = await opened({ kind: "server", url, connections: 4 })
  const store = valueOf(await openTeamInPostgres({ database, team, about, clock: systemClock }))
  return {
    ...store,
    async close() {
      await store.close()
      await database.close()
    },
  }
}
