import { expect, test } from "bun:test"
import { PGlite } from "@electric-sql/pglite"
import { openUpkeep } from "#ground/database/upkeep.ts"
import { emptyDatabase } from "../../../../scripts/empty-database.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

/** What a table takes after so many rounds of changing all its rows, and after as many again. */
async function sizes(hasSpace: boolean): Promise<readonly [number, number]> {
  using folder = temporaryFolder()
  await new Bun.Archive(await Bun.file(await emptyDatabase()).bytes()).extract(folder.join("data"))
  const postgres = await PGlite.create({ dataDir: folder.join("data") })
  const upkeep = openUpkeep(postgres, () => hasSpace, 4)
  await postgres.query('create table "Beats" (id integer primary key, due integer, filler text)')
  await postgres.query('create index on "Beats" (due)')
  await postgres.query(`insert into "Beats" select n, 0, repeat('x', 200) from generate_series(1, 500) n`)
  async function change(): Promise<number> {
    for (let n = 0; n < 24; n++) {
      upkeep.changed()
      await postgres.query('update "Beats" set due = due + 1')
    }
    await upkeep.settled()
    const size = `select pg_total_relation_size('"Beats"')::text as bytes`
    return Number((await postgres.query<{ bytes: string }>(size)).rows[0]?.bytes)
  }
  const both = [await change(), await change()] as const
  await postgres.close()
  return both
}

test("rows that change all the time do not make a table grow; on a full disk nothing is cleaned", async () => {
  const [once, twice] = await sizes(true)
  expect(twice).toBeLessThan(once * 1.3)
  const [before, after] = await sizes(false)
  expect(after).toBeGreaterThan(before * 1.5)
}, 300_000)
