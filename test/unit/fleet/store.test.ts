import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { Database } from "#lib/database.ts"
import { openFleetStore } from "#fleet/database/open-store.ts"
import type { FleetStore } from "#fleet/store.ts"
import { fleetTables } from "#fleet/database/tables.ts"
import { embeddedIn, opened } from "../../kit/database/databases.ts"
import { hasPostgres, type PostgresServer, startPostgres } from "../../kit/database/postgres-server.ts"
import { fleetConformance } from "../../kit/fleet/conformance.ts"
import { valueOf } from "../../kit/team/conformance.ts"
import { temporaryFolder } from "../../kit/tmp.ts"

describe("a fleet in the embedded database", () => {
  const folder = temporaryFolder()
  conforms(async () => opened(await embeddedIn(folder)))
  afterAll(() => folder[Symbol.dispose]())
})

describe.skipIf(!hasPostgres)("a fleet on a server", () => {
  let server: PostgresServer
  beforeAll(async () => void (server = await startPostgres()), 120_000)
  conforms(() => opened({ kind: "server", url: server.url }))
  afterAll(() => server[Symbol.asyncDispose]())

  test("tables of a newer version are refused", async () => {
    const database = await opened({ kind: "server", url: server.url }, "newer")
    valueOf(await database.migrate({ ...fleetTables, steps: [...fleetTables.steps, "select 1"] }))
    expect(await openFleetStore(database)).toMatchObject({ ok: false, failure: { kind: "newer_schema" } })
    await database.close()
  })
})

function conforms(connect: () => Promise<Database>): void {
  let database: Database
  let store: FleetStore
  let ids = 0
  beforeAll(async () => {
    database = await connect()
    store = valueOf(await openFleetStore(database))
  }, 120_000)
  fleetConformance(
    () => store,
    () => `s${ids++}`,
  )
  afterAll(async () => {
    await store.close()
    await database.close()
  })
}
