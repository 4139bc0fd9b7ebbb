/** The work of a team whose store is on a Postgres server. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { hasPostgres, openPostgres, type PostgresDatabase } from "../../kit/database/postgres-server.ts"
import { expectAllDone, finishThoughKilled, makeGraph, names, start, tasksIn } from "../../kit/team/graph.ts"
import { notesIn } from "../../kit/team/notes.ts"
import { temporaryFolder } from "../../kit/tmp.ts"
import { isNight } from "../../kit/runs.ts"

const many = isNight ? 1000 : 250
const killed = isNight ? { tasks: 120, kills: 8 } : { tasks: 60, kills: 4 }

describe.skipIf(!hasPostgres)("a graph of tasks on a server", () => {
  let server: PostgresDatabase
  beforeAll(async () => void (server = await openPostgres()), 120_000)
  afterAll(() => server[Symbol.asyncDispose]())

  test(`16 members of 4 processes finish ${many} tasks`, async () => {
    using folder = temporaryFolder()
    const path = `${server.url}#many`
    await makeGraph(path, 1, many)
    const hands = [0, 4, 8, 12].map((at) => start(path, folder.path, names(at, at + 4), { everyMs: 5000, workMs: 0 }))
    expect(await Promise.all(hands.map(({ exited }) => exited))).toEqual([0, 0, 0, 0])
    expectAllDone(await tasksIn(path), folder.path)
    expect(notesIn(folder.path, "done").length).toBe(many)
    expect(notesIn(folder.path, "backs")).toEqual([])
  }, 300_000)

  test(
    "members that are killed lose nothing: others, and those that come back, finish",
    () => finishThoughKilled({ seed: 3, everyMs: 300, ...killed, path: `${server.url}#killed` }),
    240_000,
  )
})
