/** A server with a database of its own, without workers, that is told over its input how many sessions wait and what happens in one. */

import { createInterface } from "node:readline"
import { join } from "node:path"
import { openWebServer } from "../../src/faces/web/server.ts"
import { openFleetStore } from "../../src/fleet/database/open-store.ts"
import type { Lease } from "../../src/fleet/records.ts"
import { openDatabase } from "../../src/ground/database/open.ts"
import { systemClock } from "../../src/lib/clock.ts"
import { systemIds } from "../../src/lib/ids.ts"
import { emptyDatabase } from "../../scripts/empty-database.ts"

const [folder = "", secret = ""] = process.argv.slice(2)

const database = await openDatabase(
  { kind: "embedded", folder: join(folder, "database"), engine: { empty: Bun.file(await emptyDatabase()) } },
  { clock: systemClock, ids: systemIds },
)
if (!database.ok) throw new Error(database.failure.kind)
const store = await openFleetStore(database.value)
if (!store.ok) throw new Error(store.failure.kind)
const { sessions, leases, lines } = store.value
const server = openWebServer({
  store: store.value,
  host: "127.0.0.1",
  port: 0,
  own: { name: "ann", role: "admin", secret },
  newId: systemIds.uuid,
  newSecret: systemIds.uuid,
  clock: systemClock,
})
if (!server.ok) throw new Error(server.failure.code)

const hour = 3_600_000
const worker = { id: "w", pid: process.pid, host: "here", slots: 1, labels: [] }
await leases.beat(worker, [], hour)

async function begin(id: string): Promise<Lease> {
  const opening = { workspace: { path: "/w" } }
  await sessions.create(
    { id, title: `Session ${id}`, query: "Fix it", mode: "default", model: "", opening, labels: [] },
    "ann",
  )
  const lease = await leases.acquire("w", hour)
  if (!lease) throw new Error("a new session is not to be had")
  return lease
}

async function wait(count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    const lease = await begin(`waiting-${at}`)
    // A log of a usual size, so that what is not read does not cost anything either.
    await lines.ship(
      lease,
      1,
      Array.from({ length: 20 }, (_, line) => JSON.stringify({ line, text: "x".repeat(500) })),
    )
    const action = { tool: "Bash", input: { command: `npm test ${at}`, description: "Run the tests of one package" } }
    const risks = ["May change files or run code"]
    const asked = {
      id: "q",
      kind: "tool",
      title: "Run this command?",
      action,
      explanation: "npm test",
      risks,
      digest: `d${at}`,
    } as const
    await leases.park(lease, { stage: "awaiting_tool_approval", costUsd: 0.03 }, [asked])
  }
}

async function busy(events: number, perSecond: number): Promise<void> {
  const lease = await begin("busy")
  process.stdout.write("begun\n")
  await new Promise<void>((resolve) => void (go = resolve))
  for (let at = 1; at <= events; at++) {
    await lines.ship(lease, at, [JSON.stringify({ at: Date.now(), text: "x".repeat(300) })])
    await Bun.sleep(1000 / perSecond)
  }
}

let go = (): void => undefined
process.stdout.write(`${server.value.url}\n`)
for await (const line of createInterface({ input: process.stdin })) {
  const [what, count, perSecond] = line.split(" ")
  if (what === "wait") await wait(Number(count)).then(() => process.stdout.write("waiting\n"))
  if (what === "busy") void busy(Number(count), Number(perSecond)).then(() => process.stdout.write("over\n"))
  if (what === "go") go()
}
process.exit(0)
