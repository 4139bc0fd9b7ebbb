/** The tasks that a session holds: what ends is no longer kept alive, and nobody gives back what another one has. */

import { expect, test } from "bun:test"
import { systemClock } from "#lib/clock.ts"
import { openTeamStore } from "#ground/team/store.ts"
import { openClaims } from "#team/claims.ts"
import { newcomer, valueOf } from "../../kit/team/conformance.ts"

test("a lease is kept alive until its task is finished or given back", async () => {
  const about = { name: "crew", lead: "lead" }
  const store = await openTeamStore({ path: ":memory:", about, clock: systemClock })
  const alive = new Set<number>()
  const leases = {
    keepAlive: (lease: number) => void alive.add(lease),
    drop: (lease: number) => void alive.delete(lease),
  }
  for (const name of ["lead", "ann", "bob"]) valueOf(await store.roster.join(newcomer(name)))
  for (const subject of ["one", "two"]) valueOf(await store.board.create({ subject, description: "" }))
  const ann = openClaims({ board: store.board, leases, name: "ann" })
  const bob = openClaims({ board: store.board, leases, name: "bob" })

  valueOf(await ann.begin("1"))
  valueOf(await ann.begin("2"))
  expect(alive.size).toBe(2)
  expect(await bob.giveBack("1", "mine now")).toMatchObject({ ok: false, failure: { kind: "claimed", owner: "ann" } })
  expect(alive.size).toBe(2)
  valueOf(await ann.finish("1"))
  expect(alive.size).toBe(1)
  valueOf(await ann.giveBack("2", "later"))
  expect(alive.size).toBe(0)
  expect(await store.board.get("2")).toMatchObject({ status: "pending", notes: ["later"] })
  await store.close()
})
