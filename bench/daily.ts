/**
 * Of the commands that people and agents type every day: how many run at once, how many ask without need, and how many
 * run but answer otherwise than they would outside the wall? Every command goes through the program, in a session
 * without anybody to ask, and what ran is run outside as well.
 *
 *   bun bench/daily.ts [--before <commit>] [--only git] [--all] [--details]
 *
 * With a commit it asks the program of that time as well, command by command, and prints both.
 */

import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
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
const commit = wordAfter("--before")
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

interface Found {
  readonly daily: Daily
  readonly outcome: Outcome
  readonly detail: string
}

const now: Found[] = []
const then: Found[] = []
const earlier = commit === undefined ? undefined : checkOut(commit)
try {
  for (const ecosystem of new Set(corpus.map((each) => each.ecosystem))) {
    const folder = makeProject(place.work, ecosystem, env)
    const list = corpus.filter((each) => each.ecosystem === ecosystem)
    now.push(...(await outcomesOf(join(root, "bin/codewright"), list, folder)))
    if (earlier) then.push(...(await outcomesOf(join(earlier, "bin/codewright"), list, folder)))
  }
} finally {
  server.kill()
  if (earlier) git("worktree", "remove", "--force", earlier)
  place.remove()
}
report()

async function outcomesOf(program: string, list: readonly Daily[], folder: string): Promise<readonly Found[]> {
  const found: Found[] = []
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
  return found
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

/** The program of another time, with the libraries of today. */
function checkOut(wanted: string): string {
  const folder = join(place.home, "earlier")
  git("worktree", "add", "--quiet", "--detach", folder, wanted)
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  return folder
}

function git(...argv: readonly string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(["git", "-C", root, ...argv])
  if (exitCode !== 0) throw new Error(stderr.toString())
}

function report(): void {
  const bad: readonly Outcome[] = [
    "fails first, then asks",
    "differs",
    "refused inside",
    "asks needlessly",
    "runs without consent",
  ]
  if (!process.argv.includes("--rows"))
    for (const { daily, outcome, detail } of now)
      if (bad.includes(outcome) || process.argv.includes("--all"))
        console.log(
          `${outcome}: ${daily.ecosystem}: ${daily.command}${process.argv.includes("--details") ? `\n${detail.slice(0, 600)}\n` : ""}`,
        )
  const note = `of ${now.length}`
  const counted = (what: string, ...outcomes: readonly Outcome[]) => {
    const count = (found: readonly Found[]): number => found.filter((each) => outcomes.includes(each.outcome)).length
    return {
      what: `everyday commands that ${what}`,
      ours: count(now),
      floor: earlierValue(count(then)),
      unit: "",
      note,
    }
  }
  const failing = counted("ask needlessly or do not work", ...bad.slice(0, -1))
  const share = (count: number): number => (100 * count) / now.length
  answer(
    rowOf(counted("run at once and answer truly", "runs")),
    rowOf(counted("rightly ask", "asks")),
    rowOf(counted("ask needlessly", "asks needlessly")),
    rowOf(counted("run, but not as outside", "differs", "refused inside", "fails first, then asks")),
    rowOf({ ...counted("run without consent", "runs without consent"), toReach: 0 }),
    rowOf({
      ...failing,
      ours: share(failing.ours),
      floor: earlierValue(share(failing.floor?.value ?? 0)),
      unit: "%",
      toReach: 3,
    }),
  )
}

function earlierValue(value: number): { readonly name: string; readonly value: number } | undefined {
  return commit === undefined ? undefined : { name: `at ${commit}`, value }
}

function wordAfter(flag: string): string | undefined {
  const at = process.argv.indexOf(flag)
  return at === -1 ? undefined : process.argv[at + 1]
}
