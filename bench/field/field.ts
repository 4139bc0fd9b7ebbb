/** `npm run field`: what a harness costs, loses and repeats, asked of several agents in the same way. */

import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { availableParallelism, cpus, totalmem } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { atOnce } from "./axes/at-once.ts"
import { budget } from "./axes/budget.ts"
import { cut } from "./axes/cut.ts"
import { faults } from "./axes/faults.ts"
import { kill } from "./axes/kill.ts"
import { left } from "./axes/left.ts"
import { plan } from "./axes/plan.ts"
import { start } from "./axes/start.ts"
import { steps } from "./axes/steps.ts"
import { undo } from "./axes/undo.ts"
import type { Axis, Sample } from "./axis.ts"
import { cacheFolder, install, installedIn } from "./install.ts"
import type { Peer } from "./peer.ts"
import { claudeCode } from "./peers/claude-code.ts"
import { codewright } from "./peers/codewright.ts"
import { codex } from "./peers/codex.ts"
import { geminiCli } from "./peers/gemini-cli.ts"
import { opencode } from "./peers/opencode.ts"
import { pi } from "./peers/pi.ts"
import { type FieldPlace, makeFieldPlace } from "./place.ts"
import { type Circumstances, gridOf, markdown, picture, type ResultLine } from "./table.ts"

const allPeers: readonly Peer[] = [codewright, claudeCode, codex, opencode, pi, geminiCli]
const allAxes: readonly Axis[] = [start, steps, atOnce, kill, cut, undo, plan, faults, left, budget]

const usage = `Usage: npm run field -- [options]

Measures agents against a scripted model: no key, no network.

  --peers <names>   ${allPeers.map(({ id }) => id).join(", ")}; all by default.
  --axes <names>    ${allAxes.map(({ id }) => id).join(", ")}; all by default.
  --steps <n>       Steps of a long session; 200 by default.
  --rounds <n>      At most so many rounds of each axis.
  --round <n>       Only this round, counted from 0.
  --out <folder>    Where results go; bench/field/results by default.
  --table           Only draws the table again from the raw results.

Agents are installed from npm into ${cacheFolder()} on first use.`

const inside = "CODEWRIGHT_FIELD_INSIDE"

if (import.meta.main) await main()

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      peers: { type: "string" },
      axes: { type: "string" },
      steps: { type: "string", default: "200" },
      rounds: { type: "string" },
      round: { type: "string" },
      out: { type: "string", default: join(import.meta.dir, "results") },
      table: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  })
  if (values.help) return console.log(usage)
  const peers = chosen(allPeers, values.peers)
  const axes = chosen(allAxes, values.axes)
  const cache = cacheFolder()
  mkdirSync(values.out, { recursive: true })
  const today = new Date().toISOString().slice(0, 10)
  const date = values.table ? (newestDate(values.out) ?? today) : today
  const raw = join(values.out, `${date}.jsonl`)
  if (!values.table) {
    for (const peer of peers) install(cache, peer)
    if (!existsSync(codewright.program("")[0] ?? "")) throw new Error("Build the program first: npm run build")
    if (process.env[inside] === undefined && Bun.which("bwrap") !== null) return withoutNetwork()
    const isWanted = (round: number): boolean =>
      values.round === undefined
        ? round < Number(values.rounds ?? Number.POSITIVE_INFINITY)
        : round === Number(values.round)
    for (const axis of axes) await ask(axis, { peers, cache, raw, steps: Number(values.steps), isWanted })
  }
  const lines = newest(readLines(raw))
  // What was special about a run, in the words of whoever ran it.
  const note = join(values.out, `${date}.note.txt`)
  const said = existsSync(note) ? readFileSync(note, "utf8").trim() : ""
  const hasNetwork = lines.some((line) => line.hasNetwork)
  const circumstances = { ...circumstancesOf(date, Number(values.steps)), hasNetwork, note: said }
  const grid = gridOf(lines, allAxes, allPeers)
  writeFileSync(join(values.out, `${date}.md`), markdown(grid, circumstances))
  writeFileSync(join(values.out, `${date}.svg`), picture(grid, circumstances))
  console.log(markdown(grid, circumstances))
}

interface Asked {
  readonly peers: readonly Peer[]
  readonly cache: string
  readonly raw: string
  readonly steps: number
  readonly isWanted: (round: number) => boolean
}

/** Agents take turns within each round, so that a busy minute of the machine falls on all of them. */
async function ask(axis: Axis, { peers, cache, raw, steps: count, isWanted }: Asked): Promise<void> {
  const places = new Map<Peer, FieldPlace>(peers.map((peer) => [peer, makeFieldPlace(cache)]))
  try {
    for (const round of Array.from({ length: axis.rounds }, (_, i) => i).filter(isWanted))
      for (const peer of peers) {
        const place = places.get(peer) ?? makeFieldPlace(cache)
        const began = performance.now()
        const found = await sampled(axis, peer, place, { cache, round, count })
        const line: ResultLine = {
          axis: axis.id,
          peer: peer.id,
          version: peer.version,
          round,
          at: new Date().toISOString(),
          hasNetwork: process.env[inside] === undefined,
          seconds: Math.round((performance.now() - began) / 100) / 10,
          ...found,
        }
        appendFileSync(raw, `${JSON.stringify(line)}\n`)
        const told = found.failed ?? JSON.stringify(found.samples)
        process.stderr.write(`${axis.id} ${round} ${peer.id} (${line.seconds} s) ${told.slice(0, 300)}\n`)
      }
  } finally {
    for (const place of places.values()) place.remove()
  }
}

/** An agent that fails a question fails it in the table; the others go on. */
async function sampled(
  axis: Axis,
  peer: Peer,
  place: FieldPlace,
  { cache, round, count }: { readonly cache: string; readonly round: number; readonly count: number },
): Promise<{ readonly samples: readonly Sample[]; readonly failed?: string }> {
  try {
    const installed = installedIn(cache, peer)
    const fresh = (): FieldPlace => makeFieldPlace(cache)
    return { samples: await axis.sample({ peer, installed, place, fresh, round, steps: count }) }
  } catch (error) {
    return { samples: [], failed: String(error).slice(0, 500) }
  }
}

/** Starts itself again where there is nothing but loopback. */
async function withoutNetwork(): Promise<void> {
  const child = Bun.spawn(
    ["bwrap", "--dev-bind", "/", "/", "--unshare-net", "--cap-add", "ALL", process.execPath, ...process.argv.slice(1)],
    { env: { ...process.env, [inside]: "1" }, stdio: ["ignore", "inherit", "inherit"] },
  )
  process.exitCode = await child.exited
}

function chosen<T extends { readonly id: string }>(all: readonly T[], names: string | undefined): readonly T[] {
  if (names === undefined) return all
  return names.split(",").map((name) => {
    const found = all.find(({ id }) => id === name)
    if (found === undefined) throw new Error(`There is no ${name}. Choose from ${all.map(({ id }) => id).join(", ")}.`)
    return found
  })
}

function readLines(path: string): readonly ResultLine[] {
  if (!existsSync(path)) return []
  return readFileSync(path, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as ResultLine)
}

/** Of the last run whose results are here. */
function newestDate(folder: string): string | undefined {
  const dates = readdirSync(folder).flatMap((name) => /^(\d{4}-\d\d-\d\d)\.jsonl$/.exec(name)?.[1] ?? [])
  return dates.toSorted().at(-1)
}

/** Whoever asks again replaces what was asked before, and a new version of an agent replaces all of the old one. */
function newest(lines: readonly ResultLine[]): readonly ResultLine[] {
  const versions = new Map(lines.map(({ peer, version }) => [peer, version]))
  const last = new Map(lines.map((line) => [`${line.axis} ${line.peer} ${line.round}`, line]))
  return [...last.values()].filter(({ peer, version }) => versions.get(peer) === version)
}

function circumstancesOf(date: string, count: number): Pick<Circumstances, "date" | "machine" | "steps"> {
  const [{ model = "unknown processor" } = {}] = cpus()
  const memory = Math.round(totalmem() / 2 ** 30)
  return {
    date,
    machine: `${availableParallelism()} cores (${model}), ${memory} GB, ${process.platform} ${process.arch}`,
    steps: count,
  }
}
