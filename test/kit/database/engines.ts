/**
 * Cases that stand on a database and do not depend on which it is. That the engines do the same is shown once, by the
 * conformance of databases, teams and fleets; so by day these run on the embedded one, and at night on both.
 */

import { afterAll, beforeAll, describe } from "bun:test"
import { join } from "node:path"
import type { Database } from "#lib/database.ts"
import { lastingFolder } from "../tmp.ts"
import { embeddedIn, opened } from "./databases.ts"
import { openPostgres, type PostgresDatabase } from "./postgres-server.ts"

export function onEngines(cases: (connect: () => Promise<Database>) => void): void {
  describe("with the embedded database", () => {
    const folder = lastingFolder()
    cases(async () => opened(await embeddedIn({ join: (name = "") => join(folder, name) })))
  })
  if (process.env["CODEWRIGHT_LONG"] !== "1") return
  describe("with a Postgres server", () => {
    let postgres: PostgresDatabase
    beforeAll(async () => void (postgres = await openPostgres()), 120_000)
    cases(() => opened({ kind: "server", url: postgres.url }))
    afterAll(() => postgres[Symbol.asyncDispose]())
  })
}
