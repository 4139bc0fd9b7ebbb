/** A worker that undid something and died before it could say so is followed by one that does not undo it again. */

import { expect, test } from "bun:test"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { hasPostgres } from "../kit/database/postgres-server.ts"
import { openFleet } from "../kit/fleet/fleet.ts"
import { valueOf } from "../kit/team/conformance.ts"

const scenario: ScenarioFunction = ({ messages }) =>
  JSON.stringify(messages).includes('"tool_result"')
    ? { content: "Done." }
    : { content: [{ tool: "Write", input: { file_path: "new.txt", content: "made by the model\n" } }] }

test.skipIf(!hasPostgres)(
  "undone once, answered twice",
  async () => {
    await using fleet = await openFleet(scenario)
    const { store, sql, place } = fleet
    await fleet.startWorker()
    const id = await fleet.create({ mode: "acceptEdits" })
    await fleet.until(id, ({ stage, worker }) => stage === "completed" && worker === undefined)
    const file = join(place.work, "new.txt")
    expect(readFileSync(file, "utf8")).toBe("made by the model\n")
    const answer = async (opId: string): Promise<unknown> => {
      for (;;) {
        const found = (await store.ops.get(id, opId))?.answer
        if (found) return found
        await Bun.sleep(30)
      }
    }
    valueOf(await store.ops.add(id, "look", { type: "changes" }, "ann"))
    expect(await answer("look")).toEqual({ ok: true, value: { files: 1, added: 1, removed: 0 } })
    const parts = (await store.changes.files(id, 0, 10)).flatMap((each) => each.parts.map((part) => part.id))
    valueOf(await store.ops.add(id, "undo", { type: "review", act: "undo", hunks: parts }, "ann"))
    expect(await answer("undo")).toMatchObject({ ok: true, value: { done: 1 } })
    expect(existsSync(file)).toBe(false)
    await fleet.until(id, ({ worker }) => worker === undefined)
    // As if the worker had died right after it: the op is not done, and somebody made the file again meanwhile.
    writeFileSync(file, "made by the model\n")
    await sql("update fleet_orders set done_at = null, answer = null where session = $1 and id = 'undo'", [id])
    await store.sessions.wake(id)
    expect(await answer("undo")).toMatchObject({ ok: true })
    expect(readFileSync(file, "utf8")).toBe("made by the model\n")
  },
  Infinity,
)
