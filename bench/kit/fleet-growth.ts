/**
 * How many blocks the database touches for what a fleet does often, when so many sessions are finished: made by SQL. Blocks and not times, which say more
 * about what else the machine does. Prints lines of JSON; run by `bench/fleet.ts`, also in an earlier version.
 */

import { openFleetStore } from "#fleet/database/open-store.ts"
import { openDatabase } from "#ground/database/open.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { startPostgres } from "../../test/kit/database/postgres-server.ts"
import { explained } from "../../test/kit/fleet/explained.ts"
import { fillFleet } from "../../test/kit/fleet/many-rows.ts"

const sizes = (process.argv[2] ?? "1000").split(",").map(Number)
const rounds = 5

for (const finished of sizes) {
  await using postgres = await startPostgres()
  // A million sessions are made by statements that take minutes.
  const place = { kind: "server", url: postgres.url, silentMs: 3_600_000 } as const
  const database = await openDatabase(place, { clock: systemClock, ids: systemIds })
  if (!database.ok) throw new Error(JSON.stringify(database.failure))
  const counted = explained(database.value)
  const opened = await openFleetStore(counted.database)
  if (!opened.ok) throw new Error(JSON.stringify(opened.failure))
  const store = opened.value
  await fillFleet(database.value, finished, 0)
  const me = { id: "me", pid: 1, host: "bench", slots: 4, labels: ["mine"], workplaces: "/works" }
  const opening = { workspace: { path: "/mine" } }
  let made = 0
  const blocks: { [name: string]: number[] } = {}
  async function touching<T>(name: string, work: () => Promise<T>): Promise<T> {
    counted.drain()
    const done = await work()
    const list = (blocks[name] ??= [])
    list.push(counted.drain().reduce((sum, statement) => sum + statement.blocks, 0))
    return done
  }
  for (let round = 0; round < rounds; round++) {
    await touching("beat", () => store.leases.beat(me, [], 30_000))
    await touching("expire", () => store.approvals.expire())
    await touching("take nothing", () => store.leases.acquire("me", 30_000))
    const wish = { title: "Bench", query: "go", mode: "default", model: "sim", opening, labels: ["mine"] } as const
    await touching("create", () => store.sessions.create({ ...wish, id: `mine-${made++}` }, "ann"))
    const lease = await touching("take", () => store.leases.acquire("me", 30_000))
    if (!lease) throw new Error("nothing was taken")
    await touching("ship", () => store.lines.ship(lease, 1, ["one", "two", "three"]))
    await touching("finish", () => store.leases.park(lease, { stage: "completed", costUsd: 1 }))
    await touching("one session", () => store.sessions.get("done-10"))
    await touching("events", () => store.lines.events("done-10", 0, 200))
    await touching("list of all", () => store.sessions.list({ limit: 50 }))
    await touching("list of an operator", () => store.sessions.list({ limit: 50, createdBy: "nobody" }))
    await touching("inbox", () => store.approvals.openPage({ limit: 100 }))
    await touching("team of a session", () => store.teams.of("done-10"))
    await touching("figures", () => store.figures())
    await touching("webhooks", () => store.deliveries.catchUp(["https://old.example/"]))
    await touching("audit page", () => store.audit(0, 100))
    await touching("retention, nothing due", () => store.erasing.old(100 * 86_400_000, 100))
  }
  const middle = (list: readonly number[]): number => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0
  const medians = Object.entries(blocks).map(([name, list]) => [name, middle(list)])
  console.log(JSON.stringify({ finished, ...Object.fromEntries(medians) }))
  await store.close()
  await database.value.close()
}
process.exit(0)
