/** Between the moment at which a session was found to be old and the one at which it was erased, somebody continued it: it was erased with what they had asked. */

import { expect, test } from "bun:test"
import { openFleetStore } from "#fleet/database/open-store.ts"
import { messageOp } from "#fleet/ops.ts"
import { prune } from "#fleet/retention.ts"
import { openUsual } from "../kit/database/engines.ts"
import { held, session } from "../kit/fleet/records.ts"
import { valueOf } from "../kit/team/conformance.ts"
import { temporaryFolder } from "../kit/tmp.ts"

test("what was continued, or has a member at work, is kept; the others go", async () => {
  using folder = temporaryFolder()
  const database = await openUsual(folder)
  const store = valueOf(await openFleetStore(database))
  const ids = ["forgotten", "continued", "leads"]
  for (const id of ids) valueOf(await store.leases.park(await held(store, id), { stage: "completed" }))
  await store.sessions.create(session("member", { lead: "leads" }), "ann")
  await database.rows("update fleet_sessions set updated_at = 1, created_at = 1")
  const erasing: typeof store.erasing = {
    ...store.erasing,
    async old(forMs, limit) {
      const found = await store.erasing.old(forMs, limit)
      valueOf(await store.ops.add("continued", "op", messageOp("One more thing."), "ann"))
      return found
    },
  }
  const pruned = await prune({ erasing }, { sessionDays: 30 }, new AbortController().signal)
  const left = await Promise.all([...ids, "member"].map(async (id) => (await store.sessions.get(id))?.id))
  expect({ pruned, left }).toEqual({
    pruned: { sessions: 1, auditLines: 0 },
    left: [undefined, "continued", "leads", "member"],
  })
  expect((await store.ops.waiting("continued")).map(({ id }) => id)).toContain("op")
  await store.close()
  await database.close()
})
