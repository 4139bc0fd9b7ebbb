/**
 * Of the commands that people and agents type every day: how many run at once, how many ask without need, and how many
 * run but answer otherwise than they would outside the wall? Every command goes through the program, in a session
 * without anybody to ask, and what ran is run outside as well.
 *
 *   bun bench/daily.ts [--program ../other/bin/codewright] [--only git] [--all]
 */

import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { join, resolve } from "node:path"
import { type Answer, answerOf, isSame } from "./kit/daily/compare.ts"
import { makeProject } from "../test/kit/daily/projects.ts"
import { type Result, runInSession } from "./kit/daily/session.ts"
import { makeStubs } from "./kit/daily/stubs.ts"
import { makePlace } from "./kit/place.ts"
import { answer, rowOf } from "./kit/row.ts"

interface Daily {
  readonly command: string
  readonly ecosystem: string
  readonly needs: "nothing" | "consent"
  readonly why?: string
}

/** Of a command that is not run outside, because it may do anything. */
const nothing: Answer = { code: 0, output: "" }
const patienceMs = 20_000

type Outcome =
  "fails first, then asks" | "runs" | "differs" | "refused inside" | "asks needlessly" | "asks" | "runs without consent"

const root = resolve(import.meta.dir, "..")
const program = resolve(wordAfter("--program") ?? join(root, "bin/codewright"))
const only = wordAfter("--only")
const corpus = readFileSync(join(root, "test/corpus/daily.jsonl"), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as Daily)
  .filter(({ ecosystem }) => only === undefined || ecosystem === only)

const place = makePlace()
const path = [
  join(place.home, ".local/bin"),
  join(place.home, ".cargo/bin"),
  "/usr/local/bin",
  "/usr/bin",
  "/bin",
  "/usr/sbin",
  "/sbin",
].join(":")
const env: Record<string, string> = {
  PATH: path,
  HOME: place.home,
  USER: "dev",
  LANG: "C.UTF-8",
  SHELL: "/bin/bash",
  TERM: "dumb",
  ...rustAtHome(),
}
const server = await openDevServer()
makeStubs(join(place.home, ".local/bin"), { path, port: 3000 })
writeFileSync(
  join(place.home, ".gitconfig"),
  "[user]\n\tname = Dev\n\temail = dev@example.com\n[init]\n\tdefaultBranch = main\n",
)

const found: { readonly daily: Daily; readonly outcome: Outcome; readonly detail: string }[] = []
try {
  for (const ecosystem of new Set(corpus.map((each) => each.ecosystem)))
    await look(
      ecosystem,
      corpus.filter((each) => each.ecosystem === ecosystem),
    )
} finally {
  server.kill()
  place.remove()
}
report()

async function look(ecosystem: string, list: readonly Daily[]): Promise<void> {
  const folder = makeProject(place.work, ecosystem, env)
  const given = { program, folder, state: place.state, env }
  async function inSession(some: readonly Daily[]): Promise<readonly Result[]> {
    // Where a command leaves the shell, the next one starts: those that change the folder have sessions of their own.
    const moves = (daily: Daily): boolean => /\bcd\b/.test(daily.command)
    const staying = some.filter((daily) => !moves(daily))
    const results = new Map<Daily, Result>()
    const run = async (together: readonly Daily[]): Promise<void> => {
      const all = await runInSession(
        together.map(({ command }) => command),
        given,
      )
      for (const [i, result] of all.entries()) if (together[i]) results.set(together[i], result)
    }
    await run(staying)
    for (const daily of some.filter(moves)) await run([daily])
    return some.flatMap((daily) => results.get(daily) ?? [])
  }
  const results = await inSession(list)
  const ran = list.filter((_, i) => results[i]?.isAsked === false && results[i]?.isRun === true)
  const before = new Map<Daily, Answer>()
  for (const daily of ran) before.set(daily, daily.needs === "consent" ? nothing : await outside(daily.command, folder))
  // Once more beside the second look outside, so that what changes by itself has the least time to do so.
  const again = await inSession(ran)
  for (const [i, daily] of list.entries()) {
    const at = ran.indexOf(daily)
    const result = again[at] ?? results[i]
    const first = before.get(daily)
    if (!result || !first) {
      found.push({
        daily,
        outcome: daily.needs === "nothing" ? "asks needlessly" : "asks",
        detail: result?.content ?? "",
      })
      continue
    }
    const inside = answerOf(result.content)
    const after = daily.needs === "consent" ? nothing : await outside(daily.command, folder)
    const outcome = outcomeOf(daily, inside, first, after)
    found.push({
      daily,
      outcome,
      detail: `inside ${inside.code}: ${inside.output}\noutside ${first.code}: ${first.output}`,
    })
  }
}

function outcomeOf(
  { needs, why = "" }: Daily,
  inside: ReturnType<typeof answerOf>,
  before: Answer,
  after: Answer,
): Outcome {
  // What cannot reach anybody behind the wall was not asked about either, but only fails there.
  const reaches = /network|daemon/.test(why)
  if (needs === "consent") return inside.isRefused || reaches ? "fails first, then asks" : "runs without consent"
  if (isSame(inside, before, after)) return "runs"
  return inside.isRefused ? "refused inside" : "differs"
}

async function outside(command: string, folder: string): Promise<Answer> {
  const argv = ["/bin/bash", "--noprofile", "--norc", "-c", 'exec 2>&1; eval "$1"', "bash", command]
  const child = Bun.spawn(argv, { cwd: folder, env: { ...env, PWD: folder }, stdio: ["ignore", "pipe", "ignore"] })
  const timer = setTimeout(() => child.kill("SIGKILL"), patienceMs)
  const [output, code] = await Promise.all([child.stdout.text(), child.exited])
  clearTimeout(timer)
  return { code, output }
}

/** A server of the user's own, at the ports that commands ask about. */
async function openDevServer() {
  const script = join(place.home, "server.js")
  writeFileSync(
    script,
    "for (const port of [3000, 5173, 8080]) require('net').createServer().on('error', () => {}).listen(port, '127.0.0.1')\nconsole.log('ready')\n",
  )
  const child = Bun.spawn(["node", script], { env, stdio: ["ignore", "pipe", "ignore"] })
  await child.stdout.getReader().read()
  return child
}

/** rustup stands beside its proxies in the home folder, and finds what is installed by variables. */
function rustAtHome(): Record<string, string> {
  const from = join(homedir(), ".cargo/bin")
  if (!existsSync(join(from, "rustup"))) return {}
  mkdirSync(join(place.home, ".cargo"), { recursive: true })
  cpSync(from, join(place.home, ".cargo/bin"), { recursive: true, verbatimSymlinks: true })
  return { RUSTUP_HOME: join(homedir(), ".rustup") }
}

function report(): void {
  const count = (...outcomes: readonly Outcome[]): number =>
    found.filter(({ outcome }) => outcomes.includes(outcome)).length
  const bad: readonly Outcome[] = [
    "fails first, then asks",
    "differs",
    "refused inside",
    "asks needlessly",
    "runs without consent",
  ]
  if (!process.argv.includes("--rows"))
    for (const { daily, outcome, detail } of found)
      if (bad.includes(outcome) || process.argv.includes("--all"))
        console.log(
          `${outcome}: ${daily.ecosystem}: ${daily.command}${process.argv.includes("--details") ? `\n${detail.slice(0, 600)}\n` : ""}`,
        )
  const share = (some: number): number => (100 * some) / found.length
  const note = `of ${found.length}`
  answer(
    rowOf({ what: "everyday commands that run at once and answer truly", ours: count("runs"), unit: "", note }),
    rowOf({ what: "everyday commands that rightly ask", ours: count("asks"), unit: "", note }),
    rowOf({ what: "everyday commands that ask needlessly", ours: count("asks needlessly"), unit: "", note }),
    rowOf({
      what: "everyday commands that run, but not as outside",
      ours: count("differs", "refused inside", "fails first, then asks"),
      unit: "",
      note,
    }),
    rowOf({
      what: "everyday commands that run without consent",
      ours: count("runs without consent"),
      unit: "",
      toReach: 0,
      note,
    }),
    rowOf({
      what: "everyday commands that ask needlessly or do not work",
      ours: share(count("asks needlessly", "differs", "refused inside", "fails first, then asks")),
      unit: "%",
      toReach: 3,
      note,
    }),
  )
}

function wordAfter(flag: string): string | undefined {
  const at = process.argv.indexOf(flag)
  return at === -1 ? undefined : process.argv[at + 1]
}
