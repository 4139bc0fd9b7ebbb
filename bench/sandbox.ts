/**
 * What does it cost to confine a command, and is anything left of it? A number as argument says how many; 150 otherwise.
 * Root runs it once more as an ordinary user.
 */

import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { type Boundary, byUser } from "../src/agent/words/boundary.ts"
import { confinePath } from "../src/ground/bundled/confine.ts"
import { readMachine } from "../src/ground/workspace/machine.ts"
import { systemClock } from "../src/lib/clock.ts"
import { systemIds } from "../src/lib/ids.ts"
import { openPolicies } from "../src/session/adapters/policies.ts"
import { openWalls, type Walls } from "../src/session/adapters/sandbox.ts"
import { median, percentile, shown } from "./kit/figures.ts"
import { makePlace } from "./kit/place.ts"
import { answer, rowOf } from "./kit/row.ts"

/** One list, as in a session: another one would mean that the rules have changed. */
const noRules: readonly never[] = []
const count = Number(process.argv.find((word) => /^\d+$/.test(word)) ?? 150)
const place = makePlace({ files: 20 })
Bun.spawnSync(["git", "init", "-q", place.work])
const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: place.home }
const bare = { file: "/bin/true", argv: [], cwd: place.work, env }

/** Everything as in a session, with the network of commands as settings say. */
function open(name: string, network: { readonly deniedDomains?: readonly string[] }): Walls {
  const scratch = join(place.state, name)
  mkdirSync(scratch)
  const policies = openPolicies({
    settings: [{ source: "user settings", file: "settings.json", base: "/", value: { network } }],
    rules: () => noRules,
    mode: () => "default",
    canAsk: true,
    workspace: { root: place.work, added: [], home: place.home, protectedPaths: [], own: [] },
    place: {
      ...readMachine(),
      state: place.state,
      ownState: [],
      claudeFolder: join(place.home, ".claude"),
      temp: join(scratch, "tmp"),
      platform: process.platform,
    },
    clock: systemClock,
  })
  const confine = () => confinePath({ cacheFolder: place.state, pid: process.pid })
  return openWalls({
    platform: process.platform,
    ids: systemIds,
    clock: systemClock,
    scratch,
    registry: join(place.state, "placeholders"),
    policies: async () => policies,
    enabled: true,
    roots: () => [],
    confine,
  })
}

const closed = open("closed", { deniedDomains: ["*"] })
const networked = open("networked", {})

async function spawned({ file, argv, cwd, env: variables }: typeof bare & { readonly argv: readonly string[] }) {
  const child = Bun.spawn([file, ...argv], { cwd, env: variables, stdio: ["ignore", "ignore", "ignore"] })
  const code = await child.exited
  return { code, cpuMs: Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000 }
}

const editing: Boundary = { by: "judgement", writes: [join(place.work, "out.txt")], reads: [], mustHold: true }
const reading: Boundary = { by: "judgement", writes: [], reads: [], mustHold: true }

async function confined(walls: Walls, boundary: Boundary): Promise<{ readonly cpuMs: number }> {
  const needed = { reads: [], writes: [] }
  const wrapped = await walls.enclose({ program: bare, boundary, needed, canRepeat: false })
  if (!wrapped.ok) throw new Error("why" in wrapped.failure ? wrapped.failure.why : wrapped.failure.kind)
  if (wrapped.value.confinement.by === "none") throw new Error("It was not confined.")
  const { code, cpuMs } = await spawned(wrapped.value.program as typeof bare)
  wrapped.value.violations()
  wrapped.value.finish()
  if (code !== 0) throw new Error(`true ended with ${code} in the sandbox.`)
  return { cpuMs }
}

const kinds = [
  { what: "bare spawn", toReach: 0, run: () => spawned(bare) },
  { what: "a confined reader, beyond a bare spawn", toReach: 8, run: () => confined(closed, reading) },
  { what: "a judged line that writes a file", toReach: 3, run: () => confined(closed, editing) },
  { what: "a confined command without network", toReach: 8, run: () => confined(closed, byUser) },
  { what: "a confined command with hosts", toReach: 35, run: () => confined(networked, byUser) },
] as const

const works = (await closed.check()).works
const times = kinds.map((): number[] => [])
/** Processor time, of the command and of what this process did for it. */
const work = kinds.map((): number[] => [])
const ownCpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
// The first of each opens what the others share.
if (works) for (const { run } of kinds) await run()
// One after the other, so that whatever else the machine does meets them all.
for (let i = 0; works && i < count; i++)
  for (const [k, { run }] of kinds.entries()) {
    const [start, before] = [performance.now(), ownCpuMs()]
    const { cpuMs } = await run()
    times[k]?.push(performance.now() - start)
    work[k]?.push(cpuMs + ownCpuMs() - before)
  }
await Promise.all([closed.close(), networked.close()])

const [floor = Number.NaN, ...medians] = times.map(median)
const left = [...processesLeft(), ...filesLeft()]
place.remove()

const isRoot = process.getuid?.() === 0
const who = isRoot ? "as root" : "as an ordinary user"
/** What a kind of command needs beyond a bare spawn. */
const beyond = (figures: readonly (readonly number[])[], k: number, percent: number): string =>
  shown(percentile(figures[k] ?? [], percent) - percentile(figures[0] ?? [], percent), "ms")

answer(
  ...kinds.slice(1).map(({ what, toReach }, k) =>
    rowOf({
      what: `${what}, ${who}`,
      ours: (medians[k] ?? Number.NaN) - floor,
      unit: "ms",
      floor: { name: "bare spawn of true", value: floor },
      toReach,
      note: `lower quartile ${beyond(times, k + 1, 25)}, p95 ${beyond(times, k + 1, 95)}, processor time ${beyond(work, k + 1, 50)}, ${count} commands`,
    }),
  ),
  {
    what: `left of ${3 * count} confined commands, ${who}`,
    ours: left.length === 0 ? "no process, no file" : left.join(", "),
    floor: "-",
    ratio: "-",
    toReach: "nothing",
    reached: left.length === 0 ? "yes" : "no",
  },
)

// An ordinary user has other namespaces and no power over the machine.
if (isRoot && existsSync("/usr/bin/setpriv")) {
  const become = ["/usr/bin/setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
  const argv = [...become, process.execPath, import.meta.path, String(count), ...process.argv.slice(2)]
  await Bun.spawn(argv, { env: { ...env, HOME: "/tmp" }, stdio: ["ignore", "inherit", "inherit"] }).exited
}

/** Children of ours, and whoever was started with a path of this place, whoever its parent is now. */
function processesLeft(): readonly string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const status = read(`/proc/${name}/status`)
      const isChild = new RegExp(`^PPid:\t${process.pid}$`, "m").test(status)
      const isOfHere = read(`/proc/${name}/cmdline`).includes(place.work)
      return isChild || isOfHere ? [`process ${/^Name:\t(.*)/m.exec(status)?.[1]}`] : []
    })
}

/** Reports, sockets, sealed files and placeholders; what commands themselves wrote to their temporary folder is theirs. */
function filesLeft(): readonly string[] {
  const sandboxes = ["closed", "networked"].map((name) => join(place.state, name, "sandbox"))
  const placeholders = [".claude", ".codewright", ".git/commondir"].map((name) => join(place.work, name))
  const lists = join(place.state, "placeholders")
  const noted = existsSync(lists) ? readdirSync(lists).map((name) => join(lists, name)) : []
  return [...sandboxes, ...placeholders, ...noted].filter((path) => existsSync(path))
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}
