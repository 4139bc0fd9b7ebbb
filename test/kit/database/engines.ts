/**
 * Cases that stand on a database and do not depend on which it is. That the engines do the same is shown once, by the
 * conformance of databases, teams and fleets. So by day these run on the server that `npm test` has started, which costs
 * a fraction of what the embedded one does, or where there is none on the embedded one; at night on both.
 */

import { afterAll, beforeAll, describe } from "bun:test"
import { join } from "node:path"
import type { Database } from "#lib/database.ts"
import { lastingFolder, type TemporaryFolder } from "../tmp.ts"
import { embeddedIn, opened } from "./databases.ts"
import { openPostgres, type PostgresDatabase } from "./postgres-server.ts"
import { isNight } from "../runs.ts"

const isShared = process.env["CODEWRIGHT_TEST_POSTGRES"] !== undefined

/** A database on the server where cases use it; otherwise nothing, and the embedded one is meant. */
export const openUsualServer = async (): Promise<PostgresDatabase | undefined> =>
  isNight || !isShared ? undefined : openPostgres()

/** One database that nobody else uses. */
export async function openUsual(folder: Pick<TemporaryFolder, "join">): Promise<Database> {
  const postgres = await openUsualServer()
  if (!postgres) return opened(await embeddedIn(folder))
  const database = await opened({ kind: "server", url: postgres.url })
  return {
    ...database,
    async close() {
      await database.close()
      await postgres[Symbol.asyncDispose]()
    },
  }
}

/** For cases that make tables themselves, an empty one. */
export function onEngines(
  cases: (connect: () => Promise<Database>) => void,
  { empty = false }: { readonly empty?: boolean } = {},
): void {
  if (isNight || !isShared)
    describe("with the embedded database", () => {
      const folder = lastingFolder()
      cases(async () => opened(await embeddedIn({ join: (name = "") => join(folder, name) })))
    })
  if (isNight || isShared)
    describe("with a Postgres server", () => {
      let postgres: PostgresDatabase
      beforeAll(async () => void (postgres = await openPostgres({ empty })), 120_000)
      cases(() => opened({ kind: "server", url: postgres.url }))
      afterAll(() => postgres[Symbol.asyncDispose]())
    })
}
