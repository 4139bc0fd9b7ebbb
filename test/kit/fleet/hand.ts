/**
 * A worker without a model: its sessions act, ask, and act. Run as a program: the database, the folder for notes, its name. It ends
 * when every session is over.
 */

import { systemClock } from "#lib/clock.ts"
import { openFleetStore } from "#fleet/database/open-store.ts"
import { isOver } from "#agent/words/stage.ts"
import type { Lease } from "#fleet/records.ts"
import { openShipper } from "#fleet/work/ship.ts"
import type { FleetStore } from "#fleet/store.ts"
import { opened } from "../database/databases.ts"
import { valueOf } from "../team/conformance.ts"
import { note } from "../team/notes.ts"
import { approval, worker } from "./records.ts"

const [url = "", notes = "", name = ""] = process.argv.slice(2)
const leaseMs = 2_000
const acts = 4
/** Before this one a person is asked. */
const asked = 3

const database = await opened({ kind: "server", url, connections: 4 })
const store = valueOf(await openFleetStore(database))
const me = worker(name, { pid: process.pid })
const held = new Set<Lease>()

const beat = async (): Promise<unknown> => store.leases.beat(me, [...held], leaseMs)
await beat()
const beating = setInterval(() => void beat(), leaseMs / 4)
await Promise.all(Array.from({ length: me.slots }, work))
clearInterval(beating)
await store.close()
await database.close()

async function work(): Promise<void> {
  for (;;) {
    const lease = await store.leases.acquire(name, leaseMs)
    if (lease) {
      held.add(lease)
      await run(lease, store)
      held.delete(lease)
    } else {
      if ((await store.sessions.list({ limit: 1000 })).every(({ stage }) => isOver(stage))) return
      await Bun.sleep(50)
    }
  }
}

/** What happened is in the lines, and nowhere else. */
async function run(lease: Lease, { lines, leases, approvals }: FleetStore): Promise<void> {
  const { sessionId } = lease
  const before = await lines.after(sessionId, 0, 1000)
  const shipper = openShipper({ lines, lease, already: before.length, clock: systemClock })
  for (let act = 1; act <= acts; act++) {
    if (before.includes(`result ${act}`) || before.includes(`unknown ${act}`)) continue
    if (before.includes(`intent ${act}`)) {
      // Somebody ended here: whether it was done, nobody knows, so it is not done again.
      shipper.add(`unknown ${act}`)
      continue
    }
    if (act === asked) {
      const [decided] = await approvals.of(sessionId)
      if (decided?.state === "denied") break
      if (decided?.state !== "allowed") {
        if (!(await shipper.arrived()).ok) return
        await leases.park(lease, { stage: "awaiting_tool_approval" }, [approval("q", `act ${act}`)])
        return
      }
    }
    shipper.add(`intent ${act}`)
    if (!(await shipper.arrived()).ok) return
    note(notes, "effects", `${sessionId} ${act}`)
    await Bun.sleep(5)
    shipper.add(`result ${act}`)
  }
  if (!(await shipper.arrived()).ok) return
  await leases.park(lease, { stage: "completed" })
}
