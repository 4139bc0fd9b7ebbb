/**
 * How does cost grow with the tree? Start, first screen, @, Glob, Grep and commands that change files, in trees of git
 * and without, beside a bare shell and, if wanted, beside another agent.
 *
 * `--sizes=1000,200000` says how many files (1,000 and 20,000 when absent), `--kinds=git,plain` which trees,
 * `--peer=codex` which agent of the field benchmark to run as well.
 */

import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { rgPath } from "@vscode/ripgrep"
import { cacheFolder, install, installedIn } from "./field/install.ts"
import { type Call, calls, says } from "./field/model.ts"
import { type Peer } from "./field/peer.ts"
import { codewright } from "./field/peers/codewright.ts"
import { claudeCode } from "./field/peers/claude-code.ts"
import { codex } from "./field/peers/codex.ts"
import { cpuSoFarMs, type FieldPlace, peakMb } from "./field/place.ts"
import { runPeer } from "./field/run-peer.ts"
import { says as answers } from "./kit/answers.ts"
import { median, shown } from "./kit/figures.ts"
import { openModelServer } from "./kit/model-server.ts"
import { openPty } from "./kit/pty.ts"
import { answer, type Row, rowOf } from "./kit/row.ts"

type Kind = "git" | "plain"
type Step = { readonly what: string; readonly call: (peer: Peer) => Call; readonly bare?: readonly string[] }
/** Milliseconds of processor time, children included, or MB, by what was measured. */
type Figures = ReadonlyMap<string, number>

const { values } = parseArgs({
  options: {
    sizes: { type: "string", default: "1000,20000" },
    kinds: { type: "string", default: "git,plain" },
    peer: { type: "string" },
    rows: { type: "boolean" },
  },
})
const sizes = values.sizes.split(",").map(Number)
const kinds = (["git", "plain"] as const).filter((kind) => values.kinds.includes(kind))
const peer = [codex, claudeCode].find(({ id }) => id === values.peer)
const startRounds = 3
/** What start and a changing command may grow by, from the smallest tree to the largest. */
const mostGrowth = 2

const changes = (nth: number): string => `echo ${nth} > changed.txt`
const isOurs = (agent: Peer): boolean => agent === codewright
const globStep: Step = {
  what: "Glob",
  call: (agent) =>
    isOurs(agent)
      ? { tool: "Glob", input: { pattern: "**/*.ts" } }
      : agent.shell("rg --files -g '*.ts' --sortr modified | head -100"),
  bare: [rgPath, "--files", "-g", "*.ts", "--sortr", "modified"],
}
const steps: readonly Step[] = [
  // The first search unpacks ripgrep.
  { what: "first search", call: globStep.call },
  globStep,
  {
    what: "Grep for a rare word",
    call: (agent) =>
      isOurs(agent) ? { tool: "Grep", input: { pattern: "needle" } } : agent.shell("rg -l needle | head -250"),
    bare: [rgPath, "-l", "needle"],
  },
  {
    what: "Grep for a word of every line",
    call: (agent) =>
      isOurs(agent)
        ? { tool: "Grep", input: { pattern: "line", output_mode: "content" } }
        : agent.shell("rg --sort path line | head -250"),
    bare: ["bash", "-c", `'${rgPath}' --sort path line | head -250`],
  },
  ...Array.from({ length: 10 }, (_, i): Step => {
    const what = i === 0 ? "first changing command" : i === 9 ? "tenth changing command" : "other"
    return { what, call: (agent) => agent.shell(changes(i)), bare: ["bash", "-c", changes(i)] }
  }),
]

const results: { readonly size: number; readonly kind: Kind; readonly ours: Figures; readonly bare: Figures }[] = []
for (const kind of kinds)
  for (const size of sizes) {
    process.stderr.write(`${size} files, ${kind}\n`)
    const place = makeTree(size, kind)
    try {
      const ours = new Map([...(await agentFigures(codewright, place)), ...(await screenFigures(place))])
      const bare = bareFigures(place.work, kind)
      results.push({ size, kind, ours, bare })
      answer(...[...ours].flatMap(([what, figure]) => rowFor({ size, kind, what, figure, bare })))
      if (peer) {
        install(cacheFolder(), peer)
        const theirs = await agentFigures(peer, place)
        answer(...[...theirs].flatMap(([what, figure]) => rowFor({ size, kind, what, figure, bare, of: peer.title })))
      }
    } finally {
      place.remove()
    }
  }
for (const kind of kinds) answer(...growthRows(kind))

function rowFor({
  size,
  kind,
  what,
  figure,
  bare,
  of = "",
}: {
  readonly size: number
  readonly kind: Kind
  readonly what: string
  readonly figure: number
  readonly bare: Figures
  readonly of?: string
}): readonly Row[] {
  if (what === "other" || what === "first search") return []
  const floor = bare.get(what)
  return [
    rowOf({
      what: `${of === "" ? "" : `${of}: `}${what}, ${shown(size, "")} files, ${kind}`,
      ours: figure,
      unit: what.includes("memory") ? "MB" : "ms",
      floor: floor === undefined ? undefined : { name: "bare shell", value: floor },
    }),
  ]
}

/** From the smallest to the largest tree. */
function growthRows(kind: Kind): readonly Row[] {
  const [small, ...others] = results.filter((result) => result.kind === kind).sort((a, b) => a.size - b.size)
  const large = others.at(-1)
  if (!small || !large) return []
  const bounded = ["start to first request", "first screen", "first changing command", "tenth changing command"]
  return [...large.ours].flatMap(([what, figure]) => {
    if (what === "other" || what === "first search") return []
    const before = small.ours.get(what) ?? Number.NaN
    return [
      rowOf({
        what: `growth of ${what}, ${shown(small.size, "")} to ${shown(large.size, "")} files, ${kind}`,
        ours: figure,
        unit: what.includes("memory") ? "MB" : "ms",
        floor: { name: `${shown(small.size, "")} files`, value: before },
        ...(bounded.includes(what) && { toReach: before * mostGrowth }),
      }),
    ]
  })
}

async function agentFigures(agent: Peer, place: FieldPlace): Promise<Figures> {
  const installed = installedIn(cacheFolder(), agent)
  const starts: number[] = []
  const clock: number[] = []
  // The first one warms the caches of the disk.
  for (let round = 0; round <= startRounds; round++) {
    let cpu = 0
    const run = await runPeer({
      peer: agent,
      installed,
      place,
      argv: (situation) => agent.work("go on", situation),
      script: () => says("Done."),
      onRequest: (index) => void (index === 0 && (cpu = cpuSoFarMs(place.root))),
    })
    if (round > 0) starts.push(cpu)
    if (round > 0) clock.push((run.at[0] ?? Number.NaN) - run.startedAt)
  }
  const spent: number[] = []
  let most = 0
  await runPeer({
    peer: agent,
    installed,
    place,
    patienceMs: 600_000,
    argv: (situation) => agent.work("go on", situation),
    script: (_, index) => {
      const step = steps[index]
      return step ? calls(step.call(agent)) : says("Done.")
    },
    onRequest() {
      spent.push(cpuSoFarMs(place.root))
      most = Math.max(most, peakMb(place.root))
    },
  })
  return new Map([
    ["start to first request", median(starts)],
    ["start to first request, on the clock", median(clock)],
    ...steps.map(({ what }, i) => [what, (spent[i + 1] ?? Number.NaN) - (spent[i] ?? Number.NaN)] as const),
    ["most memory", most],
  ])
}

/** Of the terminal: until it can be typed to, the list behind an @, and six letters after it. */
async function screenFigures({ root, home, work }: FieldPlace): Promise<Figures> {
  const server = openModelServer({ bodies: "dropped", answer: () => [answers("Done.")] })
  const pty = openPty({ place: { home, work, state: join(root, "state"), files: [], remove() {} }, url: server.url })
  const cpu: number[] = []
  const mark = async (): Promise<void> => {
    // What still goes on behind the screen belongs to what was asked.
    for (let before = -1, now = cpuSoFarMs(root); now !== before; before = now, now = cpuSoFarMs(root))
      await Bun.sleep(300)
    cpu.push(cpuSoFarMs(root))
  }
  await pty.shown("Ask anything")
  await mark()
  pty.type("look at @")
  await pty.shown("area-")
  await mark()
  for (const letter of "file-7") {
    pty.type(letter)
    await Bun.sleep(150)
  }
  await mark()
  const resident = pty.residentMb()
  await pty.end()
  server.close()
  const [screen = Number.NaN, at = Number.NaN, letters = Number.NaN] = cpu
  return new Map([
    ["first screen", screen],
    ["@", at - screen],
    ["six letters behind @", letters - at],
    ["memory behind @", resident],
  ])
}

function bareFigures(work: string, kind: Kind): Figures {
  const cpuOf = (argv: readonly string[]): number => {
    const { resourceUsage } = Bun.spawnSync([...argv], { cwd: work, stdio: ["ignore", "pipe", "ignore"] })
    return Number(resourceUsage?.cpuTime.total ?? 0) / 1000
  }
  const git = ["git", "ls-files"]
  return new Map([
    ...steps.flatMap(({ what, bare }) => (bare ? [[what, cpuOf(bare)] as const] : [])),
    ["@", cpuOf(kind === "git" ? git : [rgPath, "--files", "--hidden", "--sort", "path"])],
  ])
}

/** Short files, ten in a folder, on up to six levels; every thousandth has a needle in it. */
function makeTree(size: number, kind: Kind): FieldPlace {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "codewright-trees-")))
  const folder = (name: string): string => {
    mkdirSync(join(root, name))
    return join(root, name)
  }
  const place = { root, home: folder("home"), work: folder("work"), temporary: folder("tmp") }
  const kindsOfFiles = ["ts", "js", "md", "json"]
  for (let first = 0; first < size; first += 10) {
    const part = first / 10
    const inner = join(place.work, `area-${part % 10}`, `part-${Math.floor(part / 10) % 20}`, ...String(part).slice(-3))
    const path = join(inner, `folder-${part}`)
    mkdirSync(path, { recursive: true })
    for (let file = first; file < Math.min(first + 10, size); file++)
      writeFileSync(
        join(path, `file-${file}.${kindsOfFiles[file % kindsOfFiles.length]}`),
        `line 1 of file ${file}\nline 2, short as lines are\n${file % 1_000 === 0 ? "the needle\n" : ""}`,
      )
  }
  if (kind === "git") {
    const git = (...argv: readonly string[]): void => {
      const { exitCode, stderr } = Bun.spawnSync(
        ["git", "-c", "user.name=Bench", "-c", "user.email=b@example.com", ...argv],
        {
          cwd: place.work,
          stdio: ["ignore", "ignore", "pipe"],
        },
      )
      if (exitCode !== 0) throw new Error(stderr.toString())
    }
    git("init", "-q", "-b", "main")
    git("add", ".")
    git("commit", "-q", "-m", "The tree")
    appendFileSync(join(place.work, ".git/info/exclude"), "changed.txt\n")
  }
  return { ...place, remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }) }
}
