/**
 * A plan that an operator approved without naming a mode continued in the first mode it offers, which may be bypassPermissions: a mode that only an
 * admin may choose.
 */

import { expect, test } from "bun:test"
import { join } from "node:path"
import { openUsual } from "../kit/database/engines.ts"
import { approval, held } from "../kit/fleet/records.ts"
import { openTestServer } from "../kit/fleet/web-server.ts"
import { valueOf } from "../kit/team/conformance.ts"
import { lastingFolder } from "../kit/tmp.ts"

const folder = lastingFolder()

test("without a mode, a plan continues in the first one that whoever approves it may choose", async () => {
  const database = await openUsual({ join: (name = "") => join(folder, name) })
  const server = await openTestServer(database)
  const input = { plan: "# Plan", path: "/plans/p.md", modes: ["bypassPermissions", "default"], wishes: [] }
  const lease = await held(server.store, "planned", "the operator")
  const plans = ["a", "b"].map((id) => approval(id, id, { kind: "plan", action: { tool: "ExitPlanMode", input } }))
  valueOf(await server.store.leases.park(lease, { stage: "awaiting_plan_approval" }, plans))
  const approve = (as: "operator" | "admin", id: string) =>
    server.ask("POST", "/api/sessions/planned/plan/approve", { as, body: { digest: `digest of ${id}` } })
  expect((await approve("operator", "a")).status).toBe(200)
  expect((await approve("admin", "b")).status).toBe(200)
  const kept = await server.store.approvals.of("planned")
  expect(kept.map(({ answer }) => answer)).toEqual([{ mode: "default" }, { mode: "bypassPermissions" }])
  await server.close()
  await database.close()
}, 300_000)
