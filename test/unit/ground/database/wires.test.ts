/** Wires that are cut, dead or slow: statements end, and the next ones work, without anybody doing anything. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { type Database, DatabaseLost } from "#lib/database.ts"
import { opened } from "../../../kit/database/databases.ts"
import { hasPostgres, type PostgresServer, startPostgres } from "../../../kit/database/postgres-server.ts"
import { openProxy, type Proxy } from "../../../kit/database/proxy.ts"
import { until } from "../../../kit/until.ts"

describe.skipIf(!hasPostgres)("the wire to a server", () => {
  let server: PostgresServer
  let proxy: Proxy
  let database: Database
  let other: Database
  beforeAll(async () => {
    server = await startPostgres()
    proxy = await openProxy(server.url)
    database = await opened({ kind: "server", url: proxy.url, connections: 3, silentMs: 1_500 })
    other = await opened({ kind: "server", url: server.url, connections: 1 }, "other")
    await database.rows("create table counted (x integer)")
  }, 300_000)
  afterAll(async () => {
    await database.close()
    await other.close()
    await proxy[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  })

  const caught = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error)
  /** Until the database answers. */
  async function again<T>(work: () => Promise<T>): Promise<T> {
    for (;;)
      try {
        return await work()
      } catch (error) {
        expect(error).toBeInstanceOf(DatabaseLost)
        await Bun.sleep(20)
      }
  }
  const sleeping = (statement = "select pg_sleep(20)"): Promise<unknown> =>
    database.transaction(async (sql) => {
      await sql.rows("insert into counted values (1)")
      return sql.rows(statement)
    })
  /** A statement and a transaction that the server has begun. It does not notice at once whom it lost: each test has its own statement. */
  async function underWay(statement: string): Promise<readonly Promise<unknown>[]> {
    const all = [sleeping(statement), database.rows(statement)].map(caught)
    const asleep = (): Promise<readonly object[]> =>
      other.rows("select pid from pg_stat_activity where wait_event = 'PgSleep' and query = $1", [statement])
    await until(async () => (await asleep()).length >= all.length)
    return all
  }
  const watching = async (): Promise<{ readonly told: (string | undefined)[]; readonly end: () => Promise<void> }> => {
    const told: (string | undefined)[] = []
    const end = await again(() => database.watch("news", (what) => told.push(what)))
    return { told, end }
  }
  /** Whoever watches hears again what is told. */
  async function hears({ told, end }: Awaited<ReturnType<typeof watching>>): Promise<void> {
    while (!told.includes(undefined)) await Bun.sleep(20)
    await again(() => database.notify("news", "back"))
    while (!told.includes("back")) await Bun.sleep(20)
    await end()
  }

  test("cut: what was under way is lost, and everything is connected again", async () => {
    const watched = await watching()
    const all = await underWay("select pg_sleep(20) as cut")
    proxy.cut()
    for (const error of await Promise.all(all)) expect(error).toBeInstanceOf(DatabaseLost)
    expect(await again(() => database.rows("select count(*)::integer as n from counted"))).toMatchObject([{ n: 0 }])
    await hears(watched)
  }, 300_000)

  test("ended by the server: the same", async () => {
    const watched = await watching()
    const all = await underWay("select pg_sleep(20) as ended")
    await other.rows(
      "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and usename = 'codewright'",
    )
    for (const error of await Promise.all(all)) expect(error).toBeInstanceOf(DatabaseLost)
    expect(await again(() => database.rows("select count(*)::integer as n from counted"))).toMatchObject([{ n: 0 }])
    await hears(watched)
  }, 300_000)

  test("dead without a word: statements, transactions and those who watch do not wait forever", async () => {
    const watched = await watching()
    proxy.goDead()
    const all = [database.rows("select 1"), sleeping(), database.notify("news", "unheard")].map(caught)
    for (const error of await Promise.all(all)) expect(error).toBeInstanceOf(DatabaseLost)
    expect(await caught(database.rows("select 1"))).toBeInstanceOf(DatabaseLost)
    proxy.revive()
    expect(await again(() => database.rows("select count(*)::integer as n from counted"))).toMatchObject([{ n: 0 }])
    await hears(watched)
  }, 300_000)

  test("slow: everything is done, only later", async () => {
    proxy.delay(40)
    const both = await Promise.all([
      again(() => database.rows("select 1 as one")),
      again(() => database.transaction((sql) => sql.rows("select 2 as two"))),
    ])
    proxy.delay(0)
    expect(both).toMatchObject([[{ one: 1 }], [{ two: 2 }]])
  }, 300_000)
})
