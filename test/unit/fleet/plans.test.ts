/**
 * Every function of a fleet's store is called once on tables that have grown for long, and every statement it runs is explained: none may walk through
 * a table that grows. A function that is not called here fails the test, so that no statement escapes it.
 */

import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { openFleetStore } from "#fleet/database/open-store.ts"
import type { FleetStore } from "#fleet/store.ts"
import type { Database } from "#lib/database.ts"
import { opened } from "../../kit/database/databases.ts"
import { hasPostgres, openPostgres, type PostgresDatabase } from "../../kit/database/postgres-server.ts"
import { explained, type Explained, type Statement } from "../../kit/fleet/explained.ts"
import { fillFleet, fillPage } from "../../kit/fleet/many-rows.ts"
import { storeCalls } from "../../kit/fleet/store-calls.ts"
import { valueOf } from "../../kit/team/conformance.ts"

const finished = Number(process.env["CODEWRIGHT_FLEET_FINISHED"] ?? 14_000)

/** As many rows as there are workers, users, addresses or people who look right now. */
const bounded: ReadonlySet<string> = new Set([
  "fleet_chores",
  "fleet_hooks",
  "fleet_templates",
  "fleet_wishes",
  "fleet_tokens",
  "fleet_watched",
  "fleet_workers",
  "migrations",
])

/** Rows of one kind of node: more than a page of anything, and far less than there are. */
const mostRows = 2_900

/** Asked for by a person, or a few times a day. */
const rare: ReadonlySet<string> = new Set(["erasing.person", "trees.unneeded", "lists.usage"])

/** Counts everything that is not over: as much as a fleet has at work, however long its past is. */
const counting: ReadonlySet<string> = new Set(["figures"])

describe.skipIf(!hasPostgres)("statements on tables that have grown", () => {
  let server: PostgresDatabase
  let database: Database
  let counted: Explained
  let store: FleetStore
  let calls: ReturnType<typeof storeCalls>

  beforeAll(async () => {
    server = await openPostgres()
    // A million sessions are made by statements that take minutes.
    database = await opened({ kind: "server", url: server.url, silentMs: 3_600_000 })
    counted = explained(database)
    store = valueOf(await openFleetStore(counted.database))
    calls = storeCalls(store)
    await fillFleet(database, finished)
    await fillPage(database)
    await database.rows("update fleet_workers set has_room = true")
  }, 3_600_000)
  afterAll(async () => {
    await store.close()
    await database.close()
    await server[Symbol.asyncDispose]()
  })

  test("every function is called", () => {
    const watching = new Set(["watch", "watchChanges", "watchWorker", "watchErased", "close"])
    const all = Object.entries(store).flatMap(([room, value]: [string, object]) =>
      typeof value === "function" ? room : Object.keys(value).map((name) => `${room}.${name}`),
    )
    expect(all.filter((name) => !watching.has(name)).toSorted()).toEqual(Object.keys(calls).toSorted())
  })

  test("none walks through what grows", async () => {
    // Whoever watches a session and lists, so that telling them is part of it.
    const unwatch = [store.watch("mine", () => undefined), store.watchChanges(() => undefined)]
    await Bun.sleep(300)
    expect(counted.drain().flatMap((statement) => wrongIn(statement))).toEqual([])
    const wrong: string[] = []
    for (const [name, call] of Object.entries(calls)) {
      await call()
      const found = counted.drain()
      const most = counting.has(name) ? finished / 2 : mostRows
      const faults = found.flatMap((statement) => wrongIn(statement, most))
      if (!rare.has(name)) wrong.push(...faults.map((text) => `${name}: ${text}`))
    }
    for (const stop of unwatch) stop()
    expect(wrong).toEqual([])
  }, 3_600_000)
})

function wrongIn({ text, scans }: Statement, most = mostRows): readonly string[] {
  return scans.flatMap(({ kind, table, rows }) => {
    if (bounded.has(table) || rows === 0) return []
    if (kind === "Seq Scan") return [`walks through ${table} (${rows} rows): ${text}`]
    return rows > most ? [`reads ${rows} rows of ${table}: ${text}`] : []
  })
}
