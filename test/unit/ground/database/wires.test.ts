/** Wires that are cut, dead or slow: statements end, and the next ones work, without anybody doing anything. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { type Database, DatabaseLost } from "#lib/database.ts"
import { opened } from "../../../kit/database/databases.ts"
import { hasPostgres, type PostgresServer, startPostgres } from "../../../kit/database/postgres-server.ts"
import { openProxy, type Proxy } from "../../../kit/database/proxy.ts"

describe.skipIf(!hasPostgres)("the wire to a server", () => {
  let server: PostgresServer
  let proxy: Proxy
  let database: Database
  beforeAll(async () => {
    server = await startPostgres()
    proxy = await openProxy(server.url)
    database = await opened({ kind: "server", url: proxy.url, connections: 3, silentMs: 1_500 })
    await database.rows("create table counted (x integer)")
  }, 120_000)
  afterAll(async () => {
    await database.close()
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
  const sleeping = (): Promise<unknown> =>
    database.transaction(async (sql) => {
      await sql.rows("insert into counted values (1)")
      return sql.rows("select pg_sleep(20)")
    })
  const watching = async (): Promise<{ readonly told: (string | undefined)[]; readonly end: () => Promise<void> }> => {
    const told: (string | undefined)[] = []
    const end = await again(() => database.watch("news", (what) => told.push(what)))
    return { told, end }
  }
  /** Whoever watches hears again what is told. */
  async function hears({ told, end }: Awaited<ReturnType<typeof watching>>): Promise<void> {
    while (!told.includes(undefined)) await Bun.sleep(20)
    await again(() => database.tell("news", "back"))
    while (!told.includes("back")) await Bun.sleep(20)
    await end()
  }

  test("cut: what was under way is lost, and everything is connected again", async () => {
    const watched = await watching()
    const all = [sleeping(), database.rows("select pg_sleep(20)")].map(caught)
    await Bun.sleep(300)
    proxy.cut()
    for (const error of await Promise.all(all)) expect(error).toBeInstanceOf(DatabaseLost)
    expect(await again(() => database.rows("select count(*)::integer as n from counted"))).toMatchObject([{ n: 0 }])
    await hears(watched)
  }, 60_000)

  test("ended by the server: the same", async () => {
    const watched = await watching()
    const all = [sleeping(), database.rows("select pg_sleep(20)")].map(caught)
    await Bun.sleep(300)
    const other = await opened({ kind: "server", url: server.url, connections: 1 }, "other")
    await other.rows(
      "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and usename = 'codewright'",
    )
    for (const error of await Promise.all(all)) expect(error).toBeInstanceOf(DatabaseLost)
    expect(await again(() => database.rows("select count(*)::integer as n from counted"))).toMatchObject([{ n: 0 }])
    await hears(watched)
    await other.close()
  }, 60_000)

  test("dead without a word: statements, transactions and those who watch do not wait forever", async () => {
    const watched = await watching()
    proxy.goDead()
    const all = [database.rows("select 1"), sleeping(), database.tell("news", "unheard")].map(caught)
    for (const error of await Promise.all(all)) expect(error).toBeInstanceOf(DatabaseLost)
    expect(await caught(database.rows("select 1"))).toBeInstanceOf(DatabaseLost)
    proxy.revive()
    expect(await again(() => database.rows("select count(*)::integer as n from counted"))).toMatchObject([{ n: 0 }])
    await hears(watched)
  }, 60_000)

  test("slow: everything is done, only later", async () => {
    proxy.delay(40)
    const both = await Promise.all([
      again(() => database.rows("select 1 as one")),
      again(() => database.transaction((sql) => sql.rows("select 2 as two"))),
    ])
    proxy.delay(0)
    expect(both).toMatchObject([[{ one: 1 }], [{ two: 2 }]])
  }, 60_000)
})
