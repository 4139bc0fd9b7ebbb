/**
 * Workers of a fleet in one process, each with connections of its own, whose sessions write lines and end. Run by `fleet-load.ts`: the database, how many,
 * and perhaps a pooler. Prints a line when all have started, and one for each session that is opened.
 */

import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { noUsage } from "#agent/words/model.ts"
import { openFleetStore } from "#fleet/database/open-store.ts"
import type { OpenFleetSession } from "#fleet/work/opening.ts"
import { startWorker } from "#fleet/work/worker.ts"
import { openDatabase } from "#ground/database/open.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { ok } from "#lib/result.ts"
import type { Session } from "#session/port/session.ts"

const [url = "", count = "1", pooler] = process.argv.slice(2)
/** Lines of a session, and after how many of them something waits until they have arrived. */
const [linesEach, barrierEvery] = [24, 4]

const folder = mkdtempSync(join(tmpdir(), "fleet-load-"))
function finished(): Session {
  const end = { kind: "turn_end", turnId: "t", reason: "completed" }
  const answers: { readonly [type: string]: unknown } = {
    turn: [end],
    questions: [],
    team: null,
    background: [],
    agents: [],
    settled: null,
    gates: [],
    stage: { stage: "completed", pending: [], result: { ok: true, text: "Done." } },
    state: { mode: "default", model: "sim", costUsd: 0.01, usage: noUsage },
  }
  return {
    ask: async ({ type }: { readonly type: string }) => answers[type],
    submit: async () => ok(undefined),
    async *events() {},
  } as unknown as Session
}

const open: OpenFleetSession = async ({ copy, sessionLogs, record }) => {
  process.stdout.write(`${JSON.stringify({ by: record.worker?.id ?? "", waitMs: Date.now() - record.createdAt })}\n`)
  const path = sessionLogs.logPath(record.id)
  for (let nth = 1; nth <= linesEach; nth++) {
    copy.add(path, JSON.stringify({ uuid: `${record.id}-${nth}`, text: "x".repeat(200) }))
    if (nth % barrierEvery === 0) await copy.arrived()
  }
  return ok({ session: finished(), close: async () => undefined } as never)
}

async function startOne(): Promise<() => Promise<void>> {
  const place = { kind: "server", url, ...(pooler !== undefined && { pooler }) } as const
  const opened = await openDatabase(place, { clock: systemClock, ids: systemIds })
  if (!opened.ok) throw new Error(JSON.stringify(opened.failure))
  const database = opened.value
  const fleet = await openFleetStore(database)
  if (!fleet.ok) throw new Error(JSON.stringify(fleet.failure))
  const store = fleet.value
  const scratch = mkdtempSync(join(folder, "worker-"))
  const worker = await startWorker({
    store,
    open,
    workplaces: {
      async prepare(_record, { sessionId }) {
        const own = join(scratch, sessionId)
        mkdirSync(join(own, "session"), { recursive: true })
        return ok({
          cwd: own,
          plans: join(own, "plans"),
          worktrees: join(own, "worktrees"),
          folder: join(own, "session"),
          notes: [],
          reads: [],
          isBehind: () => false,
          keep: async () => undefined,
          publish: async () => ok(undefined),
        })
      },
    },
    scratch,
    me: { pid: process.pid, host: "bench", slots: 2, labels: [], workplaces: scratch },
    clock: systemClock,
    ids: systemIds,
    report: (text) => process.stderr.write(`${text}\n`),
  })
  return async () => {
    await worker.close()
    await store.close()
    await database.close()
  }
}

const stops: (() => Promise<void>)[] = []
while (stops.length < Number(count)) {
  const some = Array.from({ length: Math.min(10, Number(count) - stops.length) }, startOne)
  stops.push(...(await Promise.all(some)))
}
process.stdout.write("ready\n")
process.once("SIGTERM", () => {
  void Promise.all(stops.map((stop) => stop())).then(() => {
    rmSync(folder, { recursive: true, force: true })
    process.exit(0)
  })
})
