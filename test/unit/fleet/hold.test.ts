/** How a worker ends with a session: it is over only if everything of it is in the database. */

import { afterAll, beforeAll, expect, test } from "bun:test"
import { join } from "node:path"
import { noUsage } from "#agent/words/model.ts"
import { openFleetStore } from "#fleet/database/open-store.ts"
import type { FleetStore } from "#fleet/store.ts"
import { holdSession } from "#fleet/work/hold.ts"
import type { OpeningAsk } from "#fleet/work/opening.ts"
import { systemClock } from "#lib/clock.ts"
import type { Database } from "#lib/database.ts"
import { ok } from "#lib/result.ts"
import type { Session } from "#session/port/session.ts"
import { openUsual } from "../../kit/database/engines.ts"
import { held, heldAgain } from "../../kit/fleet/records.ts"
import { valueOf } from "../../kit/team/conformance.ts"
import { lastingFolder } from "../../kit/tmp.ts"

const top = lastingFolder()
const folder = { path: top, join: (name: string): string => join(top, name) }
let database: Database
let store: FleetStore
beforeAll(async () => {
  database = await openUsual(folder)
  store = valueOf(await openFleetStore(database))
})
afterAll(async () => {
  await store.close()
  await database.close()
})

/** A session whose turn is over, for whatever cause, once `settled` resolves. */
function finished(
  cause: string | undefined,
  settled = Promise.resolve(),
  events: Session["events"] = noEvents,
): Session {
  const end = { kind: "turn_end", turnId: "t", reason: cause === undefined ? "completed" : "error", cause }
  const answers: { readonly [type: string]: unknown } = {
    turn: [end],
    questions: [],
    team: null,
    background: [],
    agents: [],
    gates: [],
    stage: { stage: "completed", pending: [], result: { ok: true, text: "Done." } },
    state: { mode: "default", model: "sim", costUsd: 0, usage: noUsage },
  }
  return {
    ask: async ({ type }: { readonly type: string }) => (type === "settled" ? settled : answers[type]),
    submit: async () => ok(undefined),
    events,
  } as unknown as Session
}

async function* noEvents(): AsyncGenerator<never> {}

/** Holds a session to its end; `onClose` happens when it is closed, while its last lines are on their way. */
async function run(
  id: string,
  session: Session,
  onClose: (ask: OpeningAsk) => Promise<void> = async () => {},
  within: FleetStore = store,
) {
  const lease = await held(store, id)
  let isPublished = false
  await holdSession({
    store: within,
    lease,
    notices: () => () => undefined,
    cutBy: "the worker ended",
    open: async (ask) => {
      let isClosed = false
      const close = async (): Promise<void> => {
        if (!isClosed) await onClose(ask)
        isClosed = true
      }
      return ok({ session, close } as never)
    },
    workplaces: {
      prepare: async () =>
        ok({
          cwd: folder.path,
          plans: folder.join("plans"),
          worktrees: folder.join("worktrees"),
          folder: folder.join("session"),
          notes: [],
          reads: [],
          isBehind: () => false,
          keep: async () => {},
          publish: async () => {
            isPublished = true
            return ok(undefined)
          },
        }),
    },
    scratch: join(folder.path, "scratch"),
    clock: systemClock,
    patience: { waitingMs: 10, backgroundMs: 10, drainMs: 10 },
    lost: new AbortController().signal,
    draining: new AbortController().signal,
  })
  const record = await store.sessions.get(id)
  return { isPublished, stage: record?.stage, worker: record?.worker?.id }
}

test("one that is done is published and set aside", async () => {
  expect(await run("done", finished(undefined))).toEqual({ isPublished: true, stage: "completed", worker: undefined })
})

test("one whose log could not be written is not over: whoever misses its worker continues with it", async () => {
  expect(await run("unsaved", finished("log"))).toMatchObject({ isPublished: false, worker: "worker of unsaved" })
})

test("one that another worker has taken meanwhile is neither published nor ended", async () => {
  const lost = await run("lost", finished(undefined), async ({ copy }) => {
    await store.leases.leave("worker of lost")
    await heldAgain(store, "lost", "next")
    copy.add(folder.join("other"), "a line that comes too late")
  })
  expect(lost).toMatchObject({ isPublished: false, worker: "next" })
})

test("a message that is in the log when the turn ends is marked as delivered, however late that is seen", async () => {
  const [entered, settled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const session = finished(undefined, settled.promise, async function* () {
    await entered.promise
    yield { type: "entry", entry: { kind: "prompt", promptId: "quick" } } as never
  })
  // The whole turn happens while the worker reports what came before it.
  const report: FleetStore["leases"]["report"] = async (...args) => {
    const reported = await store.leases.report(...args)
    entered.resolve()
    await Bun.sleep(5)
    settled.resolve()
    await Bun.sleep(5)
    return reported
  }
  await run("quick", session, undefined, { ...store, leases: { ...store.leases, report } })
  expect(await store.ops.waiting("quick")).toEqual([])
})
