/** A worker that was killed right after the first lines of a log: the next one opened the session in another mode than it was created in. */

import { expect, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { systemIds } from "#lib/ids.ts"
import { hasPostgres } from "../kit/database/postgres-server.ts"
import type { FaultPoint, ProcessOptions } from "../kit/fleet/fault-points.ts"
import { openFleet } from "../kit/fleet/fleet.ts"
import { helper } from "../kit/helper.ts"
import { noteTaker, plannedPrompt } from "../kit/fleet/note-taker.ts"

test.skipIf(!hasPostgres)(
  "a session is in the mode that was asked for, whenever its worker is killed",
  async () => {
    await using fleet = await openFleet(noteTaker)
    const faults = join(fleet.place.path, "faults")
    mkdirSync(faults)
    const options: ProcessOptions = { database: fleet.url, slots: 1, faults }
    const program = join(import.meta.dir, "../kit/fleet/fleet-process.ts")
    const argv = [...helper(program), JSON.stringify(options)]
    const id = systemIds.uuid()
    const point: FaultPoint = { by: "worker", use: "lines.ship", nth: 1, when: "after" }
    writeFileSync(join(faults, id), JSON.stringify(point))
    await fleet.create({ id, query: plannedPrompt(1), mode: "plan" })
    const first = await fleet.startWorker({ argv })
    expect(await first.exited).not.toBe(0)
    expect(await fleet.store.lines.after(id, 0, 100)).not.toHaveLength(0)
    await fleet.startWorker({ argv })
    const { stage, mode } = await fleet.until(id, ({ worker, stage: at }) => !worker && at !== "planning")
    expect({ stage, mode }).toEqual({ stage: "awaiting_plan_approval", mode: "plan" })
  },
  Infinity,
)
