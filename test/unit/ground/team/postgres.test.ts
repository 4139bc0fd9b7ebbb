import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { systemClock } from "#lib/clock.ts"
import type { Database } from "#lib/database.ts"
import { openTeamInPostgres } from "#ground/team/postgres.ts"
import { postgresTables as teamTables } from "#ground/team/tables.ts"
import { embeddedIn, opened } from "../../../kit/database/databases.ts"
import { hasPostgres, openPostgres, type PostgresDatabase } from "../../../kit/database/postgres-server.ts"
import { newcomer, teamConformance, valueOf } from "../../../kit/team/conformance.ts"
import { testsInTurns } from "../../../kit/turns.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const [onServer = test, inEmbedded = test] = testsInTurns(hasPostgres ? 2 : 1)
const about = { name: "crew", lead: "lead" }

describe("in the embedded database", () => {
  const folder = temporaryFolder()
  const open = teamsOf(async () => opened(await embeddedIn(folder)))
  teamConformance("embedded", inEmbedded, open)
  afterAll(() => folder[Symbol.dispose]())
})

describe.skipIf(!hasPostgres)("on a server", () => {
  let server: PostgresDatabase
  beforeAll(async () => void (server = await openPostgres()), 120_000)
  const open = teamsOf(() => opened({ kind: "server", url: server.url }))
  teamConformance("server", onServer, open)
  afterAll(() => server[Symbol.asyncDispose]())

  test("two connections see each other's changes, and are told of them, but not of other teams", async () => {
    const place = { kind: "server", url: server.url } as const
    const [here, there] = [await opened(place), await opened(place)]
    const parts = { team: "two", about, clock: systemClock }
    const one = valueOf(await openTeamInPostgres({ ...parts, database: here }))
    const two = valueOf(await openTeamInPostgres({ ...parts, about: { name: "x", lead: "y" }, database: there }))
    const other = valueOf(await openTeamInPostgres({ ...parts, team: "three", database: there }))
    let others = 0
    other.watch(() => void others++)
    const told = new Promise<void>((resolve) => two.watch(resolve))
    valueOf(await one.roster.join(newcomer("ann")))
    await told
    expect(await two.roster.members()).toMatchObject([{ name: "ann" }])
    expect(await two.roster.about()).toEqual(about)
    expect([await other.roster.members(), others]).toEqual([[], 0])
    for (const each of [one, two, other]) await each.close()
    for (const each of [here, there]) await each.close()
  })

  test("tables of a newer version are refused", async () => {
    const database = await opened({ kind: "server", url: server.url }, "newer")
    valueOf(await database.migrate({ ...teamTables, steps: [...teamTables.steps, "select 1"] }))
    const refused = await openTeamInPostgres({ database, team: "x", about, clock: systemClock })
    expect(refused).toMatchObject({
      ok: false,
      failure: { kind: "newer_schema", name: "team", is: teamTables.steps.length + 1, known: teamTables.steps.length },
    })
    await database.close()
  })
})

/** A new team in the same database each time. */
function teamsOf(connect: () => Promise<Database>) {
  let database: Database
  let teams = 0
  beforeAll(async () => void (database = await connect()), 120_000)
  afterAll(() => database.close())
  return async () => {
    const parts = { database, team: `team ${teams++}`, about, clock: systemClock }
    const store = valueOf(await openTeamInPostgres(parts))
    return { ...store, [Symbol.asyncDispose]: store.close }
  }
}
