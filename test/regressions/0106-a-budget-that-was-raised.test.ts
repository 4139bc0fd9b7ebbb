/** A budget that was raised in a session of a fleet was the old one again after the next wake: every worker opened it with what it began with. */

import { expect, test } from "bun:test"
import { hasPostgres } from "../kit/database/postgres-server.ts"
import { openFleet } from "../kit/fleet/fleet.ts"
import { bash, calls, says } from "../kit/script.ts"
import { until } from "../kit/until.ts"

test.skipIf(!hasPostgres)(
  "a name and a budget that somebody sets hold for every worker that opens the session later",
  async () => {
    await using fleet = await openFleet(({ messages }) =>
      JSON.stringify(messages).includes('"tool_result"') ? says("Done.") : calls(bash("touch made")),
    )
    await fleet.startWorker()
    const id = await fleet.create({ opening: { workspace: { path: fleet.place.work }, budgetUsd: 3 } })
    const waits = () =>
      fleet.until(id, ({ stage, worker }) => stage === "awaiting_tool_approval" && worker === undefined)
    await waits()
    for (const [name, op] of [
      ["raise", { type: "set_budget", budget: { usd: 5 } }],
      ["rename", { type: "rename", title: "Made by hand" }],
    ] as const) {
      await fleet.store.ops.add(id, name, op, "ann")
      await until(async () => (await fleet.store.ops.get(id, name))?.answer)
      expect((await fleet.store.ops.get(id, name))?.answer).toEqual({ ok: true, value: {} })
    }
    expect((await fleet.store.sessions.get(id))?.title).toBe("Made by hand")
    await waits()
    await fleet.decide(id, true)
    await fleet.until(id, ({ stage }) => stage === "completed")
    const lines = await fleet.store.lines.after(id, 0, 1000)
    const budgets = lines.filter((line) => line.includes('"subtype":"budget"'))
    expect(budgets.map((line) => /"usd":(\d+)/.exec(line)?.[1])).toEqual(["5"])
  },
  Infinity,
)
