/**
 * A worker as a process of its own. Run as a program: the database, the folder for notes, a folder of its own, its lease, and perhaps a pooler. Prints a
 * line when it is ready.
 */

import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { openFleetHere } from "#faces/cli/fleet/fleet-here.ts"
import { startWorker } from "#fleet/work/worker.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { valueOf } from "../team/conformance.ts"
import { noteMaker, plainWorkplaces } from "./short-session.ts"

const [url = "", notes = "", own = "", leaseMs = "30000", pooler] = process.argv.slice(2)

const report = (text: string): void => void process.stderr.write(`${text}\n`)
const { store } = valueOf(await openFleetHere(own, { url, pooler }, report))

mkdirSync(join(own, "fleet"), { recursive: true })
const worker = await startWorker({
  store,
  open: noteMaker(notes),
  workplaces: plainWorkplaces(join(own, "work")),
  scratch: join(own, "fleet"),
  me: { pid: process.pid, host: "here", slots: 2, labels: [] },
  clock: systemClock,
  ids: systemIds,
  report,
  times: { leaseMs: Number(leaseMs) },
})
process.stdout.write(`${worker.id}\n`)
process.once("SIGTERM", () => void worker.close().then(() => process.exit(0)))
