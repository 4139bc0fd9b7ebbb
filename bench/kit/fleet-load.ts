/**
 * What workers of a fleet cost their database, idle and at work: workers of this process with connections of their own, and sessions that write lines
 * and end. Prints lines of JSON. Run by `bench/fleet.ts`, also in the sources of an earlier version.
 */

import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { noUsage } from "#agent/words/model.ts"
import { openFleetStore } from "#fleet/database/open-store.ts"
import type { FleetStore } from "#fleet/store.ts"
import type { OpenFleetSession } from "#fleet/work/opening.ts"
import { startWorker } from "#fleet/work/worker.ts"
import { openDatabase } from "#ground/database/open.ts"
import { systemClock } from "#lib/clock.ts"
import type { Database } from "#lib/database.ts"
import { systemIds } from "#lib/ids.ts"
import { ok } from "#lib/result.ts"
import type { Session } from "#session/port/session.ts"
import { startPostgres } from "../../test/kit/database/postgres-server.ts"
import { type CountedWire, openCountedWire, type Passed } from "../../test/kit/database/counted-wire.ts"

const workerCounts = (process.argv[2] ?? "1,4").split(",").map(Number)
const idleMs = Number(process.argv[3] ?? 10_000)
/** Lines of a session, and after how many of them something waits until they have arrived. */
const [linesEach, barrierEvery] = [24, 4]

const folder = mkdtempSync(join(tmpdir(), "fleet-load-"))
await using postgres = await startPostgres()

function finished(): Session {
  const end = { kind: "turn_end", turnId: "t", reason: "completed" }
  const answers: { readonly [type: string]: unknown } = {
    turn: [end],
    questions: [],
    team: null,
    background: [],
    agents: [],
    settled: null,
    gates: [],
    stage: { stage: "completed", pending: [], result: { ok: true, text: "Done." } },
    state: { mode: "default", model: "sim", costUsd: 0.01, usage: noUsage },
  }
  return {
    ask: async ({ type }: { readonly type: string }) => answers[type],
    submit: async () => ok(undefined),
    async *events() {},
  } as unknown as Session
}

const open: OpenFleetSession = async ({ copy, sessionLogs, record }) => {
  const path = sessionLogs.logPath(record.id)
  for (let nth = 1; nth <= linesEach; nth++) {
    copy.add(path, JSON.stringify({ uuid: `${record.id}-${nth}`, text: "x".repeat(200) }))
    if (nth % barrierEvery === 0) await copy.arrived()
  }
  return ok({ session: finished(), close: async () => undefined } as never)
}

async function openStore(url: string): Promise<{ readonly database: Database; readonly store: FleetStore }> {
  const database = await openDatabase({ kind: "server", url }, { clock: systemClock, ids: systemIds })
  if (!database.ok) throw new Error(JSON.stringify(database.failure))
  const store = await openFleetStore(database.value)
  if (!store.ok) throw new Error(JSON.stringify(store.failure))
  return { database: database.value, store: store.value }
}

async function startOne(url: string): Promise<() => Promise<void>> {
  const { database, store } = await openStore(url)
  const scratch = mkdtempSync(join(folder, "worker-"))
  const worker = await startWorker({
    store,
    open,
    workplaces: {
      async prepare(_record, { sessionId }) {
        const own = join(scratch, sessionId)
        mkdirSync(join(own, "session"), { recursive: true })
        return ok({
          cwd: own,
          plans: join(own, "plans"),
          worktrees: join(own, "worktrees"),
          folder: join(own, "session"),
          notes: [],
          reads: [],
          isBehind: () => false,
          keep: async () => undefined,
          publish: async () => ok(undefined),
        })
      },
    },
    scratch,
    me: { pid: process.pid, host: "bench", slots: 2, labels: [], workplaces: scratch },
    clock: systemClock,
    ids: systemIds,
    report: (text) => process.stderr.write(`${text}\n`),
  })
  return async () => {
    await worker.close()
    await store.close()
    await database.close()
  }
}

async function during(wire: CountedWire, work: () => Promise<unknown>): Promise<Passed> {
  const before = wire.passed()
  await work()
  const after = wire.passed()
  return {
    statements: after.statements - before.statements,
    transactions: after.transactions - before.transactions,
    notifications: after.notifications - before.notifications,
    marked: after.marked - before.marked,
  }
}

const { database, store } = await openStore(postgres.url)
const wire = await openCountedWire(postgres.url, /attempts = attempts \+ 1/)
const opening = { workspace: { path: "/w" } }
const wish = { title: "Bench", query: "go", mode: "default", model: "sim", opening, labels: [] } as const
let made = 0

for (const workers of workerCounts) {
  const stops = []
  for (let nth = 0; nth < workers; nth++) stops.push(await startOne(wire.url))
  await Bun.sleep(4_000)
  const connections: number[] = []
  const idle = await during(wire, async () => {
    for (let nth = 0; nth < 10; nth++) {
      await Bun.sleep(idleMs / 10)
      connections.push(wire.connections())
    }
  })
  const sessions = 40
  const begun = performance.now()
  const busy = await during(wire, async () => {
    for (let nth = 0; nth < sessions; nth++) {
      await store.sessions.create({ ...wish, id: `s-${made++}` }, "bench")
      await Bun.sleep(50)
    }
    for (;;) {
      const [row] = await database.rows<{ left: number }>(
        "select count(*)::integer as left from fleet_sessions where stage <> 'completed'",
      )
      if (row?.left === 0) break
      await Bun.sleep(200)
    }
  })
  const seconds = (performance.now() - begun) / 1000
  console.log(
    JSON.stringify({
      workers,
      idleStatements: idle.statements / workers / (idleMs / 1000),
      connections: Math.max(...connections) / workers,
      meanConnections: connections.reduce((sum, each) => sum + each, 0) / connections.length / workers,
      statements: busy.statements / sessions,
      transactions: busy.transactions / sessions,
      notifications: busy.notifications / sessions,
      attempts: busy.marked / sessions,
      seconds,
    }),
  )
  await Promise.all(stops.map((stop) => stop()))
}
wire.close()
await store.close()
await database.close()
rmSync(folder, { recursive: true, force: true })
process.exit(0)
