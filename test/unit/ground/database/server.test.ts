import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { type Database, DatabaseLost } from "#lib/database.ts"
import { databaseFailureWords } from "#ground/database/failure.ts"
import { openDatabase } from "#ground/database/open.ts"
import { databaseConformance } from "../../../kit/database/conformance.ts"
import { opened, ports } from "../../../kit/database/databases.ts"
import { hasPostgres, type PostgresServer, startPostgres } from "../../../kit/database/postgres-server.ts"

describe.skipIf(!hasPostgres)("a Postgres server", () => {
  let server: PostgresServer
  let database: Database
  let names = 0
  beforeAll(async () => {
    server = await startPostgres()
    database = await opened({ kind: "server", url: server.url })
  }, 300_000)
  afterAll(async () => {
    await database.close()
    await server[Symbol.asyncDispose]()
  })

  databaseConformance(
    async () => database,
    () => `t${names++}`,
  )

  test("is prepared once when several programs start together", async () => {
    const place = { kind: "server", url: server.url, connections: 1 } as const
    const all = await Promise.all(Array.from({ length: 6 }, () => opened(place, "another")))
    expect(await all[0]?.rows("select count(*)::integer as n from migrations")).toMatchObject([{ n: 0 }])
    // What one schema is told, another does not hear.
    const told: unknown[] = []
    await all[0]?.watch("news", (what) => told.push(what))
    await database.notify("news", "x")
    await all[1]?.notify("news", "y")
    while (told.length === 0) await Bun.sleep(5)
    expect(told).toEqual(["y"])
    for (const each of all) await each.close()
  })

  test("that was restarted is used again, and who watches is told to look", async () => {
    const place = { kind: "server", url: server.url, connections: 2 } as const
    const here = await opened(place, "again")
    let told: (string | undefined)[] = []
    const end = await here.watch("news", (what) => told.push(what))
    await server.stop()
    const error: unknown = await here.rows("select 1").catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(DatabaseLost)
    await server.start()
    while (!told.includes(undefined)) await Bun.sleep(20)
    expect(await here.rows("select 1 as one")).toMatchObject([{ one: 1 }])
    told = []
    await here.notify("news", "back")
    while (told.length === 0) await Bun.sleep(5)
    expect(told).toEqual(["back"])
    await end()
    await here.close()
  })
})

test("a server that is not there, and an address that is none, are said so without the password", async () => {
  const words = async (url: string): Promise<string> => {
    const refused = await openDatabase({ kind: "server", url }, ports)
    return refused.ok ? "opened" : databaseFailureWords(refused.failure)
  }
  expect(await words("postgres://me:secret@127.0.0.1:1/x")).toBe(
    "The database on 127.0.0.1:1/x cannot be reached (Failed to connect). Check that the server runs and accepts this user.",
  )
  expect(await words("mysql://me:secret@host/x")).toStartWith("The address of the database does not start with")
  expect(await words("x y")).toStartWith("The address of the database is not a URL.")
})
