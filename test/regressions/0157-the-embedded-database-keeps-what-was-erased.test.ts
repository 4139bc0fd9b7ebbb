/** Rows of an erased session stayed readable in the files and the log of the embedded database. After it is erased, no file of it has its words. */

import { expect, test } from "bun:test"
import { openFleetStore } from "#fleet/database/open-store.ts"
import { messageOp } from "#fleet/ops.ts"
import { embeddedIn, opened } from "../kit/database/databases.ts"
import { session } from "../kit/fleet/records.ts"
import { valueOf } from "../kit/team/conformance.ts"
import { temporaryFolder } from "../kit/tmp.ts"

const word = "xylophoneword"
const other = "marimbaword"

test("no file of the database has a word of it, and the other session is whole", async () => {
  using folder = temporaryFolder()
  const database = await opened(await embeddedIn(folder))
  const store = valueOf(await openFleetStore(database))
  const filesWith = (text: string): readonly string[] =>
    Bun.spawnSync(["grep", "-rl", text, folder.path]).stdout.toString().split("\n").filter(Boolean)
  for (const about of [word, other]) {
    await store.sessions.create(session(about.slice(0, 5), { query: about }), "ann")
    for (let nth = 0; nth < 20; nth++)
      await store.ops.add(about.slice(0, 5), `${about} ${nth}`, messageOp(`${about} ${nth}`), "ann")
  }
  await database.rows("checkpoint")
  expect(filesWith(word).length).toBeGreaterThan(1)
  expect((await store.erasing.one(word.slice(0, 5), "ann")).ok).toBe(true)
  await store.close()
  expect(await database.rows("select id from fleet_sessions")).toEqual([{ id: other.slice(0, 5) }])
  const orders = await database.rows("select 1 from fleet_orders")
  await database.close()
  expect(filesWith(word)).toEqual([])
  expect([filesWith(other).length > 0, orders.length]).toEqual([true, 21])
}, 120_000)
