/**
 * Many worker processes on one Postgres with its usual settings, every second one through PgBouncer: they are killed, and the database and the pooler
 * are restarted.
 */

import { expect, test } from "bun:test"
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { openFleetStore } from "#fleet/database/open-store.ts"
import { seededIds } from "#lib/ids.ts"
import { openCountedWire } from "../../kit/database/counted-wire.ts"
import { opened } from "../../kit/database/databases.ts"
import { openPooler } from "../../kit/database/pgbouncer.ts"
import { hasPostgres, startPostgres } from "../../kit/database/postgres-server.ts"
import { session } from "../../kit/fleet/records.ts"
import { helper } from "../../kit/helper.ts"
import { valueOf } from "../../kit/team/conformance.ts"
import { temporaryFolder } from "../../kit/tmp.ts"
import { until } from "../../kit/until.ts"

const workers = Number(process.env["CODEWRIGHT_MANY_WORKERS"] ?? 3)
const sessions = Number(process.env["CODEWRIGHT_MANY_SESSIONS"] ?? 40)
const killEveryMs = 1_500
/** How long the idle workers are watched; only where there is somebody to read it. */
const idleMs = workers > 10 ? 20_000 : 0
const leaseMs = workers > 10 ? 30_000 : 4_000

test.skipIf(!hasPostgres)(
  "all sessions end, each note is made once, and nobody is refused a connection for good",
  async () => {
    using folder = temporaryFolder()
    await using server = await startPostgres({ usual: true })
    const wire = await openCountedWire(server.url, /attempts = attempts \+ 1/)
    await using pooler = await openPooler(wire.url, 10)
    const database = await opened({ kind: "server", url: server.url })
    const store = valueOf(await openFleetStore(database))
    const notes = folder.join("notes")
    mkdirSync(notes)
    const program = join(import.meta.dir, "../../kit/fleet/short-worker.ts")
    const start = async (nth: number): Promise<Bun.Subprocess> => {
      const own = folder.join(`worker-${nth}`)
      mkdirSync(own, { recursive: true })
      const through = nth % 2 === 0 ? [] : [pooler.url]
      // As under a supervisor: while the database is away, it does not start.
      for (;;) {
        const child = Bun.spawn([...helper(program), wire.url, notes, own, String(leaseMs), ...through], {
          stdout: "pipe",
          stderr: "ignore",
        })
        if (!(await child.stdout.getReader().read()).done) return child
        await child.exited
      }
    }
    const begun = Date.now()
    const children: Bun.Subprocess[] = []
    for (let nth = 0; nth < workers; nth += 5) {
      const some = Array.from({ length: Math.min(5, workers - nth) }, (_, more) => start(nth + more))
      children.push(...(await Promise.all(some)))
    }
    await Bun.sleep(idleMs)
    const quiet = wire.passed()
    await Bun.sleep(idleMs)
    const ready = Date.now()
    const idle = { statements: wire.passed().statements - quiet.statements, connections: wire.connections() }
    const before = wire.passed()
    const ids = Array.from({ length: sessions }, (_, nth) => `s${nth}`)
    let most = 0
    const left = async (): Promise<number> => {
      const [row] = await database.rows<{ left: number; connections: number }>(
        `select (select count(*)::integer from fleet_sessions where stage <> 'completed') as left,
           (select count(*)::integer from pg_stat_activity where backend_type = 'client backend') as connections`,
      )
      most = Math.max(most, row?.connections ?? 0)
      return row?.left ?? 0
    }
    const over = new AbortController()
    const { random } = seededIds(1)
    let kills = 0
    const killing = (async () => {
      while (!over.signal.aborted) {
        await Bun.sleep(killEveryMs)
        const at = Math.floor(random() * workers)
        if (over.signal.aborted) return
        children[at]?.kill(9)
        await children[at]?.exited
        kills++
        children[at] = await start(at)
      }
    })()
    for (const half of [ids.slice(0, sessions / 2), ids.slice(sessions / 2)]) {
      const waiting = [...half]
      const create = async (): Promise<void> => {
        for (let id = waiting.shift(); id !== undefined; id = waiting.shift())
          await store.sessions.create(session(id), "ann")
      }
      await Promise.all([1, 2, 3, 4].map(create))
      if (half[0] !== ids[0]) break
      await Promise.all([server.stop(), pooler.kill()])
      await server.start()
      await pooler.start()
    }
    await until(async () => (await left()) === 0)
    over.abort()
    await killing
    const wrong = ids.filter((id) => readFileSync(join(notes, id), "utf8") !== "1\n2\n3\n")
    expect(wrong).toEqual([])
    const lines = await database.rows<{ lines: number }>("select distinct lines from fleet_sessions")
    expect(lines).toEqual([{ lines: 6 }])
    const seconds = (from: number): number => Math.round((Date.now() - from) / 1000)
    const passed = wire.passed()
    const each = (name: keyof typeof passed): string => ((passed[name] - before[name]) / sessions).toFixed(1)
    process.stdout.write(
      `${sessions} sessions on ${workers} workers, ${kills} kills, at most ${most} connections, ${seconds(ready)} s (${seconds(begun)} s with the start)
a session: ${each("statements")} statements, ${each("transactions")} transactions, ${each("notifications")} notifications, ${each("marked")} attempts to take it
idle: ${idle.connections} connections, ${(idle.statements / workers / Math.max(idleMs / 1000, 1)).toFixed(2)} statements a second of each worker\n`,
    )
    for (const child of children) child.kill(9)
    await Promise.all(children.map(({ exited }) => exited))
    wire.close()
    await store.close()
    await database.close()
  },
  Infinity,
)
