/**
 * The server ends a transaction whose process says nothing for too long. That was no lost connection to us but a mistake, so the session that asked for it
 * ended instead of trying again: seen with 1,000 workers on a machine that had no processor time left.
 */

import { expect, test } from "bun:test"
import { DatabaseLost } from "#lib/database.ts"
import { opened } from "../kit/database/databases.ts"
import { hasPostgres, openPostgres } from "../kit/database/postgres-server.ts"

test.skipIf(!hasPostgres)(
  "a transaction that the server ended is a lost connection, and the next one works",
  async () => {
    await using server = await openPostgres()
    const database = await opened({ kind: "server", url: server.url })
    const ended = database.transaction(async (sql) => {
      await sql.rows("set local idle_in_transaction_session_timeout = 50")
      await Bun.sleep(300)
      return sql.rows("select 1")
    })
    expect(await ended.catch((error: unknown) => error)).toBeInstanceOf(DatabaseLost)
    expect(await database.rows("select 1 as one")).toEqual([{ one: 1 }])
    await database.close()
  },
)
