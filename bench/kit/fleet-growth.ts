/** What statements of a fleet take when so many sessions are finished: made by SQL. Prints lines of JSON; run by `bench/fleet.ts`, also in an earlier version. */

import { openFleetStore } from "#fleet/database/open-store.ts"
import { openDatabase } from "#ground/database/open.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { startPostgres } from "../../test/kit/database/postgres-server.ts"
import { fillFleet } from "../../test/kit/fleet/many-rows.ts"

const sizes = (process.argv[2] ?? "1000").split(",").map(Number)
const rounds = 40

for (const finished of sizes) {
  await using postgres = await startPostgres()
  const database = await openDatabase({ kind: "server", url: postgres.url }, { clock: systemClock, ids: systemIds })
  if (!database.ok) throw new Error(JSON.stringify(database.failure))
  const opened = await openFleetStore(database.value)
  if (!opened.ok) throw new Error(JSON.stringify(opened.failure))
  const store = opened.value
  await fillFleet(database.value, finished, 0)
  const me = { id: "me", pid: 1, host: "bench", slots: 4, labels: ["mine"], workplaces: "/works" }
  const opening = { workspace: { path: "/mine" } }
  let made = 0
  const times: { [name: string]: number[] } = {}
  async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
    const from = performance.now()
    const done = await work()
    const list = (times[name] ??= [])
    list.push(performance.now() - from)
    return done
  }
  for (let round = 0; round < rounds; round++) {
    await timed("beat", () => store.leases.beat(me, [], 30_000))
    await timed("expire", () => store.approvals.expire())
    await timed("take nothing", () => store.leases.acquire("me", 30_000))
    const wish = { title: "Bench", query: "go", mode: "default", model: "sim", opening, labels: ["mine"] } as const
    await timed("create", () => store.sessions.create({ ...wish, id: `mine-${made++}` }, "ann"))
    const lease = await timed("take", () => store.leases.acquire("me", 30_000))
    if (!lease) throw new Error("nothing was taken")
    await timed("ship", () => store.lines.ship(lease, 1, ["one", "two", "three"]))
    await timed("finish", () => store.leases.park(lease, { stage: "completed", costUsd: 1 }))
    await timed("list of an operator", () => store.sessions.list({ limit: 50, createdBy: "nobody" }))
    await timed("team of a session", () => store.teams.of("done-10"))
  }
  const middle = (list: readonly number[]): number => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0
  const medians = Object.entries(times).map(([name, list]) => [name, Number(middle(list).toFixed(2))])
  console.log(JSON.stringify({ finished, ...Object.fromEntries(medians) }))
  await store.close()
  await database.value.close()
}
process.exit(0)
