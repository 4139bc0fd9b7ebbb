/** Runs commands in a hostile world, shut in and without network, and tells from outside what came of them. */

import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { join, relative } from "node:path"
import { openShellPrograms } from "#ground/workspace/shell-program.ts"
import { systemIds } from "#lib/ids.ts"
import { secrets, tokens, type World } from "./hostile-worlds.ts"

/** What commands did that a reader must not do; each list is empty when they did nothing. */
export interface Effects {
  /** Programs of the world that left a mark. */
  readonly marks: readonly string[]
  /** Files that appeared, changed or went. */
  readonly changed: readonly string[]
  /** Programs of the workspace, or shims of the home, that were started. */
  readonly started: readonly string[]
  /** Addresses that they tried to reach. */
  readonly reached: readonly string[]
  /** Secrets of files outside and of the environment that were in the output. */
  readonly leaked: readonly string[]
}

export const hasEffects = (effects: Effects): boolean => Object.values(effects).some((list) => list.length > 0)

/** `as reader`: as the program runs what it judged to only read. `as is`: as the user's own shell would. */
export type Manner = "as reader" | "as is"

/** Programs without which nothing can be run and watched. */
export const watchers: readonly string[] = ["bwrap", "strace"]

/** Runs one command. */
export const runIn = (world: World, command: string, manner: Manner): Promise<Effects> =>
  runAllIn(world, [command], manner)

/** Runs commands one after another, each by the session's own way to a shell; tells what came of all together. */
export async function runAllIn(world: World, commands: readonly string[], manner: Manner): Promise<Effects> {
  const scratch = scratchOf(world)
  const programFor = openShellPrograms({
    ids: systemIds,
    env: () => environment(world),
    outputFolder: scratch,
    scratch,
    isProjectFolder: isProjectFolder(world),
  })
  const programs = commands.map((command) => {
    const program = programFor({
      command,
      cwd: world.workspace,
      sources: [],
      judged: manner === "as reader" ? {} : undefined,
    })
    if (!program.ok) throw new Error(program.failure.kind)
    return program.value
  })
  const lines = programs.map(({ file, argv }) => {
    const words = ["/usr/bin/timeout", "-k", "1", "10", file, ...argv]
    return `${words.map(quoted).join(" ")} </dev/null 2>&1 | /usr/bin/head -c 1000000\n`
  })
  const list = join(scratch, "commands")
  writeFileSync(list, `ulimit -t 10\n${lines.join("")}`)
  const effects = await watched(world, ["/bin/bash", "--noprofile", "--norc", list], programs[0]?.env ?? {})
  for (const { finish } of programs) finish()
  return effects
}

/** Looks at a world now; the answer tells what came of it since. */
export function watchWorld(world: World): () => Pick<Effects, "marks" | "changed"> {
  const before = treeOf(world)
  return () => ({ marks: marksIn(world), changed: difference(before, treeOf(world)) })
}

const marksIn = ({ marks }: World): readonly string[] => readFileSync(marks, "utf8").split("\n").filter(Boolean)

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

const environment = ({ path, home }: World): Record<string, string> => ({
  PATH: path,
  HOME: home,
  LANG: "C.UTF-8",
  ...tokens,
})

const isProjectFolder =
  ({ workspace }: World) =>
  (path: string): boolean =>
    path === workspace || path.startsWith(`${workspace}/`)

function scratchOf({ top }: World): string {
  const scratch = join(top, "scratch")
  mkdirSync(scratch, { recursive: true })
  return scratch
}

async function watched(world: World, argv: readonly string[], env: Readonly<Record<string, string>>): Promise<Effects> {
  const trace = join(scratchOf(world), `trace-${systemIds.uuid()}`)
  const output = join(scratchOf(world), `output-${systemIds.uuid()}`)
  const before = treeOf(world)
  const strace = ["strace", "-f", "--seccomp-bpf", "-qq", "-s", "300", "-e", "trace=execve,connect", "-o", trace]
  const child = Bun.spawn([Bun.which("bwrap") ?? "bwrap", ...shutIn(world), ...strace, ...argv], {
    cwd: world.workspace,
    env: { ...env },
    stdin: "ignore",
    stdout: Bun.file(output),
    stderr: "pipe",
  })
  const [complained] = await Promise.all([child.stderr.text(), child.exited])
  if (!existsSync(trace)) throw new Error(`The sandbox did not start: ${complained}`)
  const lines = readFileSync(trace, "utf8").split("\n")
  const printed = readFileSync(output, "utf8")
  const effects: Effects = {
    marks: marksIn(world),
    changed: difference(before, treeOf(world)),
    started: startedIn(lines, world),
    reached: lines
      .filter((line) => /connect\(\d+, \{sa_family=AF_INET6?,/.test(line))
      .map((line) => line.slice(0, 200)),
    leaked: secrets.filter((secret) => printed.includes(secret) || complained.includes(secret)),
  }
  for (const file of [trace, output]) rmSync(file, { force: true })
  writeFileSync(world.marks, "")
  return effects
}

/** Everything is readable, only the world can be written, and there is no network. */
function shutIn({ top, workspace }: World): readonly string[] {
  const readable = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/run", "--tmpfs", "/tmp"]
  const alone = ["--unshare-all", "--die-with-parent", "--new-session"]
  return [...readable, "--bind", top, top, ...alone, "--chdir", workspace]
}

/** Folders in which programs keep caches and logs of their own, which are the user's and not the project's. */
const ownFolders: ReadonlySet<string> = new Set(["scratch", "home/.npm", "home/.cache", "marks"])

/** What git holds for the next commit. Git may note in its index when it last looked at a file, so this is compared. */
const stagedIn = ({ workspace, home }: World): string =>
  Bun.spawnSync(["git", "-c", "core.fsmonitor=false", "ls-files", "-s", "-v", "-t"], {
    cwd: workspace,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home, GIT_CONFIG_NOSYSTEM: "1", GIT_OPTIONAL_LOCKS: "0" },
    stderr: "ignore",
  }).stdout.toString()

/** Every path of a world with what shows a change. */
function treeOf(world: World): ReadonlyMap<string, string> {
  const { top } = world
  const found = new Map([["staged", stagedIn(world)]])
  const walk = (folder: string): void => {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name)
      const from = relative(top, path)
      if (ownFolders.has(from) || from.endsWith(".git/index")) continue
      const stats = lstatSync(path)
      const leads = stats.isSymbolicLink() ? readlinkSync(path) : ""
      found.set(from, stats.isDirectory() ? "folder" : `${stats.size} ${stats.mtimeMs} ${stats.mode} ${leads}`)
      if (stats.isDirectory()) walk(path)
    }
  }
  walk(top)
  return found
}

function difference(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): readonly string[] {
  const gone = [...before.keys()].filter((path) => !after.has(path)).map((path) => `- ${path}`)
  const other = [...after].filter(([path, state]) => before.get(path) !== state).map(([path]) => `+ ${path}`)
  return [...gone, ...other]
}

/** Programs of the world that were really executed; those that only stand for a program of the system do not count. */
function startedIn(lines: readonly string[], { top, home }: World): readonly string[] {
  return lines.flatMap((line) => {
    const path = /execve\("([^"]*)".* = 0$/.exec(line)?.[1]
    if (path === undefined) return []
    const isOfWorld = !path.startsWith("/") || path.startsWith(`${top}/`)
    return isOfWorld && !path.startsWith(join(home, ".local/bin/")) ? [path] : []
  })
}
