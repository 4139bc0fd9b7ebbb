/** A session that waits for a person holds no process, and goes on in another one, exactly where it was. */

import { expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { hasPostgres } from "../../kit/database/postgres-server.ts"
import { openFleet } from "../../kit/fleet/fleet.ts"

test.skipIf(!hasPostgres)(
  "it is set aside with its question; another worker, with another state folder, does what was allowed, once",
  async () => {
    await using fleet = await openFleet({
      replies: [
        { content: [{ text: "I make a note." }, { tool: "Bash", input: { command: "echo once >> note.txt" } }] },
        { content: "All done." },
      ],
    })
    const { store, place } = fleet
    const first = await fleet.startWorker()
    const id = await fleet.create()
    const waiting = await fleet.until(id, ({ stage }) => stage === "awaiting_tool_approval")
    expect(waiting.worker).toBeUndefined()
    expect(await first.end("SIGKILL")).not.toBe(0)
    expect(readdirSync(place.work)).toEqual([])
    const [asked] = await store.approvals.open()
    expect(asked).toMatchObject({ sessionId: id, kind: "tool", action: { tool: "Bash" }, state: "open" })
    const before = await store.lines.after(id, 0, 1000)

    await fleet.decide(id, true)
    const second = await fleet.startWorker()
    expect(second.state).not.toBe(first.state)
    const over = await fleet.until(id, ({ stage }) => stage === "completed" || stage === "failed")
    expect(over).toMatchObject({ stage: "completed", result: { ok: true, text: "All done." } })
    expect(await place.read("note.txt")).toBe("once\n")
    expect((await store.lines.after(id, 0, 1000)).slice(0, before.length)).toEqual([...before])
    // One turn, and no word about a new start: the model sees a conversation without a break.
    expect(fleet.simulator.requests).toHaveLength(2)
    expect(await second.end("SIGTERM")).toBe(143)
  },
  Infinity,
)
