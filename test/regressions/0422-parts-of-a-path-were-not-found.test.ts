/** Whoever looked for a file that a prompt names found nothing: a path was one word, and what stands in angle brackets none. */

import { afterAll, beforeAll, expect, test } from "bun:test"
import { openFleetStore } from "#fleet/database/open-store.ts"
import type { FleetStore } from "#fleet/store.ts"
import type { Database } from "#lib/database.ts"
import { openUsual } from "../kit/database/engines.ts"
import { session } from "../kit/fleet/records.ts"
import { valueOf } from "../kit/team/conformance.ts"
import { lastingFolder } from "../kit/tmp.ts"

const top = lastingFolder()
let database: Database
let store: FleetStore
beforeAll(async () => {
  database = await openUsual({ join: (name: string): string => `${top}/${name}` })
  store = valueOf(await openFleetStore(database))
})
afterAll(async () => {
  await store.close()
  await database.close()
})

test("a session is found by any part of what its prompt names", async () => {
  const query = `Let <CartView/> of src/shop/cart-view.ts say globalThis.total=1, as "Mönche" do; see https://example.org/taxes?of=2026 and a@b.example.`
  await store.sessions.create(session("named", { query }), "ann")
  await store.sessions.create(session("other", { query: "Something else" }), "ann")
  const parts = [
    "src/shop/cart-view.ts",
    "shop",
    "view.ts",
    "cart-v",
    "CartView",
    "total=1",
    "mönche",
    "taxes",
    "b.exa",
  ]
  for (const words of [...parts, "2026 example.org", "Let <CartView/> of"])
    expect([words, await store.lists.find({ words, limit: 8 })]).toEqual([words, ["named"]])
  for (const words of ["card", "hop/cart", "cart taxis"])
    expect([words, await store.lists.find({ words, limit: 8 })]).toEqual([words, []])
})
