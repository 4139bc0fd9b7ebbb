/** `codewright replay`: a session is played again in a copy of its folder, to see whether anything comes out differently. */

import type { Entry } from "#agent/words/entry.ts"
import { existsSync, realpathSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { amongCopies } from "#ground/sandbox/replica.ts"
import { optional } from "#lib/optional.ts"
import { forConsent } from "#lib/printable.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Comparison } from "#session/replay/compare.ts"
import { agrees } from "#faces/cli/terminal/agrees.ts"
import type { Arguments } from "#faces/cli/flags/argv.ts"
import type { CommandHelp } from "#faces/cli/help/command-help.ts"
import { readCommand } from "#faces/cli/help/read-command.ts"
import type { Flag } from "#faces/cli/flags/flag.ts"
import { type FlagName, flags } from "#faces/cli/flags/flags.ts"
import type { Io } from "#faces/cli/io.ts"
import { bareBun } from "#faces/cli/own-program.ts"
import { type ReadSession, readSession } from "#faces/cli/sessions/read-session.ts"
import { replayLines } from "./replay-lines.ts"
import { type Job, readJob, readReport, writeJob, writeReport } from "./replay-job.ts"
import { play } from "./replay-play.ts"
import { prepareScene, type Scene } from "./replay-scene.ts"
import { compareTrees, treeIn } from "./replay-tree.ts"
import { whereWeAre } from "#faces/cli/where.ts"

/** Flags that no log records. */
const spoken: readonly FlagName[] = [
  "allowed-tools",
  "disallowed-tools",
  "permission-mode",
  "system-prompt",
  "append-system-prompt",
  "settings",
  "setting-sources",
  "mcp-config",
  "strict-mcp-config",
  "plugin-dir",
  "plugin-dir-no-mcp",
  "agents",
  "trust",
]

type ReplayFlag = "workspace" | "keep" | "unconfined" | "yes" | "json" | "prepared" | "help" | FlagName

const table: readonly Flag<ReplayFlag>[] = [
  { name: "workspace", kind: "value", takes: "folder", about: "Start from a copy of this folder." },
  { name: "keep", kind: "switch", about: "Keep the copy and the new log, and print their paths." },
  {
    name: "unconfined",
    kind: "switch",
    about: "Do not use bubblewrap: commands run unconfined, with your permissions.",
  },
  { name: "yes", also: ["-y"], kind: "switch", about: "Do not ask before running commands unconfined." },
  { name: "json", kind: "switch", about: "Print JSON." },
  { name: "help", also: ["-h"], kind: "switch", about: "Show this help." },
  ...flags.filter(({ name }) => spoken.includes(name)),
]

/** Starts the process among the copies; internal, so not in the help. */
const prepared: Flag<ReplayFlag> = { name: "prepared", kind: "value", takes: "folder", about: "" }

export const help: CommandHelp = {
  usage: ["codewright replay <session> [options]"],
  about:
    "Replays a session: the model's answers and your prompts come from the log, and everything in between is run " +
    "again by this version, in a copy of the folder as it was before the first prompt. Reports the first " +
    "difference, and whether the files end the same. Exits with 0 if nothing differs, and with 1 otherwise. " +
    "Where bubblewrap works, the copy takes the place of the original, nothing else can be written, and there is no " +
    "network. Network requests are answered from the log.",
  table,
}

export async function replayCommand(argv: readonly string[], io: Io): Promise<number> {
  const args = readCommand(argv, [...table, prepared], help, io)
  if (typeof args === "number") return args
  const stop = new AbortController()
  const stopped = io.untilStopped().then((code) => {
    stop.abort()
    return code
  })
  const base = args.value("prepared")
  if (base !== undefined) return playPrepared(base, io, stop.signal)
  if (args.rest.length !== 1) return io.fail("replay takes one session id, or the first characters of one.")
  const done = await staged(args, io, stop.signal)
  return stop.signal.aborted ? stopped : done
}

async function staged(args: Arguments<ReplayFlag>, io: Io, signal: AbortSignal): Promise<number> {
  const where = whereWeAre()
  const found = await readSession(args.rest[0], where)
  if (!found.ok) return io.fail(found.failure)
  const session = found.value
  for (const note of session.notes) io.warn(note)
  const from = folderAt(args.value("workspace"))
  if (!from.ok) return io.fail(from.failure)
  if (!session.entries.some(({ kind }) => kind === "request"))
    return io.fail("Nothing to compare: this session sent no requests, or is older than request records.")
  const ready = await prepareScene({ session, where, from: from.value, signal })
  if (!ready.ok) return io.fail(ready.failure)
  const scene = ready.value
  try {
    for (const note of scene.notes) io.warn(note)
    return await playAndTell({ args, session, scene, state: where.state, io, signal })
  } finally {
    if (args.has("keep"))
      io.warn(`The copy is in ${scene.workspace}, the new log under ${join(scene.state, "projects")}.`)
    else scene.remove()
  }
}

async function playAndTell(parts: {
  readonly args: Arguments<ReplayFlag>
  readonly session: ReadSession
  readonly scene: Scene
  readonly state: string
  readonly io: Io
  readonly signal: AbortSignal
}): Promise<number> {
  const { args, session, scene, state, io, signal } = parts
  const { row } = session
  const { base } = scene
  const slug = basename(dirname(row.path))
  const job: Job = {
    id: row.id,
    cwd: row.cwd,
    state,
    slug,
    base,
    history: scene.history,
    inPlace: true,
    argv: saidThen(args),
  }
  const program = args.has("unconfined") ? undefined : await enclosedProgram(job, scene)
  if (!program) {
    const isAgreed = args.has("yes") || (process.stdin.isTTY && (await agrees(unconfinedQuestion(args))))
    if (!isAgreed) return io.fail(unconfinedWords(args))
  }
  const beginning = await treeIn(scene)
  const compared = program
    ? await playAmongCopies(job, program, signal)
    : await play({ ...job, history: scene.store.folder, inPlace: false }, signal)
  if (!compared.ok) return io.fail(`The session could not be replayed: ${compared.failure}`)
  const end = await treeIn(scene)
  const tree = beginning && end && compareTrees(scene, { entries: session.entries, cwd: row.cwd }, beginning, end)
  const isSame = compared.value.first === undefined && tree?.differences.length === 0
  const servers = compared.value.first && serversNote(session.entries, program ? "confined" : "unconfined")
  const notes = [...scene.notes, ...(servers === undefined ? [] : [servers])]
  if (args.has("json")) {
    const { requests, results, first } = compared.value
    const report = { session: row.id, confined: program !== undefined, same: isSame, requests, results }
    const more = { first: first ?? null, tree: tree ?? null, notes, ...optional("copy", keptAt(args, scene)) }
    io.write(`${JSON.stringify({ ...report, ...more }, null, 2)}\n`)
  } else io.say([...(await replayLines(compared.value, tree)), ...(servers === undefined ? [] : [servers])].join("\n"))
  return isSame ? 0 : 1
}

const keptAt = (args: Arguments<ReplayFlag>, { workspace }: Scene): string | undefined =>
  args.has("keep") ? workspace : undefined

/** This program, among the copies. */
async function enclosedProgram(
  { cwd, state, base }: Job,
  { workspace, state: ownState, tmp, store, history, uncovered }: Scene,
): Promise<readonly string[] | undefined> {
  const temporary = realpathSync(tmpdir())
  const isHidden = (path: string): boolean => path.startsWith(`${temporary}/`)
  // In an executable of our own, what runs is inside it.
  const source = Bun.main.startsWith("/$bunfs/") ? undefined : Bun.main
  const main = source === undefined ? [] : [...bareBun, source]
  const ours = [process.execPath, ...(source === undefined ? [] : [dirname(dirname(source))])].filter(isHidden)
  const self = { file: process.execPath, argv: [...main, "replay", "--prepared", base], cwd }
  const enclosed = await amongCopies(
    self,
    {
      copies: [
        { copy: tmp, place: temporary },
        { copy: base, place: base },
        { copy: workspace, place: cwd },
        { copy: ownState, place: realpathSync(state) },
      ],
      shown: [
        ...ours.map((path) => ({ real: path, place: path })),
        ...(existsSync(store.folder) ? [{ real: store.folder, place: history }] : []),
        ...uncovered.map((path) => ({ real: path, place: path })),
      ],
    },
    { platform: process.platform },
  )
  return enclosed && [enclosed.file, ...enclosed.argv]
}

async function playAmongCopies(
  job: Job,
  argv: readonly string[],
  signal: AbortSignal,
): Promise<Result<Comparison, string>> {
  writeJob(job)
  const child = Bun.spawn([...argv], { stdio: ["ignore", "ignore", "pipe"] })
  const kill = (): void => child.kill("SIGTERM")
  signal.addEventListener("abort", kill, { once: true })
  const [said, code] = await Promise.all([child.stderr.text(), child.exited])
  signal.removeEventListener("abort", kill)
  if (signal.aborted) return failed("the replay was interrupted.")
  const report = code === 0 ? readReport(job.base) : undefined
  return report ?? failed(said.trim() || `the replay exited with code ${code}.`)
}

async function playPrepared(base: string, io: Io, signal: AbortSignal): Promise<number> {
  const job = readJob(base)
  if (!job) return io.fail(`No replay is prepared in ${base}. Run codewright replay with a session id.`)
  writeReport(base, await play(job, signal))
  return 0
}

const saidThen = (args: Arguments<ReplayFlag>): readonly string[] =>
  spoken.flatMap((name) =>
    args.list(name).map((value) => (switches.includes(name) ? `--${name}` : `--${name}=${value}`)),
  )

const switches: readonly string[] = flags.flatMap(({ name, kind }) => (kind === "switch" ? [name] : []))

/** Servers that were given by flags or by a program are not in any file. */
function serversNote(entries: readonly Entry[], how: "confined" | "unconfined"): string | undefined {
  const tools = entries.flatMap((entry) => (entry.kind === "setup" ? entry.tools.map(({ name }) => name) : []))
  const names = [...new Set(tools.flatMap((name) => /^mcp__(.+?)__/.exec(name)?.[1] ?? []))]
  if (names.length === 0) return undefined
  const remote =
    how === "confined" ? " Servers at a URL cannot be reached from the copy: add --unconfined for them." : ""
  return `The session used the MCP servers ${forConsent(names.join(", "))}. If they are not configured here, give them with --mcp-config; their answers come from the log.${remote}`
}

function folderAt(path: string | undefined): Result<string | undefined, string> {
  if (path === undefined) return ok(undefined)
  try {
    return ok(realpathSync(path))
  } catch {
    return failed(`The folder ${path} does not exist.`)
  }
}

const why = (args: Arguments<ReplayFlag>): string =>
  args.has("unconfined") ? "" : "Bubblewrap does not work here, so the copy cannot take the place of the original. "

const unconfinedQuestion = (args: Arguments<ReplayFlag>): string =>
  `${why(args)}The session's commands would run in a copy, but with your permissions and network access. Continue?`

const unconfinedWords = (args: Arguments<ReplayFlag>): string =>
  `${why(args)}The session's commands would run in a copy, but with your permissions and network access. To continue, add --yes.`
