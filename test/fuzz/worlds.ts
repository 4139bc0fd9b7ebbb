/**
 * Fuzzes permissions in hostile repositories: `bun test/fuzz/worlds.ts [count] [seed]`. Mutations of the corpus by class, and
 * commands made from the tables, are judged in worlds that are really there; what may run unasked because it only reads is
 * run, and nothing may come of it.
 */

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Ids, seededIds } from "#lib/ids.ts"
import { permissionClasses, readClass } from "../kit/class-rows.ts"
import { type Effects, hasEffects, runAllIn, watchers } from "../kit/executed.ts"
import { openWorlds, placed } from "../kit/hostile-worlds.ts"
import { openRowJudge } from "../kit/judge-row.ts"
import { mutated } from "./mutate.ts"
import { fromTables } from "./tables.ts"

const count = Number(process.argv[2] ?? 2000)
const seed = Number(process.argv[3] ?? 1)
/** How many are made, judged and run before the next ones are made. */
const atOnce = 50_000
const batchSize = 200
/** Programs that ask a server, or take a second to start: they are run in the corpus, and too slow for this. */
const isSlow = /\b(?:npm|npx|gh|kubectl|docker|pip3?|java|javac|javap|mvn|sleep|apt|apt-cache|man)\b/

const missing = watchers.filter((program) => !Bun.which(program))
if (missing.length === 0) await fuzz()
else say(`Skipped: this needs ${missing.join(" and ")}.`)

interface Candidate {
  readonly command: string
  readonly world: string
}

/** A row of the corpus to start from. */
interface Source extends Candidate {
  readonly isHarmless: boolean
}

interface Guilty extends Candidate {
  readonly effects: Effects
}

interface Batch {
  readonly world: string
  readonly commands: readonly string[]
}

async function fuzz(): Promise<void> {
  const top = mkdtempSync(join(tmpdir(), "codewright-worlds-"))
  try {
    const ids = seededIds(seed)
    const sources = rowsToStartFrom()
    const judgeFree = await openJudges(
      join(top, "judged"),
      new Set([...sources.map(({ world }) => world), "links-values"]),
    )
    const guilty: Guilty[] = []
    const seen = { judged: 0, free: 0 }
    const ran = new Set<string>()
    for (let made = 0; made < count; made += atOnce) {
      const candidates = variants(sources, Math.min(atOnce, count - made), ids)
      const free = candidates.filter(judgeFree)
      seen.judged += candidates.length
      seen.free += free.length
      // What has run in a world would do the same there once more.
      const fresh = free.filter(({ world, command }) => ran.size < ran.add(`${world}\0${command}`).size)
      guilty.push(...(await findGuilty(batchesOf(fresh), top)))
      if (count > atOnce)
        say(`  ${seen.judged} judged, ${seen.free} free, ${ran.size} ran, ${guilty.length} did something`)
    }
    say(
      `${seen.judged} mutations with seed ${seed} in hostile worlds: ${seen.free} free, ${ran.size} different ones ran, ${guilty.length} did something`,
    )
    if (guilty.length > 0) process.exitCode = 1
  } finally {
    rmSync(top, { recursive: true, force: true })
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

function rowsToStartFrom(): readonly Source[] {
  const rows = permissionClasses.flatMap(readClass).filter(({ tool }) => tool === "Bash")
  return rows.map(({ input, world, label }) => ({
    command: String(input["command"]),
    world,
    isHarmless: label === "free" || label === "hardened",
  }))
}

async function openJudges(top: string, names: ReadonlySet<string>): Promise<(candidate: Candidate) => boolean> {
  const worlds = openWorlds(top)
  const judges = new Map<string, Awaited<ReturnType<typeof openRowJudge>>>()
  for (const name of names) judges.set(name, await openRowJudge(worlds.world(name)))
  const rules = { allow: [], ask: [], deny: [] }
  return ({ command, world }) => {
    if (command.includes("\0") || isSlow.test(command.replaceAll(/[\\'"]/g, ""))) return false
    const verdict = judges.get(world)?.({ tool: "Bash", input: { command }, mode: "default", rules })
    return verdict?.behavior === "allow" && verdict.because === "read_only"
  }
}

/** Mostly harmless commands, many in a world they were not written for, where they meet what is hostile; some as they are. */
function variants(sources: readonly Source[], most: number, ids: Ids): readonly Candidate[] {
  const harmless = sources.filter(({ isHarmless }) => isHarmless)
  const commands = sources.map(({ command }) => command)
  const pick = (from: readonly Source[]): Source => {
    const chosen = from[Math.floor(ids.random() * from.length)]
    if (!chosen) throw new Error("The corpus is empty.")
    return chosen
  }
  return Array.from({ length: most }, () => {
    // In the first of these worlds every value of a flag is also a file, which a program could take it for.
    if (ids.random() < 0.1)
      return { command: fromTables(ids), world: ids.random() < 0.5 ? "links-values" : pick(sources).world }
    const { command, world } = pick(ids.random() < 0.75 ? harmless : sources)
    const isKept = ids.random() < 0.2
    return {
      command: isKept ? command : mutated(command, commands, ids),
      world: !isKept && ids.random() < 0.5 ? world : pick(sources).world,
    }
  })
}

function batchesOf(free: readonly Candidate[]): Batch[] {
  const byWorld = Map.groupBy(free, ({ world }) => world)
  return [...byWorld].flatMap(([world, candidates]) => {
    const commands = candidates.map(({ command }) => command)
    const parts = Array.from({ length: Math.ceil(commands.length / batchSize) }, (_, i) => i * batchSize)
    return parts.map((from) => ({ world, commands: commands.slice(from, from + batchSize) }))
  })
}

/** Two at a time, each with worlds of its own; a batch that did something is halved until the command is found. */
async function findGuilty(batches: Batch[], top: string): Promise<readonly Guilty[]> {
  const found: Guilty[] = []
  const worker = async (): Promise<void> => {
    for (let batch = batches.pop(); batch; batch = batches.pop()) found.push(...(await narrow(batch, top)))
  }
  await Promise.all([worker(), worker()])
  return found
}

async function narrow({ world: name, commands }: Batch, top: string): Promise<readonly Guilty[]> {
  const own = mkdtempSync(join(top, "run-"))
  const world = openWorlds(own).world(name)
  const effects = await runAllIn(
    world,
    commands.map((command) => placed(command, world)),
    "as reader",
  )
  rmSync(own, { recursive: true, force: true })
  if (!hasEffects(effects)) return []
  const [only] = commands
  if (commands.length === 1 && only !== undefined) {
    const guilty = { world: name, command: only, effects }
    say(`DID SOMETHING ${JSON.stringify(guilty)}`)
    return [guilty]
  }
  const half = Math.ceil(commands.length / 2)
  const first = await narrow({ world: name, commands: commands.slice(0, half) }, top)
  return [...first, ...(await narrow({ world: name, commands: commands.slice(half) }, top))]
}
