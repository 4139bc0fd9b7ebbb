/** Workers that are killed at every point between a decision and what follows from it. */

import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { hasPostgres } from "../../kit/database/postgres-server.ts"
import { openFleet } from "../../kit/fleet/fleet.ts"
import { lastText, notePrompt, noteTaker } from "../../kit/fleet/note-taker.ts"

type Point = readonly [use: string, nth: number, when: "before" | "after"]

/** In the order in which a worker uses the store. How many times it ships lines depends on how quickly they come. */
const points: readonly Point[] = [
  ["leases.take", 1, "after"],
  ["sessions.get", 1, "before"],
  ["orders.waiting", 1, "after"],
  ["leases.settle", 1, "after"],
  ["lines.after", 1, "after"],
  ["leases.attend", 1, "after"],
  ["approvals.of", 1, "after"],
  ["leases.report", 1, "before"],
  ["lines.ship", 1, "before"],
  ["lines.ship", 1, "after"],
  ["lines.ship", 2, "before"],
  ["lines.ship", 2, "after"],
  ["lines.ship", 3, "before"],
  ["lines.ship", 3, "after"],
  ["lines.ship", 4, "before"],
  ["leases.park", 1, "before"],
  ["leases.park", 1, "after"],
]

/** So many workers at once. */
const hands = 3

test.skipIf(!hasPostgres)(
  "what was allowed is done once, or said to be unknown; what was denied is never done",
  async () => {
    await using fleet = await openFleet(noteTaker)
    const { store, place } = fleet
    const program = join(import.meta.dir, "../../kit/fleet/crashing-worker.ts")
    const trials = points.flatMap((point) => [true, false].map((allows) => ({ point, allows })))
    const waiting = trials.map((trial, nth) => ({ ...trial, nth }))
    const ids = new Map<number, string>()

    async function crash(): Promise<void> {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const { nth, allows, point } = next
        const label = `p${nth}`
        const id = await fleet.create({ labels: [label], query: notePrompt(nth) })
        ids.set(nth, id)
        const argv = [process.execPath, program, fleet.url, label, ...point.map(String)]
        const worker = await fleet.startWorker({ argv })
        await fleet.until(id, ({ stage }) => stage === "awaiting_tool_approval")
        expect(existsSync(join(place.work, `note-${nth}.txt`))).toBe(false)
        expect((await fleet.decide(id, allows)).isEffective).toBe(true)
        const isOver = fleet.until(id, ({ stage, worker: by }) => stage === "completed" && by === undefined)
        await Promise.race([worker.exited, isOver])
        await worker.end("SIGKILL")
      }
    }
    await Promise.all(Array.from({ length: hands }, crash))
    await fleet.startWorker({ slots: 8, labels: trials.map((_, nth) => `p${nth}`) })

    let unknown = 0
    for (const [nth, { allows, point }] of trials.entries()) {
      const id = ids.get(nth) ?? ""
      const about = `${point.join(" ")} ${allows ? "allowed" : "denied"}`
      const over = await fleet.until(id, ({ stage }) => stage === "completed" || stage === "failed")
      const lines = await store.lines.after(id, 0, 10_000)
      const file = Bun.file(join(place.work, `note-${nth}.txt`))
      const notes = (await file.exists()) ? await file.text() : ""
      const isUnknown = lines.some((line) => line.includes("may have taken effect"))
      if (isUnknown) unknown++
      expect({ about, stage: over.stage, text: over.result?.text }).toEqual({
        about,
        stage: "completed",
        text: lastText,
      })
      expect({ about, notes: isUnknown && notes === "" ? "once\n" : notes }).toEqual({
        about,
        notes: allows ? "once\n" : "",
      })
      const intents = lines.filter((line) => line.includes('"intent"'))
      expect({ about, intents: intents.length }).toEqual({ about, intents: allows ? 1 : 0 })
      const [decided] = await store.approvals.of(id)
      expect({ about, state: decided?.state }).toEqual({ about, state: allows ? "allowed" : "denied" })
    }
    // Only between the intent and its result is there something that nobody can know.
    expect(unknown).toBeLessThanOrEqual(6)
  },
  Infinity,
)
