/** Many sessions on a few workers that are killed all the time. */

import { expect, test } from "bun:test"
import { seededIds } from "#lib/ids.ts"
import { hasPostgres } from "../../kit/database/postgres-server.ts"
import { busyPrompt, busyScenario, busySettings, expectAllDone } from "../../kit/fleet/busy.ts"
import { openFleet } from "../../kit/fleet/fleet.ts"

/** The full number is for a quiet machine: 200 sessions, 4 workers. */
const many = Number(process.env["CODEWRIGHT_FLEET_SESSIONS"] ?? 12)
const hands = Number(process.env["CODEWRIGHT_FLEET_WORKERS"] ?? 2)
/** A pause between kills, for many sessions; without one, a worker is killed after every fourth decision. */
const pauseMs = process.env["CODEWRIGHT_FLEET_KILL_MS"]

test.skipIf(!hasPostgres)(
  "all of them end, nothing is done twice, and no entry is lost",
  async () => {
    await using fleet = await openFleet(busyScenario)
    const { store, place } = fleet
    const begun = Date.now()
    const ids: string[] = []
    for (let nth = 0; nth < many; nth++) ids.push(await fleet.create({ query: busyPrompt(nth) }))
    const slots = Math.ceil(many / hands)
    const workers = await Promise.all(
      Array.from({ length: hands }, () => fleet.startWorker({ slots, settings: busySettings })),
    )
    const over = new AbortController()
    let decided = 0
    const deciding = (async () => {
      while (!over.signal.aborted) {
        for (const { sessionId, id, digest } of await store.approvals.open()) {
          await store.approvals.decide({ sessionId, approvalId: id, digest, allows: true, answer: {}, by: "ann" })
          decided++
        }
        await Bun.sleep(100)
      }
    })()
    const { random } = seededIds(1)
    let kills = 0
    const killing = (async () => {
      while (!over.signal.aborted) {
        if (pauseMs === undefined) {
          const enough = decided + 4
          while (decided < enough && !over.signal.aborted) await Bun.sleep(5)
        } else await Bun.sleep(Number(pauseMs))
        const at = Math.floor(random() * hands)
        const worker = workers[at]
        if (!worker || over.signal.aborted) continue
        await worker.end("SIGKILL")
        kills++
        workers[at] = await fleet.startWorker({ slots, settings: busySettings, state: worker.state })
      }
    })()
    for (const id of ids) await fleet.until(id, ({ stage }) => stage === "completed" || stage === "failed")
    over.abort()
    await Promise.all([deciding, killing])
    const seconds = Math.round((Date.now() - begun) / 1000)

    const lines = await expectAllDone(store, place, ids)
    expect(kills).toBeGreaterThan(0)
    process.stdout.write(`${many} sessions on ${hands} workers, ${kills} kills, ${lines} lines, ${seconds} s\n`)
  },
  Infinity,
)
