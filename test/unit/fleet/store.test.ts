import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { Database } from "#lib/database.ts"
import { openFleetStore } from "#fleet/database/open-store.ts"
import type { FleetStore } from "#fleet/store.ts"
import { fleetTables } from "#fleet/database/tables.ts"
import { postgresTables } from "#ground/team/tables.ts"
import { embeddedIn, opened } from "../../kit/database/databases.ts"
import { hasPostgres, openPostgres, type PostgresDatabase } from "../../kit/database/postgres-server.ts"
import { fleetConformance } from "../../kit/fleet/conformance.ts"
import { longMs, session, worker } from "../../kit/fleet/records.ts"
import { valueOf } from "../../kit/team/conformance.ts"
import { type Tell, testsInTurns } from "../../kit/turns.ts"
import { temporaryFolder } from "../../kit/tmp.ts"

const [inEmbedded = test, onServer = test] = testsInTurns(hasPostgres ? 2 : 1)

describe("a fleet in the embedded database", () => {
  const folder = temporaryFolder()
  conforms(inEmbedded, async () => opened(await embeddedIn(folder)))
  afterAll(() => folder[Symbol.dispose]())
})

describe.skipIf(!hasPostgres)("a fleet on a server", () => {
  let server: PostgresDatabase
  beforeAll(async () => void (server = await openPostgres()), 120_000)
  conforms(onServer, () => opened({ kind: "server", url: server.url }))
  afterAll(() => server[Symbol.asyncDispose]())

  test("tables of a newer version are refused", async () => {
    const database = await opened({ kind: "server", url: server.url }, "newer")
    valueOf(await database.migrate(postgresTables))
    valueOf(await database.migrate({ ...fleetTables, steps: [...fleetTables.steps, "select 1"] }))
    expect(await openFleetStore(database)).toMatchObject({ ok: false, failure: { kind: "newer_schema" } })
    await database.close()
  })
})

function conforms(tell: Tell, connect: () => Promise<Database>): void {
  let database: Database
  let store: FleetStore
  let ids = 0
  beforeAll(async () => {
    database = await connect()
    store = valueOf(await openFleetStore(database))
  }, 300_000)
  fleetConformance(
    tell,
    () => store,
    () => `s${ids++}`,
  )

  test("a session that ended as many workers as it may is not handed out, also before it is ended", async () => {
    const id = "hopeless"
    const by = `worker of ${id}`
    const attempts = (ended: number): Promise<unknown> =>
      database.rows(`update fleet_sessions set attempts = ${ended} where id = '${id}'`)
    await store.sessions.create(session(id, { labels: [id] }), "ann")
    await store.leases.beat(worker(by, { labels: [id] }), [], longMs)
    await attempts(25)
    expect(await store.leases.acquire(by, longMs)).toBeUndefined()
    await attempts(24)
    expect(await store.leases.acquire(by, longMs)).toMatchObject({ sessionId: id })
  })

  test("what nobody asks for after a day is forgotten: keys, and workers that are gone without a word", async () => {
    const again = (key: string) => store.once({ who: "ann", key, digest: "d" }, async () => key)
    const count = async (table: string, where: string): Promise<number> =>
      (await database.rows(`select 1 from ${table} where ${where}`)).length
    await again("old one")
    await again("young one")
    await store.leases.beat(worker("gone worker"), [], longMs)
    await database.rows("update fleet_keys set at = at - 86500000 where key = 'old one'")
    await database.rows("update fleet_workers set seen_at = seen_at - 86500000 where id = 'gone worker'")
    await again("another one")
    expect(await count("fleet_keys", "key in ('old one', 'young one', 'another one')")).toBe(2)
    while ((await count("fleet_workers", "id = 'gone worker'")) > 0)
      await store.leases.beat(worker("young worker"), [], 600)
    expect(await count("fleet_workers", "id = 'young worker'")).toBe(1)
  })

  afterAll(async () => {
    await store.close()
    await database.close()
  })
}
