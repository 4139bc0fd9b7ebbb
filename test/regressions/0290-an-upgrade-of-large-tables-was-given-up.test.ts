/**
 * An upgrade that changes large tables has statements that take minutes. After a minute without a word the server was taken for dead, the upgrade was
 * rolled back, and the next start did the same.
 */

import { expect, test } from "bun:test"
import { DatabaseLost } from "#lib/database.ts"
import { opened } from "../kit/database/databases.ts"
import { hasPostgres, openPostgres } from "../kit/database/postgres-server.ts"
import { openProxy } from "../kit/database/proxy.ts"
import { valueOf } from "../kit/team/conformance.ts"

test.skipIf(!hasPostgres)(
  "a step may take longer than a server may be silent, unless the server is gone",
  async () => {
    await using server = await openPostgres()
    await using proxy = await openProxy(server.url)
    const open = () => opened({ kind: "server", url: proxy.url, silentMs: 2_000 })
    const [one, other] = [await open(), await open()]
    const slow = { name: "slow", steps: ["create table made (x integer);\nselect pg_sleep(3.5)"] }
    // The second one waits for the first.
    for (const done of await Promise.all([one.migrate(slow), other.migrate(slow)])) valueOf(done)
    expect(await other.rows("select version from migrations where name = 'slow'")).toEqual([{ version: 1 }])
    const dead = one.migrate({ name: "dead", steps: ["select pg_sleep(20)"] }).catch((error: unknown) => error)
    while ((await other.rows("select from pg_stat_activity where query = 'select pg_sleep(20)'")).length === 0)
      await Bun.sleep(20)
    proxy.goDead()
    expect(await dead).toBeInstanceOf(DatabaseLost)
    for (const database of [one, other]) await database.close()
  },
  60_000,
)
