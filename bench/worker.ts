/** What does a session cost when 50 are at work at once: in one worker, beside 50 processes of their own? */

import { readFileSync } from "node:fs"
import { openDatabase } from "#ground/database/open.ts"
import { openFleetStore } from "#fleet/database/open-store.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { hasPostgres, startPostgres } from "../test/kit/database/postgres-server.ts"
import { program } from "./kit/agent.ts"
import { calls, reads, says } from "./kit/answers.ts"
import { shown } from "./kit/figures.ts"
import { openModelServer } from "./kit/model-server.ts"
import { makePlace } from "./kit/place.ts"
import { answer, rowOf } from "./kit/row.ts"

const sessions = 50
/** Until all are at work, and for how long they then are. */
const settleMs = 8_000
const workMs = 15_000

const place = makePlace({ files: 1000 })
/** Every request is answered with one more file to read, until it is enough. */
let isEnough = false
const server = openModelServer({
  bodies: "dropped",
  answer: (index) => [isEnough ? says("Done.") : calls(index, reads(place.files[index % place.files.length] ?? ""))],
})
const env = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  HOME: place.home,
  CODEWRIGHT_HOME: place.state,
  ANTHROPIC_BASE_URL: server.url,
  ANTHROPIC_API_KEY: "x",
}
const start = (...argv: readonly string[]) =>
  Bun.spawn([program, ...argv], { cwd: place.work, env, stdio: ["ignore", "pipe", "ignore"] })

/** With its share of what processes have in common. */
const memoryOf = (pid: number): number =>
  Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? Number.NaN) / 1024

/** While all are at work: what they hold in the end, and how many steps they took in a second. */
async function watch(pids: readonly number[]): Promise<{ readonly mb: number; readonly steps: number }> {
  await Bun.sleep(settleMs)
  const before = server.exchanges.length
  await Bun.sleep(workMs)
  const steps = ((server.exchanges.length - before) * 1000) / workMs
  return { mb: pids.reduce((sum, pid) => sum + memoryOf(pid), 0), steps }
}

async function inOneWorker(): Promise<{ readonly idle: number; readonly mb: number; readonly steps: number }> {
  await using postgres = await startPostgres()
  const database = await openDatabase({ kind: "server", url: postgres.url }, { clock: systemClock, ids: systemIds })
  if (!database.ok) throw new Error(JSON.stringify(database.failure))
  const store = await openFleetStore(database.value)
  if (!store.ok) throw new Error(JSON.stringify(store.failure))
  const worker = start("worker", "--database", postgres.url, "--slots", String(sessions), "--json")
  await worker.stdout.getReader().read()
  const idle = memoryOf(worker.pid)
  const opening = { workspace: { path: place.work } }
  const wish = {
    title: "Bench",
    query: "go on",
    mode: "default",
    model: "claude-sonnet-5",
    opening,
    labels: [],
  } as const
  for (let i = 0; i < sessions; i++) await store.value.sessions.create({ ...wish, id: systemIds.uuid() }, "bench")
  const seen = await watch([worker.pid])
  worker.kill("SIGKILL")
  await worker.exited
  await store.value.close()
  await database.value.close()
  return { idle, ...seen }
}

async function inProcesses(): Promise<{ readonly mb: number; readonly steps: number }> {
  const all = Array.from({ length: sessions }, () => start("-p", "go on"))
  const seen = await watch(all.map(({ pid }) => pid))
  isEnough = true
  await Promise.all(all.map(({ exited }) => exited))
  return seen
}

if (hasPostgres && process.platform === "linux") {
  const together = await inOneWorker()
  const apart = await inProcesses()
  answer(
    rowOf({
      what: `memory of each of ${sessions} sessions at work in one worker`,
      ours: (together.mb - together.idle) / sessions,
      unit: "MB",
      floor: { name: "a process each", value: apart.mb / sessions },
      toReach: 15,
      note: `${shown(together.mb, "MB")} in all, ${shown(together.idle, "MB")} with none`,
    }),
    rowOf({
      what: `a step of ${sessions} sessions at once, in one worker`,
      ours: 1000 / together.steps,
      unit: "ms",
      floor: { name: "a process each", value: 1000 / apart.steps },
      note: `${Math.round(together.steps)} steps in a second, ${Math.round(apart.steps)} in processes`,
    }),
  )
} else
  answer(rowOf({ what: `${sessions} sessions in one worker (needs Postgres, on Linux)`, ours: Number.NaN, unit: "MB" }))
server.close()
place.remove()
process.exit(0)
