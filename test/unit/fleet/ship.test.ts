import { expect, test } from "bun:test"
import { systemClock } from "#lib/clock.ts"
import { openFleetStore } from "#fleet/database/open-store.ts"
import { openShipper } from "#fleet/work/ship.ts"
import { opened } from "../../kit/database/databases.ts"
import { hasPostgres, startPostgres } from "../../kit/database/postgres-server.ts"
import { held, heldAgain } from "../../kit/fleet/records.ts"
import { valueOf } from "../../kit/team/conformance.ts"

test.skipIf(!hasPostgres)(
  "lines arrive in order and once, though the server is away meanwhile, and of one that lost its session none",
  async () => {
    await using server = await startPostgres()
    const database = await opened({ kind: "server", url: server.url })
    const store = valueOf(await openFleetStore(database))
    const lease = await held(store, "s")
    const shipper = openShipper({ lines: store.lines, lease, already: 0, clock: systemClock })
    const lines = Array.from({ length: 1500 }, (_, i) => `${i} ${"x".repeat(i % 700)}`)
    const arrived = { ok: true, value: undefined } as const
    expect(await shipper.arrived()).toEqual(arrived)
    for (const line of lines.slice(0, 700)) shipper.add(line)
    const stopping = server.stop()
    for (const line of lines.slice(700)) shipper.add(line)
    await stopping
    shipper.add("while it is away")
    const order: string[] = []
    const arriving = shipper.arrived().then((result) => {
      order.push("arrived")
      return result
    })
    order.push("back")
    await server.start()
    expect(await arriving).toEqual(arrived)
    expect(order).toEqual(["back", "arrived"])
    const all = [...lines, "while it is away"]
    expect(await store.lines.after("s", 0, 10_000)).toEqual(all)

    await store.leases.leave(lease.worker)
    const next = await heldAgain(store, "s", "next")
    shipper.add("late")
    const fenced = { ok: false, failure: { kind: "fenced" } } as const
    expect(await shipper.arrived()).toEqual(fenced)
    expect(await shipper.arrived()).toEqual(fenced)
    const another = openShipper({ lines: store.lines, lease: next, already: all.length, clock: systemClock })
    another.add("mine")
    expect(await another.arrived()).toEqual(arrived)
    expect(await store.lines.after("s", all.length, 10)).toEqual(["mine"])
    shipper.close()
    another.close()
    await store.close()
    await database.close()
  },
  120_000,
)
