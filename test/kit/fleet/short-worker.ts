/**
 * A worker as a process of its own, with sessions that need no model: each makes three notes, and says before each one that it will. Run as a program:
 * the database, the folder for notes, a folder of its own. Prints a line when it is ready.
 */

import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { noUsage } from "#agent/words/model.ts"
import { openFleetHere } from "#faces/cli/fleet/fleet-here.ts"
import type { OpenFleetSession } from "#fleet/work/opening.ts"
import { startWorker } from "#fleet/work/worker.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { failed, ok } from "#lib/result.ts"
import type { Session } from "#session/port/session.ts"
import { valueOf } from "../team/conformance.ts"

const [url = "", notes = "", own = "", leaseMs = "30000"] = process.argv.slice(2)
const noteCount = 3

const report = (text: string): void => void process.stderr.write(`${text}\n`)
const { store } = valueOf(await openFleetHere(own, { url }, report))

const finished = {
  ask: async ({ type }: { readonly type: string }) => answers[type],
  submit: async () => ok(undefined),
  async *events() {},
} as unknown as Session

const answers: { readonly [type: string]: unknown } = {
  turn: [{ kind: "turn_end", turnId: "t", reason: "completed" }],
  questions: [],
  team: null,
  background: [],
  agents: [],
  settled: null,
  gates: [],
  stage: { stage: "completed", pending: [], result: { ok: true, text: "Done." } },
  state: { mode: "default", model: "sim", costUsd: 0.01, usage: noUsage },
}

/** Whoever said that it would and was killed may have made the note or not: the file says which, because nobody else has the session. */
const open: OpenFleetSession = async ({ record, log, copy, sessionLogs }) => {
  const path = sessionLogs.logPath(record.id)
  const before = log.kind === "resume" && existsSync(log.path) ? readFileSync(log.path, "utf8") : ""
  const file = join(notes, record.id)
  const has = (line: string): boolean => existsSync(file) && readFileSync(file, "utf8").split("\n").includes(line)
  for (let nth = 1; nth <= noteCount; nth++) {
    if (before.includes(`"made ${nth}"`)) continue
    if (!before.includes(`"makes ${nth}"`)) copy.add(path, JSON.stringify({ note: `makes ${nth}` }))
    const arrived = await copy.arrived()
    if (!arrived.ok) return failed(arrived.failure)
    if (!has(`${nth}`)) appendFileSync(file, `${nth}\n`)
    copy.add(path, JSON.stringify({ note: `made ${nth}` }))
  }
  return ok({ session: finished, close: async () => undefined } as never)
}

mkdirSync(join(own, "fleet"), { recursive: true })
const worker = await startWorker({
  store,
  open,
  workplaces: {
    async prepare(_record, { sessionId }) {
      const folder = join(own, "work", sessionId)
      mkdirSync(folder, { recursive: true })
      return ok({
        cwd: folder,
        plans: folder,
        worktrees: folder,
        folder,
        notes: [],
        isBehind: () => false,
        keep: async () => undefined,
        publish: async () => ok(undefined),
      })
    },
  },
  scratch: join(own, "fleet"),
  me: { pid: process.pid, host: "here", slots: 2, labels: [] },
  clock: systemClock,
  ids: systemIds,
  report,
  times: { leaseMs: Number(leaseMs) },
})
process.stdout.write(`${worker.id}\n`)
process.once("SIGTERM", () => void worker.close().then(() => process.exit(0)))
