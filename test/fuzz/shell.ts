/** Fuzzes the shell analysis: `bun test/fuzz/shell.ts [count] [seed]`. What is judged read-only is run, and must change nothing. */

import { analyse } from "#ground/workspace/shell/analyse.ts"
import { seededIds } from "#lib/ids.ts"
import { commandCorpus, corpusCases, corpusFiles } from "../unit/ground/workspace/shell/corpus.ts"
import { isFree } from "../unit/ground/workspace/shell/decided.ts"
import { place } from "../unit/ground/workspace/shell/place.ts"
import { mutated } from "./mutate.ts"
import { runAll } from "./sandbox.ts"
import { fromTables } from "./tables.ts"
import { wrongWords } from "./words.ts"

const count = Number(process.argv[2] ?? 10_000)
const seed = Number(process.argv[3] ?? 1)
const batchSize = 250
/** A short run takes every twelfth of what is known to only read; a long one runs all of it as well. */
const share = count < 10_000 ? 12 : 1

if (Bun.which("bwrap")) await fuzz()
else say("Skipped: this needs bubblewrap (bwrap).")

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

async function fuzz(): Promise<void> {
  const ids = seededIds(seed)
  const cases = corpusFiles().flatMap(corpusCases)
  const more = commandCorpus()
  const sources = [...cases.map(({ command }) => command), ...more].filter((command) => command.length < 300)
  const known = cases.filter(({ expect }) => expect === "read_only").map(({ command }) => command)
  const free = [...new Set(more)].filter((command) => isFree(command, place))
  const harmless = [...known, ...free]
  const commands = new Set<string>()
  for (let i = 0; i < count; i++) {
    const from = ids.random() < 0.8 ? harmless : sources
    const isMadeUp = ids.random() < 0.3
    commands.add(
      isMadeUp ? fromTables(ids) : mutated(from[Math.floor(ids.random() * from.length)] ?? "ls", sources, ids),
    )
  }
  const analysed = [...commands].map((command) => ({ command, analysis: analyse(command, place) }))
  const understood = analysed.filter(({ analysis }) => analysis.understood)
  const allowed = analysed.filter(({ command }) => isFree(command, place)).map(({ command }) => command)
  say(
    `${count} mutations with seed ${seed}: ${commands.size} distinct, ${understood.length} understood, ${allowed.length} read-only`,
  )
  // Where every program succeeds, some loops never end; and none of those that print a path does so there.
  const comparable = understood.filter(
    ({ command }) => !/while|until|for *\(\(|dirname|basename|show-toplevel/.test(command),
  )
  const misread = wrongWords(comparable)
  for (const { command, argv } of misread.slice(0, 20)) say(`MISREAD ${JSON.stringify({ command, argv })}`)
  const some = (list: readonly string[]): readonly string[] => list.filter((_, nth) => nth % share === seed % share)
  const guilty = [...(await narrow(some(known), "run")), ...(await findGuilty([...some(free), ...allowed]))]
  for (const { command, traces } of guilty) say(`CHANGED SOMETHING ${JSON.stringify({ command, traces })}`)
  say(
    `${allowed.length} ran: ${guilty.length} changed something; ${comparable.length} compared with bash: ${misread.length} misread`,
  )
  if (guilty.length + misread.length > 0) process.exitCode = 1
}

interface Guilty {
  readonly command: string
  readonly traces: unknown
}

/** Runs batches two at a time; a batch that leaves traces is halved until the command is found. */
async function findGuilty(commands: readonly string[]): Promise<readonly Guilty[]> {
  const batches: string[][] = []
  for (let at = 0; at < commands.length; at += batchSize) batches.push(commands.slice(at, at + batchSize))
  const found: Guilty[] = []
  const worker = async (): Promise<void> => {
    for (let batch = batches.pop(); batch; batch = batches.pop()) found.push(...(await narrow(batch, "leave out")))
  }
  await Promise.all([worker(), worker()])
  return found
}

async function narrow(commands: readonly string[], slow: "run" | "leave out"): Promise<readonly Guilty[]> {
  const traces = await runAll(commands, slow)
  if (traces.changed.length === 0 && traces.ran.length === 0) return []
  const [only] = commands
  if (commands.length === 1 && only !== undefined) return [{ command: only, traces }]
  const half = Math.ceil(commands.length / 2)
  return [...(await narrow(commands.slice(0, half), slow)), ...(await narrow(commands.slice(half), slow))]
}
