/**
 * The corpus of hostile repositories once more, with every judgement taken for "allow": whatever a command does, it runs
 * as a reader, and the sandbox alone keeps it from changing anything, from reaching anybody, and from reading keys and
 * tokens.
 */

import { describe, expect, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { confinePath } from "#ground/bundled/confine.ts"
import { openShellPrograms } from "#ground/workspace/shell-program.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { openPolicies } from "#session/adapters/policies.ts"
import { openWalls } from "#session/adapters/sandbox.ts"
import { permissionClasses, readClass } from "../../kit/class-rows.ts"
import { bwrap } from "../../kit/confine.ts"
import { canConfine, isRoot } from "../../kit/escapes.ts"
import { watchWorld } from "../../kit/executed.ts"
import { openWorlds, placed, tokens, type World } from "../../kit/hostile-worlds.ts"
import { isNight, spread } from "../../kit/runs.ts"
import { temporaryFolder } from "../../kit/tmp.ts"

const timeoutMs = 900_000

const rows = permissionClasses.flatMap(readClass).filter(({ tool }) => tool === "Bash")

/** Programs that take seconds to start, in worlds that others resemble: at night. */
const slowWorlds: ReadonlySet<string> = new Set(["npmrc", "npmrc-plain", "config-first", "asdf", "corepack"])
const worldNames = [...new Set(rows.map(({ world }) => world))].filter((name) => isNight || !slowWorlds.has(name))

/** What no reader may print: a key of the user and a token of the environment. Other files can be read by design. */
const keys = ["HOME-SECRET-91cc", "TOKEN-SECRET-55ab"]

/** Rows of one world that run in one sandbox. */
const rowsAtOnce = 50

/** Of each world. */
const rowsByDay = 16

const slices = (commands: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(commands.length / rowsAtOnce) }, (_, i) =>
    commands.slice(i * rowsAtOnce, (i + 1) * rowsAtOnce),
  )

const allRan = "-- all commands ran --"

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

interface Ran {
  readonly said: string
  /** Packets that were sent outside of the sandbox. */
  readonly packets: number
}

/**
 * Around the program lies a network in which every address leads back to the same machine and nobody else is, so that
 * each packet that gets out of the sandbox is counted, wherever it was to go.
 */
const surrounded = (counts: string, argv: readonly string[]): readonly string[] => {
  const everywhere = "ip route add local default dev lo; ip -6 route add local default dev lo"
  const script = `exec 4>"$0"; { ${everywhere}; } 2>/dev/null; cat /proc/self/net/snmp /proc/self/net/snmp6 >&4; "$@"; cat /proc/self/net/snmp /proc/self/net/snmp6 >&4`
  return [bwrap ?? "", "--dev-bind", "/", "/", "--unshare-net", "--", "/bin/bash", "-c", script, counts, ...argv]
}

/** What was sent by the second of two counts and not by the first. */
function packetsIn(counts: string): number {
  const lines = readFileSync(counts, "utf8").split("\n")
  const named = lines.flatMap((line) => /^(?:Ip6OutRequests)\s+(\d+)/.exec(line)?.[1] ?? []).map(Number)
  const columns = lines.filter((line) => line.startsWith("Ip: ")).map((line) => line.split(" "))
  const at = columns[0]?.indexOf("OutRequests") ?? -1
  const [before, after] = [columns[1]?.[at], columns[3]?.[at]].map(Number)
  return (after ?? Number.NaN) - (before ?? Number.NaN) + (named[1] ?? Number.NaN) - (named[0] ?? Number.NaN)
}

/** Runs commands in one sandbox, each by the session's own way to a shell; gives all that they printed. */
async function runAsReaders(world: World, top: string, commands: readonly string[]): Promise<Ran> {
  const scratch = join(top, "scratch")
  const policies = openPolicies({
    settings: [],
    rules: () => [],
    mode: () => "default",
    canAsk: false,
    workspace: { root: world.workspace, added: [], home: world.home, protectedPaths: [], own: [] },
    place: {
      state: join(world.home, ".codewright"),
      ownState: [],
      claudeFolder: join(world.home, ".claude"),
      temp: join(top, "temp"),
      platform: process.platform,
      uid: process.getuid?.(),
      memoryBytes: 8_000_000_000,
    },
    clock: systemClock,
  })
  const walls = openWalls({
    platform: process.platform,
    ids: systemIds,
    confine: () => confinePath({ cacheFolder: join(top, "cache"), pid: process.pid }),
    scratch: top,
    registry: join(top, "placeholders"),
    policies: async () => policies,
    enabled: false,
    roots: () => [],
    clock: systemClock,
  })
  const env = { PATH: world.path, HOME: world.home, LANG: "C.UTF-8", ...tokens }
  const programFor = openShellPrograms({
    ids: systemIds,
    env: () => env,
    outputFolder: scratch,
    scratch,
    isProjectFolder: () => false,
  })
  const programs = commands.map((command) => {
    const program = programFor({ command, cwd: world.workspace, sources: [], judged: {} })
    if (!program.ok) throw new Error(program.failure.kind)
    return program.value
  })
  // One that waits for something it cannot have is given up.
  const lines = programs.map(
    ({ file, argv }) => `timeout -k 1 5 ${[file, ...argv].map(quoted).join(" ")} </dev/null 2>&1 | head -c 100000\n`,
  )
  const list = join(scratch, "commands")
  writeFileSync(list, `${lines.join("")}echo ${allRan}\n`)
  const wrapped = await walls.enclose({
    program: { file: "/bin/bash", argv: ["--norc", list], cwd: world.workspace, env: programs[0]?.env ?? {} },
    boundary: { by: "judgement", writes: [], reads: [], mustHold: true },
    canRepeat: false,
    needed: {
      reads: [list, ...programs.flatMap(({ needed }) => needed.reads)],
      writes: programs.flatMap(({ needed }) => needed.writes),
    },
  })
  if (!wrapped.ok) throw new Error(wrapped.failure.kind)
  const { program, confinement, finish } = wrapped.value
  expect(confinement).toEqual({ by: "bubblewrap", as: "reader" })
  const counts = join(scratch, "counts")
  const child = Bun.spawn([...surrounded(counts, [program.file, ...program.argv])], {
    cwd: world.workspace,
    env: program.env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  finish()
  await walls.close()
  for (const each of programs) each.finish()
  return { said: out + err, packets: packetsIn(counts) }
}

test.skipIf(!canConfine)("a packet outside of the sandbox would be seen, to loopback and to elsewhere", async () => {
  using top = temporaryFolder()
  const sent = async (address: string): Promise<number> => {
    const counts = top.join("counts")
    const connect = `(exec 3<>/dev/tcp/${address}) 2>/dev/null; true`
    const child = Bun.spawn([...surrounded(counts, ["/bin/bash", "-c", connect])], {
      stdio: ["ignore", "ignore", "inherit"],
    })
    await child.exited
    return packetsIn(counts)
  }
  expect(await sent("127.0.0.1/9")).toBeGreaterThan(0)
  expect(await sent("::1/9")).toBeGreaterThan(0)
  // Only root can have addresses lead somewhere.
  if (isRoot) expect(await sent("192.0.2.1/9")).toBeGreaterThan(0)
})

describe.skipIf(!canConfine)("as a reader, nothing comes of any attack", () => {
  test.concurrent.each(worldNames)(
    "%s",
    async (name) => {
      using top = temporaryFolder()
      const world = openWorlds(top.join("worlds")).world(name)
      const mine = rows.filter((row) => row.world === name)
      const commands = spread(mine, rowsByDay).map(({ input }) => placed(String(input["command"]), world))
      const since = watchWorld(world)
      const ran: Ran[] = []
      for (const [i, some] of slices(commands).entries())
        ran.push(await runAsReaders(world, top.join(`slice-${i}`), some))
      const said = ran.map((each) => each.said)
      expect(said.filter((each) => !each.includes(`${allRan}\n`))).toEqual([])
      expect(ran.map(({ packets }) => packets)).toEqual(ran.map(() => 0))
      expect(since()).toEqual({ marks: [], changed: [] })
      expect(keys.filter((key) => said.join("").includes(key))).toEqual([])
    },
    timeoutMs,
  )
})
