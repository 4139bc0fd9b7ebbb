/** A worker left while a heartbeat was under way: it arrived afterwards, and sessions were told to a worker that was gone. */

import { expect, test } from "bun:test"
import { mkdirSync } from "node:fs"
import { openFleetStore } from "#fleet/database/open-store.ts"
import { startWorker } from "#fleet/work/worker.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { openUsual } from "../kit/database/engines.ts"
import { noteMaker, plainWorkplaces } from "../kit/fleet/short-session.ts"
import { valueOf } from "../kit/team/conformance.ts"
import { temporaryFolder } from "../kit/tmp.ts"

test("a heartbeat that is under way arrives before the worker leaves", async () => {
  using folder = temporaryFolder()
  const database = await openUsual(folder)
  const store = valueOf(await openFleetStore(database))
  const slow = { began: Promise.withResolvers<void>(), goes: Promise.withResolvers<void>() }
  let beats = 0
  const beat: typeof store.leases.beat = async (...args) => {
    if (++beats === 2) {
      slow.began.resolve()
      await slow.goes.promise
    }
    return store.leases.beat(...args)
  }
  const said: string[] = []
  for (const name of ["notes", "work", "scratch"]) mkdirSync(folder.join(name))
  const worker = await startWorker({
    store: { ...store, leases: { ...store.leases, beat } },
    open: noteMaker(folder.join("notes")),
    workplaces: plainWorkplaces(folder.join("work")),
    scratch: folder.join("scratch"),
    me: { pid: process.pid, host: "here", slots: 4, labels: [] },
    clock: systemClock,
    ids: systemIds,
    report: (text) => void said.push(text),
    times: { leaseMs: 400 },
  })
  await slow.began.promise
  const closing = worker.close()
  await Bun.sleep(300)
  slow.goes.resolve()
  await closing
  await Bun.sleep(300)
  expect([said, await store.leases.workers()]).toEqual([[], []])
  await store.close()
  await database.close()
}, 60_000)
