/**
 * Eight hours of work on a clock of their own, as a program: `long-day.ts <steps> [copy of the log]`. Prints what the
 * process has after each hour, and whether a second session can continue, as JSON.
 */

import { copyFileSync, readdirSync, statSync } from "node:fs"
import { systemClock } from "#lib/clock.ts"
import type { ScenarioFunction, ScenarioReply } from "#sim/scenario.ts"
import { openTestSession } from "./open-test-session.ts"
import { bash, calls, edit, read, says, use, write } from "./script.ts"

export interface DayFigures {
  readonly hours: readonly {
    readonly rssMb: number
    readonly heapMb: number
    readonly descriptors: number
    readonly children: number
  }[]
  readonly steps: number
  readonly compactions: number
  readonly agents: number
  readonly hooks: number
  readonly backgroundCommands: number
  readonly logMb: number
  /** Whether the log could be read, and a second session continued with it. */
  readonly continued: boolean
  readonly seconds: number
}

const hours = 8
const stepsOfTurn = 25
const stepMs = (8 * 60 * 60_000) / 20_000

/** Each turn reads, edits, runs commands, and now and then starts an agent or a command in the background. */
function stepOf(turn: number, step: number): ScenarioReply {
  const name = `file-${turn % 10}.txt`
  const round = Math.floor(turn / 10)
  if (step === 0) return calls(round === 0 ? write(name, `mark 0\n${"line of the file\n".repeat(20)}`) : read(name))
  if (step === 1) return calls(edit(name, `mark ${round}`, `mark ${round + 1}`))
  if (step === 2 && turn % 4 === 1)
    return calls(
      use("Agent", { description: "look", prompt: `agent of turn ${turn}`, subagent_type: "general-purpose" }),
    )
  if (step === 3 && turn % 4 === 2)
    return calls(use("Bash", { command: `echo in the background ${turn}`, run_in_background: true }))
  return step % 3 === 0 ? calls(bash(`seq 1 40; echo step ${step}`)) : calls(read(name))
}

const summary =
  "<summary>Files were written, edited and read, turn by turn; commands printed numbers; the next turn goes on.</summary>"

const worker: ScenarioFunction = ({ messages }) => {
  const last = JSON.stringify(messages.at(-1))
  if (last.includes("Write a summary that takes its place")) return says(summary)
  const all = JSON.stringify(messages)
  if (all.includes("agent of turn") && !all.includes("do turn")) return says("Looked: the file has its lines.")
  const turn = Number(
    all
      .match(/do turn (\d+)/g)
      ?.at(-1)
      ?.slice("do turn ".length) ?? 0,
  )
  const step = stepsDone++
  return step < stepsOfTurn ? stepOf(turn, step) : says(`Turn ${turn} is done: the file is written and was read.`)
}

let stepsDone = 0
let now = Date.now()

const wanted = Number(process.argv[2] ?? 300)
const began = performance.now()
const figures: DayFigures["hours"][number][] = []
const t = await openTestSession({
  script: worker,
  simulator: { keepRequests: "none", promptCache: "off" },
  keepsEvents: "newest",
  answers: () => undefined,
  facts: { window: 34_000, maxOutput: 8_000 },
  memory: { session: false },
  mode: "bypassPermissions",
  bypassAvailable: true,
  hooks: { PostToolUse: [{ matcher: "Edit", hooks: [{ type: "command", command: "true" }] }] },
  clock: { ...systemClock, now: () => now },
})

const turns = Math.ceil(wanted / stepsOfTurn)
for (let turn = 0, hour = 1; turn < turns; turn++) {
  stepsDone = 0
  await t.prompt(`do turn ${turn}`)
  now += stepsOfTurn * stepMs
  if (turn + 1 < Math.floor((turns * hour) / hours)) continue
  hour++
  figures.push(await measured())
  if (wanted > 1_000) process.stderr.write(`hour ${hour - 1}: ${JSON.stringify(figures.at(-1))}\n`)
}

const entries = t.entries()
const count = (fits: (entry: (typeof entries)[number]) => boolean): number => entries.filter(fits).length
const logMb = statSync(t.logPath).size / 1e6
if (process.argv[3]) copyFileSync(t.logPath, process.argv[3])
const again = await t.reopen()
stepsDone = stepsOfTurn
const end = await again.prompt("do turn 1 once more")
const day: DayFigures = {
  hours: figures,
  steps: count(({ kind }) => kind === "reply_end"),
  compactions: count(({ kind }) => kind === "compaction"),
  agents: count((entry) => entry.kind === "child" && entry.state === "ended"),
  hooks: count(({ kind }) => kind === "hook"),
  backgroundCommands: count((entry) => entry.kind === "result" && entry.data?.backgroundTaskId !== undefined),
  logMb,
  continued: end.reason === "completed",
  seconds: (performance.now() - began) / 1_000,
}
await again[Symbol.asyncDispose]()
await t[Symbol.asyncDispose]()
process.stdout.write(`${JSON.stringify(day)}\n`)
process.exit(0)

async function measured(): Promise<DayFigures["hours"][number]> {
  // What the runtime compiled comes and goes by ten megabytes.
  Bun.shrink()
  for (let i = 0; i < 3; i++) {
    Bun.gc(true)
    await Bun.sleep(20)
  }
  const { rss, heapUsed } = process.memoryUsage()
  return {
    rssMb: rss / 1e6,
    heapMb: heapUsed / 1e6,
    descriptors: readdirSync("/proc/self/fd").length,
    children: childrenOf(process.pid),
  }
}

function childrenOf(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
    const list = Bun.spawnSync(["cat", `/proc/${pid}/task/${thread}/children`])
      .stdout.toString()
      .trim()
    return sum + (list === "" ? 0 : list.split(" ").length)
  }, 0)
}
