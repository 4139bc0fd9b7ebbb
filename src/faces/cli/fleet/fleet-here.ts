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

/** From the command line, or from a variable, which lists of processes do not show. */
export const databaseAsked = (flag: string | undefined, env: RawEnvironment): string | undefined =>
  flag ?? readEnvironment(env).database

/** `server`: the address of a Postgres server. The failure is a sentence; so is what is reported. */
export async function openFleetHere(
  state: string,
  server: string | undefined,
  report: (text: string) => void,
): Promise<Result<FleetHere, string>> {
  const opened = await openDatabase(
    server === undefined
      ? { kind: "embedded", folder: join(state, "database"), engine: await bundledEngine() }
      : { kind: "server", url: server, report },
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
