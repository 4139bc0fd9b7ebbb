/** The records of a fleet: in a database of our own in the state folder, or on a server. */

import { join } from "node:path"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { bundledEngine } from "#ground/bundled/engine.ts"
import { databaseFailureWords } from "#ground/database/failure.ts"
import { type RawEnvironment, readEnvironment } from "#ground/settings/environment.ts"
import { openDatabase } from "#ground/database/open.ts"
import { openFleetStore } from "#fleet/database/open-store.ts"
import type { FleetStore } from "#fleet/store.ts"

export interface FleetHere {
  readonly store: FleetStore
  readonly close: () => Promise<void>
}

/** A Postgres server, and perhaps a pooler in front of it. */
export interface DatabaseAddress {
  readonly url: string
  readonly pooler?: string | undefined
}

/** From the command line, or from variables, which lists of processes do not show. */
export function databaseAsked(flag: string | undefined, env: RawEnvironment): DatabaseAddress | undefined {
  const { database, databasePooler: pooler } = readEnvironment(env)
  const url = flag ?? database
  return url === undefined ? undefined : { url, pooler }
}

/** Without a server it is the embedded database. The failure is a sentence; so is what is reported. */
export async function openFleetHere(
  state: string,
  server: DatabaseAddress | undefined,
  report: (text: string) => void,
): Promise<Result<FleetHere, string>> {
  const opened = await openDatabase(
    server === undefined
      ? { kind: "embedded", folder: join(state, "database"), engine: await bundledEngine() }
      : { kind: "server", ...server, report },
    { clock: systemClock, ids: systemIds },
  )
  if (!opened.ok) return failed(databaseFailureWords(opened.failure))
  const database = opened.value
  const store = await openFleetStore(database)
  if (!store.ok) {
    await database.close()
    return failed("The database was used by a newer version of Codewright. Update Codewright, then try again.")
  }
  return ok({
    store: store.value,
    async close() {
      await store.value.close()
      await database.close()
    },
  })
}
