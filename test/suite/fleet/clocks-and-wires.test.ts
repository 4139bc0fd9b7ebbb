/** Workers whose clocks are wrong, and whose wires to the database are cut: nothing is done twice, and everything continues by itself. */

import { expect, test } from "bun:test"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { hasPostgres } from "../../kit/database/postgres-server.ts"
import { openProxy } from "../../kit/database/proxy.ts"
import type { ProcessOptions } from "../../kit/fleet/fault-points.ts"
import { type Fleet, openFleet, type WorkerProcess } from "../../kit/fleet/fleet.ts"
import { helper } from "../../kit/helper.ts"
import {
  hastyFile,
  hastyPrompt,
  lastText,
  noteFile,
  notePrompt,
  noteTaker,
  unknownText,
} from "../../kit/fleet/note-taker.ts"

const program = join(import.meta.dir, "../../kit/fleet/fleet-process.ts")
const sessions = 6
const hourMs = 3_600_000

function start(fleet: Fleet, more: Partial<ProcessOptions>): Promise<WorkerProcess> {
  const faults = join(fleet.place.path, "faults")
  mkdirSync(faults, { recursive: true })
  const options: ProcessOptions = { database: fleet.url, slots: 4, faults, ...more }
  return fleet.startWorker({ argv: [...helper(program), JSON.stringify(options)] })
}

/** Allows whatever is asked about a note. */
async function allow(fleet: Fleet, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const { sessionId, id, digest, action } of await fleet.store.approvals.open())
      if (JSON.stringify(action).includes("note-"))
        await fleet.store.approvals.decide({ sessionId, approvalId: id, digest, allows: true, answer: {}, by: "ann" })
    await Bun.sleep(50)
  }
}

async function makeNotes(fleet: Fleet, meanwhile: () => Promise<void>): Promise<void> {
  const over = new AbortController()
  const ids: string[] = []
  for (let nth = 0; nth < sessions; nth++) ids.push(await fleet.create({ query: notePrompt(nth) }))
  const allowing = allow(fleet, over.signal)
  await meanwhile()
  for (const [nth, id] of ids.entries()) {
    const { stage, result } = await fleet.until(id, ({ stage: at }) => at === "completed" || at === "failed")
    const text = result?.text ?? ""
    expect({ nth, stage, text }).toEqual({ nth, stage: "completed", text: text === unknownText ? text : lastText })
    // Whoever lost a session while the note was made stopped making it, and nobody makes it again.
    const file = Bun.file(join(fleet.place.work, noteFile(nth)))
    const notes = (await file.exists()) ? await file.text() : ""
    expect({ nth, notes }).toEqual({ nth, notes: text === unknownText ? notes && "once\n" : "once\n" })
  }
  over.abort()
  await allowing
}

test.skipIf(!hasPostgres)(
  "clocks that are hours apart, or set all the time",
  async () => {
    await using fleet = await openFleet(noteTaker)
    const clocks = [5 * hourMs, -5 * hourMs, "jumping"] as const
    const workers = await Promise.all(clocks.map((clock) => start(fleet, { clock })))
    await makeNotes(fleet, async () => {
      const late = await fleet.create({ query: hastyPrompt(1) })
      await fleet.until(late, ({ stage }) => stage === "completed")
      expect((await fleet.store.approvals.of(late)).map(({ state }) => state)).toEqual(["expired"])
      expect(await Bun.file(join(fleet.place.work, hastyFile(1))).exists()).toBe(false)
      // The others have to notice that it is gone, and not before that.
      await workers[0]?.end("SIGKILL")
    })
    for (const worker of workers) expect(worker.stderr()).toBe("")
  },
  Infinity,
)

test.skipIf(!hasPostgres)(
  "wires that are cut, slow, and dead without a word",
  async () => {
    await using fleet = await openFleet(noteTaker)
    await using proxy = await openProxy(fleet.url)
    const workers = await Promise.all([1, 2].map(() => start(fleet, { database: proxy.url, silentMs: 3_000 })))
    await makeNotes(fleet, async () => {
      proxy.delay(20)
      for (let round = 0; round < 6; round++) {
        await Bun.sleep(400)
        proxy.cut()
      }
      proxy.goDead()
      await Bun.sleep(2_000)
      proxy.revive()
    })
    for (const worker of workers) expect(worker.stderr()).not.toContain("mistake")
  },
  Infinity,
)
