/** kill -9 at random moments (CODEWRIGHT_KILLS says how many): what was acknowledged is in the log, files are whole, nothing survives, and the work goes on. */

import { afterAll, beforeAll, expect, test } from "bun:test"
import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs"
import { join } from "node:path"
import { loadLog } from "#ground/transcript/load.ts"
import { openSessionLogs } from "#ground/transcript/session-logs.ts"
import { type Ids, seededIds } from "#lib/ids.ts"
import { openSimulator, type Simulator } from "#sim/server.ts"
import { isRunning } from "../../kit/is-running.ts"
import { chance } from "../../kit/random-script.ts"
import { environmentOf, linesOf, openPlace, type Place, program } from "../../kit/run-codewright.ts"
import { type Act, type Job, nextReply } from "../../kit/steady-worker.ts"
import { answerComplaints } from "../../kit/test-loop.ts"
import { atNight } from "../../kit/runs.ts"

const kills = Number(process.env["CODEWRIGHT_KILLS"] ?? 6)
const lanes = 4
/** A run that is not over by then never will be; it is ended, so that the test can say which. */
const hungMs = 120_000

const long = (word: string): string => `${word} `.repeat(atNight(40_000, 12_000))
const act = (tool: string, input: Act["input"]): Act => ({ tool, input })
const runs = (command: string, ifUnsure?: string): Act => ({
  ...act("Bash", { command }),
  ...(ifUnsure !== undefined && { ifUnsure: { command: ifUnsure } }),
})
const appends = (line: string): Act => {
  const command = `echo ${line} >> journal.txt`
  return runs(command, `grep -qx ${line} journal.txt || ${command}`)
}

const jobs: readonly Job[] = [
  [act("Read", { file_path: "old.txt" }), act("Glob", { pattern: "*" })],
  [act("Write", { file_path: "new.txt", content: long("new") })],
  [appends("first")],
  [
    act("Read", { file_path: "old.txt" }),
    act("Edit", { file_path: "old.txt", old_string: "before", new_string: long("after") }),
  ],
  // Many at once, and among them what has to wait for its turn.
  [
    act("Read", { file_path: "old.txt" }),
    act("Grep", { pattern: "new", path: "new.txt" }),
    act("Glob", { pattern: "**/*" }),
    runs("cat journal.txt journal.txt | wc -l"),
    act("Write", { file_path: "wide.txt", content: "wide\n" }),
    act("Read", { file_path: "new.txt" }),
  ],
  // What is left running is ended with its command, and with us.
  [runs("sleep 300 & (trap '' TERM; sleep 0.15) ; echo slept > slept.txt")],
  [appends("second"), act("Write", { file_path: "deep/er/file.txt", content: "x\n" })],
]

/** Every content a file may have at any time; a file that was not there yet may be missing. */
const allowed: { readonly [path: string]: readonly string[] } = {
  "old.txt": ["before\n", `${long("after")}\n`],
  "new.txt": [long("new")],
  "journal.txt": ["first\n", "first\nsecond\n"],
  "slept.txt": ["", "slept\n"],
  "wide.txt": ["wide\n"],
  "deep/er/file.txt": ["x\n"],
}
const finished = Object.fromEntries(Object.entries(allowed).map(([path, contents]) => [path, contents.at(-1) ?? ""]))

let simulator: Simulator
/** How long a run takes that nobody ends, and how many lines it prints. */
let whole = { ms: 0, lines: 0 }
beforeAll(async () => {
  const opened = await openSimulator({
    scenario: (request) => ({ ...nextReply(jobs, request), timing: { ttftMs: 5, tokensPerSecond: 500_000 } }),
    keepRequests: "none",
  })
  if (!opened.ok) throw new Error(opened.failure.message)
  simulator = opened.value
  using place = openPlace({ "old.txt": "before\n" })
  const began = performance.now()
  const printed = await runUntilKilled(place, seededIds(0).uuid(), { withLine: 1e9, andMs: 0 })
  whole = { ms: performance.now() - began, lines: linesOf(printed).length }
  expect(treeOf(place.work)).toEqual(sorted(finished))
})
afterAll(() => simulator.close())

function start(place: Place, argv: readonly string[]) {
  return Bun.spawn(
    [
      program,
      ...argv,
      "--output-format",
      "stream-json",
      "--verbose",
      "--permission-mode",
      "acceptEdits",
      "--allowedTools",
      "Bash",
    ],
    // The scripted worker knows only what it was told word for word, so nothing may be summarised.
    {
      cwd: place.work,
      env: { ...environmentOf(place, simulator.url), DISABLE_AUTO_COMPACT: "1" },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    },
  )
}

/** When to kill: after so much time, or with a line of the output. */
type Moment = { readonly afterMs: number } | { readonly withLine: number; readonly andMs: number }

/** Most by a line, because how long a start takes is for the machine to say. */
const randomMoment = (ids: Ids): Moment =>
  chance(ids, 0.3)
    ? { afterMs: ids.random() * whole.ms * 2 }
    : { withLine: 1 + Math.floor(ids.random() * whole.lines), andMs: ids.random() ** 2 * 100 }

/** Runs until it is killed (or was faster) and gives what it printed: what it has acknowledged. */
async function runUntilKilled(place: Place, id: string, moment: Moment): Promise<string> {
  const began = performance.now()
  const child = start(place, ["-p", "do all jobs", "--session-id", id])
  const errors = child.stderr.text()
  const kill = (): void => child.kill("SIGKILL")
  const limit = setTimeout(kill, hungMs)
  let timer = "afterMs" in moment ? setTimeout(kill, moment.afterMs) : undefined
  let printed = ""
  const decoder = new TextDecoder()
  for await (const part of child.stdout) {
    printed += decoder.decode(part, { stream: true })
    if ("withLine" in moment && timer === undefined && printed.split("\n").length > moment.withLine)
      timer = setTimeout(kill, moment.andMs)
  }
  clearTimeout(timer)
  clearTimeout(limit)
  const [, stderr] = await Promise.all([child.exited, errors])
  if (performance.now() - began >= hungMs) throw new Error(`a run did not end: ${printed.slice(-2_000)}${stderr}`)
  return printed
}

async function killAndResume(seed: number): Promise<string[]> {
  const ids = seededIds(seed)
  const id = ids.uuid()
  using place = openPlace({ "old.txt": "before\n" })
  const wrong: string[] = []
  const printed = await runUntilKilled(place, id, randomMoment(ids))

  const logPath = openSessionLogs({ projects: join(place.state, "projects"), slug: "" }).find(id)
  const known = new Set(logPath === undefined ? [] : entriesOf(logPath).map(({ uuid }) => uuid))
  // A line that was torn was not acknowledged.
  for (const message of linesOf(printed.slice(0, printed.lastIndexOf("\n") + 1)))
    if ((message.type === "assistant" || message.type === "user") && !known.has(String(message.uuid)))
      wrong.push(`acknowledged but not in the log: ${JSON.stringify(message).slice(0, 200)}`)
  wrong.push(...(await survivors(place)))
  // Not before: a command that is still being ended may write while its file is read, and half of that is seen.
  wrong.push(...partialFiles(place.work))
  await resume()
  return wrong.map((what) => `seed ${seed}: ${what}`)

  async function resume(): Promise<void> {
    const again = logPath === undefined ? ["-p", "do all jobs", "--session-id", id] : ["--resume", id, "-p", "go on"]
    const child = start(place, again)
    const limit = setTimeout(() => child.kill("SIGKILL"), hungMs)
    const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    clearTimeout(limit)
    const result = linesOf(stdout.slice(0, stdout.lastIndexOf("\n") + 1)).at(-1)
    if (code !== 0 || result?.subtype !== "success")
      wrong.push(`the resume came to ${code}: ${stderr}${JSON.stringify(result)}`)
    const after = entriesOf(openSessionLogs({ projects: join(place.state, "projects"), slug: "" }).find(id) ?? "")
    wrong.push(...answerComplaints(after))
    for (const uuid of known) if (!after.some((entry) => entry.uuid === uuid)) wrong.push(`${uuid} was lost`)
    const tree = treeOf(place.work)
    if (JSON.stringify(tree) !== JSON.stringify(sorted(finished)))
      wrong.push(`the tree is ${JSON.stringify(tree, (_, value: unknown) => shortened(value))}`)
  }
}

function entriesOf(path: string) {
  const loaded = loadLog(path)
  if (!loaded.ok) throw new Error(`the log cannot be read: ${loaded.failure.kind}`)
  return loaded.value.entries
}

function partialFiles(work: string): string[] {
  return Object.entries(treeOf(work)).flatMap(([path, content]) =>
    allowed[path]?.includes(content) ? [] : [`${path} is partial: ${content.length} characters`],
  )
}

/** What the run had started and is still there when it should long be gone: all of it works in the project. */
async function survivors(place: Place): Promise<string[]> {
  const deadline = performance.now() + patienceMs
  while (runningIn(place.work).length > 0 && performance.now() < deadline) await Bun.sleep(20)
  return runningIn(place.work).map((pid) => `process ${pid} survived: ${commandOf(pid)}`)
}

/** A child has 5 s to be gone; a busy machine may need longer to say so. */
const patienceMs = 15_000

const runningIn = (folder: string): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => isRunning(pid) && folderOf(pid).startsWith(folder))

function folderOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return ""
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")
  } catch {
    return ""
  }
}

/** The files below a folder with their contents. A write that was cut short may leave its temporary file, never a part of the real one. */
function treeOf(root: string): { readonly [path: string]: string } {
  const files = (readdirSync(root, { recursive: true }) as string[]).filter(
    (path) => statSync(join(root, path)).isFile() && !/(^|\/)\.codewright-[^/]*\.tmp$/.test(path),
  )
  return sorted(Object.fromEntries(files.map((path) => [path, readFileSync(join(root, path), "utf8")])))
}

const sorted = <T>(record: { readonly [key: string]: T }): { readonly [key: string]: T } =>
  Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)))

const shortened = (value: unknown): unknown =>
  typeof value === "string" && value.length > 60 ? `${value.slice(0, 30)}… (${value.length} characters)` : value

test(
  `kill -9 at ${kills} random moments loses nothing`,
  async () => {
    const wrong: string[] = []
    let seed = 0
    const work = async (): Promise<void> => {
      while (seed < kills && wrong.length < 5) wrong.push(...(await killAndResume(++seed)))
    }
    await Promise.all(Array.from({ length: lanes }, work))
    expect(wrong).toEqual([])
    expect(simulator.stats().refusals).toBe(0)
  },
  Math.max(600_000, kills * 10_000),
)
