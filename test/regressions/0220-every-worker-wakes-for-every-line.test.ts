/**
 * Every notification, also of a log line or a piece of text, made every worker with a free slot look for work: 144 attempts of four workers in twelve
 * seconds with nothing to take, and a thousand workers would have made as many thousand.
 */

import { expect, test } from "bun:test"
import { mkdirSync, readFileSync } from "node:fs"
import { openFleetStore } from "#fleet/database/open-store.ts"
import { startWorker } from "#fleet/work/worker.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { openUsual } from "../kit/database/engines.ts"
import { session } from "../kit/fleet/records.ts"
import { noteMaker, plainWorkplaces } from "../kit/fleet/short-session.ts"
import { valueOf } from "../kit/team/conformance.ts"
import { temporaryFolder } from "../kit/tmp.ts"
import { until } from "../kit/until.ts"

const workers = 4
const sessions = 12

test("a session that is due is told to one worker, and its lines to nobody", async () => {
  using folder = temporaryFolder()
  const database = await openUsual(folder)
  const store = valueOf(await openFleetStore(database))
  let attempts = 0
  const counting = {
    ...store,
    leases: {
      ...store.leases,
      acquire: (...args: Parameters<typeof store.leases.acquire>) => {
        attempts++
        return store.leases.acquire(...args)
      },
    },
  }
  for (const name of ["notes", "work", "scratch"]) mkdirSync(folder.join(name))
  const all = await Promise.all(
    Array.from({ length: workers }, () =>
      startWorker({
        store: counting,
        open: noteMaker(folder.join("notes")),
        workplaces: plainWorkplaces(folder.join("work")),
        scratch: folder.join("scratch"),
        me: { pid: process.pid, host: "here", slots: 4, labels: [] },
        clock: systemClock,
        ids: systemIds,
        report: (text) => void process.stderr.write(`${text}\n`),
      }),
    ),
  )
  // Each has looked once at its start, and once when it listened.
  await Bun.sleep(500)
  attempts = 0
  for (let nth = 0; nth < sessions; nth++) {
    const id = `s${nth}`
    await store.sessions.create(session(id), "ann")
    await until(async () => (await store.sessions.get(id))?.stage === "completed")
    expect(readFileSync(folder.join(`notes/${id}`), "utf8")).toBe("1\n2\n3\n")
  }
  // One for each; a heartbeat may have found one before it was taken.
  expect(attempts).toBeGreaterThanOrEqual(sessions)
  expect(attempts).toBeLessThan(2 * sessions)
  await Promise.all(all.map((worker) => worker.close()))
  await store.close()
  await database.close()
}, 60_000)
