/**
 * Workers of two versions work on one database while a fleet is upgraded. What the version before says to the database is kept as a file; whoever adds a
 * step that this version cannot work with learns it here. When a version is released, its own statements replace those of the file.
 */

import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { openFleetStore } from "#fleet/database/open-store.ts"
import { fleetTables } from "#fleet/database/tables.ts"
import { postgresTables } from "#ground/team/tables.ts"
import type { Database, Schema } from "#lib/database.ts"
import { opened } from "../../kit/database/databases.ts"
import { hasPostgres, openPostgres, type PostgresDatabase } from "../../kit/database/postgres-server.ts"
import earlier from "../../kit/fleet/earlier-statements.json"
import { held } from "../../kit/fleet/records.ts"
import { valueOf } from "../../kit/team/conformance.ts"

const before = (tables: Schema, { steps }: { readonly steps: number }): Schema => ({
  ...tables,
  steps: tables.steps.slice(0, steps),
})

const digestOf = (steps: readonly string[]): string =>
  new Bun.CryptoHasher("sha256").update(JSON.stringify(steps)).digest("hex")

interface Column {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
}

const columnsOf = async (database: Database, schema: string): Promise<readonly Column[]> =>
  (
    await database.rows<{ name: string; type: string; required: boolean }>(
      `select table_name || '.' || column_name as name, data_type as type,
         is_nullable = 'NO' and column_default is null and is_identity = 'NO' as required
       from information_schema.columns where table_schema = $1 order by 1`,
      [schema],
    )
  ).map(({ name, type, required: isRequired }) => ({ name, type, isRequired }))

test("steps that were released are not changed", () => {
  expect(digestOf(before(fleetTables, earlier.fleet).steps)).toBe(earlier.fleet.digest)
  expect(digestOf(before(postgresTables, earlier.team).steps)).toBe(earlier.team.digest)
})

test("teams have no new step: a worker of the version before opens a team only if it knows them all", () => {
  expect(postgresTables.steps).toHaveLength(earlier.team.steps)
})

describe.skipIf(!hasPostgres)("the version before, on the tables of this one", () => {
  let server: PostgresDatabase
  let old: Database
  let now: Database
  beforeAll(async () => {
    server = await openPostgres()
    old = await opened({ kind: "server", url: server.url }, "before")
    now = await opened({ kind: "server", url: server.url }, "now")
    for (const tables of [before(fleetTables, earlier.fleet), before(postgresTables, earlier.team)])
      valueOf(await old.migrate(tables))
    valueOf(await openFleetStore(now))
  }, 120_000)
  afterAll(async () => {
    await old.close()
    await now.close()
    await server[Symbol.asyncDispose]()
  })

  test("finds every column as it was, and need not fill any that it does not know", async () => {
    const [known, all] = [await columnsOf(old, "before"), await columnsOf(now, "now")]
    const changed = known.filter(
      ({ name, type }) => !all.some((column) => column.name === name && column.type === type),
    )
    expect(changed).toEqual([])
    const knownTables = new Set(known.map(({ name }) => name.split(".")[0]))
    const demanded = all.filter(
      ({ name, isRequired }) =>
        isRequired && knownTables.has(name.split(".")[0]) && !known.some((column) => column.name === name),
    )
    expect(demanded).toEqual([])
  })

  test("every statement of it is one that the database takes", async () => {
    const refused: string[] = []
    for (const [nth, text] of earlier.statements.entries())
      await now
        .transaction((sql) => sql.rows(`prepare earlier_${nth} as ${text}`), { locks: "its own" })
        .catch((error: unknown) => void refused.push(`${text}: ${String(error)}`))
    expect(refused).toEqual([])
  })

  test("a database with sessions is brought up step by step, and what belongs to a session still goes with it", async () => {
    await old.rows(
      `insert into fleet_sessions (id, title, query, mode, model, stage, opening, labels, created_by, created_at, updated_at, wake_at)
       values ('old', 't', 'q', 'default', 'sim', 'executing', '{"workspace":{"path":"/w"}}', array['old'], 'ann', 1, 1, 1)`,
    )
    await old.rows("insert into fleet_lines (session, seq, line) values ('old', 1, 'one')")
    await old.rows("update fleet_sessions set lines = 1")
    for (let steps = earlier.fleet.steps + 1; steps <= fleetTables.steps.length; steps++)
      valueOf(await old.migrate(before(fleetTables, { steps })))
    const store = valueOf(await openFleetStore(old))
    const lease = await held(store, "new")
    valueOf(await store.lines.ship(lease, 1, ["one"]))
    expect(await store.lines.after("old", 0, 10)).toEqual(["one"])
    // As the version before erases.
    await old.rows("delete from fleet_sessions where id in ('old', 'new')")
    for (const table of ["fleet_lines", "fleet_events", "fleet_orders"])
      expect(await old.rows(`select 1 from ${table}`)).toEqual([])
    await store.close()
  })
})
