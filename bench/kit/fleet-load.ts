/**
 * What workers of a fleet cost their database, idle and at work: workers with connections of their own, up to a hundred in each process
 * (`fleet-workers.ts`), and sessions that write lines and end. Prints lines of JSON. Run by `bench/fleet.ts`, also in the sources of an earlier version: `fleet-load.ts <workers> <idle ms> [pooled]`.
 */

import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { openFleetStore } from "#fleet/database/open-store.ts"
import type { FleetStore } from "#fleet/store.ts"
import { openDatabase } from "#ground/database/open.ts"
import { systemClock } from "#lib/clock.ts"
import type { Database } from "#lib/database.ts"
import { systemIds } from "#lib/ids.ts"
import { openPooler } from "../../test/kit/database/pgbouncer.ts"
import { startPostgres } from "../../test/kit/database/postgres-server.ts"
import { type CountedWire, openCountedWire, type Passed } from "../../test/kit/database/counted-wire.ts"

const workerCounts = (process.argv[2] ?? "1,4").split(",").map(Number)
const idleMs = Number(process.argv[3] ?? 10_000)
/** Two for each worker, and a few for whoever looks. */
const connections = Math.max(400, 2 * Math.max(...workerCounts) + 100)
await using postgres = await startPostgres({ connections })
/** How long each session waited until a worker opened it, and which one did. */
const waits: number[] = []
const openedBy = new Map<string, number>()

async function openStore(url: string): Promise<{ readonly database: Database; readonly store: FleetStore }> {
  const database = await openDatabase({ kind: "server", url }, { clock: systemClock, ids: systemIds })
  if (!database.ok) throw new Error(JSON.stringify(database.failure))
  const store = await openFleetStore(database.value)
  if (!store.ok) throw new Error(JSON.stringify(store.failure))
  return { database: database.value, store: store.value }
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
const pooler = process.argv[4] === "pooled" ? await openPooler(wire.url, 20) : undefined
const opening = { workspace: { path: "/w" } }
const wish = { title: "Bench", query: "go", mode: "default", model: "sim", opening, labels: [] } as const
let made = 0

const statOf = (pid: string | number): readonly string[] => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8")
    return text.slice(text.lastIndexOf(")") + 2).split(" ")
  } catch {
    return []
  }
}
const msIn = (stat: readonly string[], ...at: readonly number[]): number =>
  at.reduce((all, each) => all + Number(stat[each] ?? 0), 0) * 10

/** Processor time of the database's processes, those that have ended included. */
function serverMs(): number {
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(statOf)
    .filter((stat) => stat[1] === String(postgres.pid))
  return msIn(statOf(postgres.pid), 11, 12, 13, 14) + children.reduce((all, stat) => all + msIn(stat, 11, 12), 0)
}

interface Group {
  readonly child: Bun.Subprocess
  readonly workers: number
}
const groups: Group[] = []
const workersMs = (): number => groups.reduce((all, { child }) => all + msIn(statOf(child.pid), 11, 12), 0)

async function startGroup(workers: number): Promise<void> {
  const more = pooler === undefined ? [] : [pooler.url]
  const child = Bun.spawn(
    [process.execPath, join(import.meta.dir, "fleet-workers.ts"), wire.url, String(workers), ...more],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  )
  groups.push({ child, workers })
  const ready = Promise.withResolvers<void>()
  void (async () => {
    let rest = ""
    const decoder = new TextDecoder()
    for await (const piece of child.stdout) {
      const lines = `${rest}${decoder.decode(piece, { stream: true })}`.split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) {
        if (line === "ready") ready.resolve()
        else note(JSON.parse(line) as Opened)
      }
    }
  })()
  await ready.promise
}

interface Opened {
  readonly by: string
  readonly waitMs: number
}

function note({ by, waitMs }: Opened): void {
  waits.push(waitMs)
  openedBy.set(by, (openedBy.get(by) ?? 0) + 1)
}

const mostInOne = 100

for (const workers of workerCounts) {
  for (let started = groups.reduce((all, group) => all + group.workers, 0); started < workers;) {
    const more = Math.min(mostInOne, workers - started)
    await startGroup(more)
    started += more
  }
  // The pauses between heartbeats are long enough for all of them to be idle.
  await Bun.sleep(Math.max(4_000, workers * 20))
  const seen: number[] = []
  const before = { server: serverMs(), own: workersMs(), at: performance.now() }
  const idle = await during(wire, async () => {
    for (let nth = 0; nth < 10; nth++) {
      await Bun.sleep(idleMs / 10)
      seen.push(wire.connections())
    }
  })
  const idleSeconds = (performance.now() - before.at) / 1000
  const idleServerMs = (serverMs() - before.server) / workers / idleSeconds
  const idleOwnMs = (workersMs() - before.own) / workers / idleSeconds
  const sessions = Math.max(40, 2 * workers)
  waits.length = 0
  openedBy.clear()
  const begun = performance.now()
  const serverBefore = serverMs()
  let most = 0
  const busy = await during(wire, async () => {
    for (let nth = 0; nth < sessions; nth++) {
      await store.sessions.create({ ...wish, id: `s-${made++}` }, "bench")
      await Bun.sleep(50)
      most = Math.max(most, wire.connections())
    }
    for (;;) {
      const [row] = await database.rows<{ left: number }>(
        "select count(*)::integer as left from fleet_sessions where stage <> 'completed'",
      )
      if (row?.left === 0) break
      most = Math.max(most, wire.connections())
      await Bun.sleep(200)
    }
  })
  const seconds = (performance.now() - begun) / 1000
  // What idle workers ask meanwhile is not part of a session.
  const each = (name: keyof Passed): number => (busy[name] - (idle[name] / idleSeconds) * seconds) / sessions
  const sorted = waits.toSorted((a, b) => a - b)
  console.log(
    JSON.stringify({
      workers,
      idleStatements: idle.statements / workers / idleSeconds,
      idleServerMs,
      idleOwnMs,
      connections: Math.max(...seen) / workers,
      meanConnections: seen.reduce((sum, one) => sum + one, 0) / seen.length / workers,
      busyConnections: most / workers,
      statements: each("statements"),
      transactions: each("transactions"),
      notifications: busy.notifications / sessions,
      attempts: each("marked"),
      serverMs: (serverMs() - serverBefore - idleServerMs * workers * seconds) / sessions,
      opened: waits.length / sessions,
      middleWaitMs: sorted[Math.floor(sorted.length / 2)],
      longestWaitMs: sorted.at(-1),
      workersWithSessions: openedBy.size / workers,
      mostOfOneWorker: Math.max(...openedBy.values()),
      seconds,
    }),
  )
}
for (const { child } of groups) child.kill()
await Promise.all(groups.map(({ child }) => child.exited))
await pooler?.[Symbol.asyncDispose]()
wire.close()
await store.close()
await database.close()
process.exit(0)
