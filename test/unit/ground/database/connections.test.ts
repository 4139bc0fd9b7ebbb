/** How many connections a process has, and what it relies on of them. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { openFleetStore } from "#fleet/database/open-store.ts"
import { DatabaseLost } from "#lib/database.ts"
import { opened } from "../../../kit/database/databases.ts"
import { openPooler } from "../../../kit/database/pgbouncer.ts"
import { hasPostgres, type PostgresServer, startPostgres } from "../../../kit/database/postgres-server.ts"
import { openProxy } from "../../../kit/database/proxy.ts"
import { held } from "../../../kit/fleet/records.ts"
import { valueOf } from "../../../kit/team/conformance.ts"

describe.skipIf(!hasPostgres)("connections to a server", () => {
  let server: PostgresServer
  beforeAll(async () => void (server = await startPostgres()), 120_000)
  afterAll(() => server[Symbol.asyncDispose]())

  test("one that listens and one for statements, more while they run at the same time, and none that is idle", async () => {
    await using proxy = await openProxy(server.url)
    const database = await opened({ kind: "server", url: proxy.url, connections: 4 })
    const stop = await database.watch("news", () => undefined)
    expect(proxy.connections()).toBeLessThanOrEqual(2)
    const most = Promise.all(Array.from({ length: 12 }, () => database.rows("select pg_sleep(0.2)")))
    await Bun.sleep(100)
    expect(proxy.connections()).toBe(5)
    await most
    while (proxy.connections() > 1) await Bun.sleep(50)
    expect(await database.rows("select 1 as one")).toMatchObject([{ one: 1 }])
    expect(proxy.connections()).toBe(2)
    await stop()
    await database.close()
  }, 60_000)

  test("whoever stops within a transaction lets go of what it has locked", async () => {
    const database = await opened({ kind: "server", url: server.url })
    const [row] = await database.rows<{ ms: string }>(
      "select setting as ms from pg_settings where name = 'idle_in_transaction_session_timeout'",
    )
    // Before a worker whose session it is has lost it.
    expect(Number(row?.ms)).toBeGreaterThan(0)
    expect(Number(row?.ms)).toBeLessThanOrEqual(30_000)
    await database.close()
  }, 60_000)

  test("a fleet works through a pooler that lends connections by the transaction", async () => {
    await using pooler = await openPooler(server.url, 2)
    const place = { kind: "server", url: server.url, pooler: pooler.url } as const
    const databases = await Promise.all([1, 2, 3, 4].map(() => opened(place, "pooled")))
    const stores = await Promise.all(databases.map(async (database) => valueOf(await openFleetStore(database))))
    await Promise.all(
      stores.map(async (store, nth) => {
        const id = `s${nth}`
        const looked = Promise.withResolvers<void>()
        const told = Promise.withResolvers<void>()
        let times = 0
        const end = store.watch(id, () => (++times === 1 ? looked.resolve() : told.resolve()))
        const lease = await held(store, id)
        await looked.promise
        valueOf(await store.lines.ship(lease, 1, ["one", "two"]))
        await told.promise
        valueOf(await store.leases.park(lease, { stage: "completed" }))
        expect(await store.lines.after(id, 0, 10)).toEqual(["one", "two"])
        end()
      }),
    )
    await pooler.kill()
    const lost = await databases[0]?.rows("select 1 as one").catch((error: unknown) => error)
    expect(lost).toBeInstanceOf(DatabaseLost)
    await pooler.start()
    expect(await stores[0]?.lines.after("s0", 0, 10)).toEqual(["one", "two"])
    for (const store of stores) await store.close()
    for (const database of databases) await database.close()
  }, 60_000)

  test("a server without a connection to spare is waited for", async () => {
    const admin = new Bun.SQL(server.url, { max: 1 })
    await admin.unsafe("create role narrow login connection limit 2")
    await admin.unsafe("grant all on database postgres to narrow")
    const url = Object.assign(new URL(server.url), { username: "narrow" }).href
    const databases = [await opened({ kind: "server", url }, "narrow")]
    databases.push(await opened({ kind: "server", url }, "narrow"))
    const slow = databases.map((database) => database.rows("select pg_sleep(0.5)"))
    const third = await opened({ kind: "server", url }, "narrow")
    databases.push(third)
    expect(await third.rows("select 1 as one").catch((error: unknown) => error)).not.toBeInstanceOf(DatabaseLost)
    await Promise.all(slow)
    for (const database of databases) await database.close()
    await admin.close()
  }, 60_000)
})
