/** What every database must do, whichever engine it is. */

import { expect, test } from "bun:test"
import type { Database } from "#lib/database.ts"
import { DatabaseLost, enterSection } from "#lib/database.ts"
import { valueOf } from "../team/conformance.ts"

/** `open` gives the same database each time; `fresh` is a name that no other test uses. */
export function databaseConformance(open: () => Promise<Database>, fresh: () => string): void {
  const table = async (database: Database, columns: string): Promise<string> => {
    const name = fresh()
    valueOf(await database.migrate({ name, steps: [`create table ${name} (${columns})`] }))
    return name
  }

  test("values come back as they were sent", async () => {
    const database = await open()
    const bytes = new Uint8Array([0, 1, 255])
    const [row] = await database.rows<{ bytes: Uint8Array }>(
      `select $1::text as text, $2::integer as small, $3::bigint as large, $4::float8 as real, $5::boolean as yes,
              $6::text as nothing, $7::text[] as list, $8::bytea as bytes`,
      ["Ünïcode 🙂 'quoted'", 7, "9007199254740993", 1.25, true, null, ["a", 'b"c,{d}', ""], bytes],
    )
    expect({ ...row, bytes: [...(row?.bytes ?? [])] } as unknown).toEqual({
      text: "Ünïcode 🙂 'quoted'",
      small: 7,
      large: "9007199254740993",
      real: 1.25,
      yes: true,
      nothing: null,
      list: ["a", 'b"c,{d}', ""],
      bytes: [0, 1, 255],
    })
    expect(await database.rows("select cardinality($1::text[]) as n", [[]])).toMatchObject([{ n: 0 }])
    expect(await database.rows("select $1::text as text", ["a\0b"])).toMatchObject([{ text: "a\ufffdb" }])
  })

  test("a transaction is all or nothing", async () => {
    const database = await open()
    const name = await table(database, "x integer")
    const failing = database.transaction(async (sql) => {
      await sql.rows(`insert into ${name} values (1)`)
      throw new Error("stop")
    })
    expect(failing).rejects.toThrow("stop")
    await failing.catch(() => undefined)
    expect(await database.rows(`select * from ${name}`)).toHaveLength(0)
    expect(await database.transaction(async (sql) => sql.rows(`insert into ${name} values (2) returning x`))).toEqual([
      { x: 2 },
    ])
  })

  test("a mistake in a statement is not a lost connection, and the next statement works", async () => {
    const database = await open()
    const error: unknown = await database.rows("select 1 / 0").catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(Error)
    expect(error).not.toBeInstanceOf(DatabaseLost)
    expect(await database.rows("select 1 as one")).toMatchObject([{ one: 1 }])
  })

  test("transactions that read and write the same are as if one came after the other", async () => {
    const database = await open()
    const name = await table(database, "x integer")
    const add = (): Promise<void> =>
      database.transaction(async (sql) => {
        const [{ n = 0 } = {}] = await sql.rows<{ n: number }>(`select count(*)::integer as n from ${name}`)
        await sql.rows(`insert into ${name} values ($1)`, [n])
      })
    await Promise.all(Array.from({ length: 12 }, add))
    const found = await database.rows<{ x: number }>(`select x from ${name} order by x`)
    expect(found.map(({ x }) => x)).toEqual(Array.from({ length: 12 }, (_, i) => i))
  })

  test("in a section there is one at a time", async () => {
    const database = await open()
    const name = await table(database, "x integer")
    const section = fresh()
    const add = (): Promise<void> =>
      database.transaction(
        async (sql) => {
          await enterSection(sql, section)
          const [{ n = 0 } = {}] = await sql.rows<{ n: number }>(`select count(*)::integer as n from ${name}`)
          await sql.rows(`insert into ${name} values ($1)`, [n])
        },
        { locks: "its own" },
      )
    await Promise.all(Array.from({ length: 20 }, add))
    expect(await database.rows(`select count(distinct x)::integer as n from ${name}`)).toMatchObject([{ n: 20 }])
  })

  test("who watches is told when the transaction is committed, not before, and not of other topics", async () => {
    const database = await open()
    const topic = fresh()
    const told: (string | undefined)[] = []
    let wake = (): void => undefined
    const end = await database.watch(topic, (what) => {
      told.push(what)
      wake()
    })
    await database
      .transaction(async (sql) => {
        await sql.notify(topic, "undone")
        throw new Error("stop")
      })
      .catch(() => undefined)
    await database.notify(`${topic}_other`, "x")
    const arrived = new Promise<void>((resolve) => (wake = resolve))
    await database.transaction((sql) => sql.notify(topic, "one"))
    await arrived
    expect(told).toEqual(["one"])
    await end()
    await database.notify(topic, "two")
    await database.rows("select 1")
    expect(told).toEqual(["one"])
  })

  migrationsConform(open, fresh)
}

function migrationsConform(open: () => Promise<Database>, fresh: () => string): void {
  test("each step is applied once, also when several start together", async () => {
    const database = await open()
    const name = fresh()
    const first = { name, steps: [`create table ${name} (x integer);\ninsert into ${name} values (1);\n`] }
    const both = { name, steps: [...first.steps, `insert into ${name} values (2)`] }
    for (const outcome of await Promise.all([1, 2, 3, 4].map(() => database.migrate(first)))) valueOf(outcome)
    for (const outcome of await Promise.all([1, 2, 3, 4].map(() => database.migrate(both)))) valueOf(outcome)
    expect(await database.rows(`select x from ${name} order by x`)).toMatchObject([{ x: 1 }, { x: 2 }])
    expect(await database.migrate(first)).toEqual({
      ok: false,
      failure: { kind: "newer_schema", name, is: 2, known: 1 },
    })
  })

  test("a step that fails leaves nothing of itself", async () => {
    const database = await open()
    const name = fresh()
    const broken = { name, steps: [`create table ${name} (x integer);\ninsert into nowhere values (1)`] }
    expect(await database.migrate(broken).catch(() => "failed")).toBe("failed")
    valueOf(await database.migrate({ name, steps: [`create table ${name} (y integer)`] }))
    expect(await database.rows(`select y from ${name}`)).toHaveLength(0)
  })
}
