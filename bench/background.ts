/** What do ten background sessions cost that wait: for their user, and with a schedule that keeps their host there? */

import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { program } from "./kit/agent.ts"
import { calls, runs } from "./kit/answers.ts"
import { openModelServer } from "./kit/model-server.ts"
import { makePlace } from "./kit/place.ts"
import { answer, rowOf } from "./kit/row.ts"

const sessions = 10
const watchMs = 30_000

const place = makePlace({ files: 1 })
const server = openModelServer({ bodies: "dropped", answer: (index) => [calls(index, runs("touch waited-for"))] })
const env = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  HOME: place.home,
  CODEWRIGHT_HOME: place.state,
  ANTHROPIC_BASE_URL: server.url,
  ANTHROPIC_API_KEY: "x",
}

async function run(...argv: readonly string[]): Promise<string> {
  const child = Bun.spawn([program, ...argv], { cwd: place.work, env, stdio: ["ignore", "pipe", "inherit"] })
  return child.stdout.text()
}

/** All processes of this user's sessions. */
const ours = (): readonly number[] =>
  readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return []
    try {
      return readFileSync(`/proc/${name}/environ`, "utf8").includes(`CODEWRIGHT_HOME=${place.state}\0`)
        ? [Number(name)]
        : []
    } catch {
      return []
    }
  })

/** With its share of what processes have in common. */
const memoryOf = (pid: number): number =>
  Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? Number.NaN) / 1024

/** How often its threads have gone to sleep, and so were woken. */
const wakeUpsOf = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
    const status = readFileSync(join(`/proc/${pid}/task`, thread, "status"), "utf8")
    return sum + Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1] ?? 0)
  }, 0)

async function watch(): Promise<{ readonly processes: number; readonly mb: number; readonly wakeUps: number }> {
  const pids = ours()
  const wakeUps = (): number => pids.reduce((sum, pid) => sum + wakeUpsOf(pid), 0)
  const before = wakeUps()
  await Bun.sleep(watchMs)
  return { processes: pids.length, wakeUps: wakeUps() - before, mb: pids.reduce((sum, pid) => sum + memoryOf(pid), 0) }
}

if (process.platform === "linux") {
  for (let nth = 1; nth <= sessions; nth++) await run("--bg", "--", `task ${nth}`)
  const waiting = async (): Promise<number> =>
    JSON.parse(await run("agents", "--json")).sessions.filter(({ state }: { state: string }) => state === "waiting")
      .length
  while ((await waiting()) < sessions || ours().length > 0) await Bun.sleep(100)
  const alone = await watch()
  await run("schedule", "add", "--every", "1d", "look")
  while (ours().length === 0) await Bun.sleep(50)
  await Bun.sleep(5_000)
  const scheduled = await watch()
  const seconds = watchMs / 1_000
  answer(
    rowOf({
      what: `memory of ${sessions} background sessions that wait for their user`,
      ours: alone.mb,
      unit: "MB",
      toReach: 80,
      note: `${alone.processes} processes, ${alone.wakeUps} wake-ups in ${seconds} s`,
    }),
    rowOf({
      what: `the same with a schedule, which keeps their host`,
      ours: scheduled.mb,
      unit: "MB",
      toReach: 80,
      note: `${scheduled.processes} processes, ${scheduled.wakeUps} wake-ups in ${seconds} s`,
    }),
  )
  for (const pid of ours()) process.kill(pid, "SIGKILL")
} else answer(rowOf({ what: `${sessions} background sessions that wait (on Linux)`, ours: Number.NaN, unit: "MB" }))
server.close()
place.remove()
process.exit(0)
