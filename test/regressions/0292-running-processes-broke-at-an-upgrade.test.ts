/**
 * A process that ran while another version added a column to a table got "cached plan must not change result type" from then on, for each statement that
 * it had prepared: a server answered 503, and sessions of a worker failed.
 */

import { expect, test } from "bun:test"
import { opened } from "../kit/database/databases.ts"
import { hasPostgres, openPostgres } from "../kit/database/postgres-server.ts"

test.skipIf(!hasPostgres)(
  "statements continue on tables that get a column, and none is run twice",
  async () => {
    await using server = await openPostgres()
    const running = await opened({ kind: "server", url: server.url, connections: 2 })
    const newer = await opened({ kind: "server", url: server.url })
    await running.rows("create table kept (x integer)")
    const add = (): Promise<readonly object[]> => running.rows("insert into kept (x) values ($1) returning *", [1])
    const addSafely = (): Promise<readonly object[]> =>
      running.transaction(async (sql) => {
        await sql.rows("select pg_sleep(0.05)")
        return sql.rows("insert into kept (x) values ($1) returning *", [2])
      })
    // More at the same time than there are connections, so that some wait for one that will not do.
    const all = (): Promise<readonly (readonly object[])[]> =>
      Promise.all([add, addSafely, add, addSafely, add].map((one) => one()))
    await all()
    for (const [nth, column] of ["y", "z"].entries()) {
      await newer.rows(`alter table kept add column ${column} text`)
      for (const [row] of await all()) expect(Object.keys(row ?? {})).toEqual(["x", "y", "z"].slice(0, nth + 2))
    }
    expect(await newer.rows("select count(*)::integer as all from kept")).toEqual([{ all: 15 }])
    for (const database of [running, newer]) await database.close()
  },
  60_000,
)
