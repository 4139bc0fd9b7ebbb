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
import type { StartupContext } from "#faces/cli/startup-context.ts"
import { readSecret } from "./server-secrets.ts"

export interface FleetHere {
  readonly store: FleetStore
  readonly close: () => Promise<void>
}

/** A Postgres server, and perhaps a pooler in front of it. */
export interface DatabaseAddress {
  readonly url: string
  readonly pooler?: string | undefined
}

/** From the command line, from variables, which lists of processes do not show, or from the settings. The failure is a sentence. */
export async function databaseHere(
  flag: string | undefined,
  env: RawEnvironment,
  { loaded, home }: Pick<StartupContext, "loaded" | "home">,
): Promise<Result<DatabaseAddress | undefined, string>> {
  const { database, databasePooler: pooler } = readEnvironment(env)
  const settings = loaded.settings.server?.database ?? {}
  if (settings.url !== undefined && hasPassword(settings.url))
    return failed(
      "server.database.url has a password in it. Take it out, and say where it is with passwordEnv, passwordFile or passwordHelper.",
    )
  const url = flag ?? database ?? settings.url
  if (url === undefined) return ok(undefined)
  const password = await readSecret(settings, "password", { env, home })
  if (!password.ok) return failed(`server.database: ${password.failure}`)
  const { value } = password
  return ok({ url: withPassword(url, value), pooler: pooler && withPassword(pooler, value) })
}

const hasPassword = (url: string): boolean => URL.canParse(url) && new URL(url).password !== ""

function withPassword(url: string, password: string | undefined): string {
  if (password === undefined || !URL.canParse(url) || hasPassword(url)) return url
  const whole = new URL(url)
  whole.password = encodeURIComponent(password)
  return whole.href
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
