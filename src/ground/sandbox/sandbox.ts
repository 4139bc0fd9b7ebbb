/** Confines programs on Linux with our own helper and bubblewrap; not available on other systems. */

import { chmodSync, existsSync, mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Violation } from "#agent/words/confinement.ts"
import type { Clock } from "#lib/clock.ts"
import type { Ids } from "#lib/ids.ts"
import { optional } from "#lib/optional.ts"
import { lazily } from "#lib/lazily.ts"
import { onceFor } from "#lib/once-each.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { bubblewrapPaths } from "./bubblewrap.ts"
import { confinedEnvironment } from "./environment.ts"
import { openKnownMounts } from "./known-mounts.ts"
import { refusedByWall } from "./loopback.ts"
import { type Maker, makingArgv } from "./making.ts"
import { openPlaceholders } from "./placeholders.ts"
import type { MountedCopy, MountNeeds } from "./mounts.ts"
import type { Policy } from "./policy.ts"
import type { Confinable, Confined, Sandbox, SandboxCheck, Unconfinable, Wanted } from "./port.ts"
import { openQuietNetwork } from "./quiet-network.ts"
import { openReports, type ReportFile } from "./reports.ts"

export interface SandboxOptions {
  readonly platform: string
  readonly ids: Ids
  readonly clock: Clock
  /** The path of our helper; absent if there is none for the machine. */
  readonly confine?: () => Promise<string | undefined>
  /** A folder of the session for reports and the like; created when needed. */
  readonly folder: string
  /** Where all processes of the user record which placeholders they need. */
  readonly registry: string
  /** Opens the network for a policy with hosts; without it there is no network at all. */
  readonly network?: (tools: SandboxTools) => Promise<SandboxNetwork>
  /** Where to look for bubblewrap, which then makes every sandbox; the usual places, and our helper first, when absent. */
  readonly places?: readonly string[]
  /** Why nothing can be confined here, given the output of a failed trial. */
  readonly diagnose?: (said: string) => Promise<Unconfinable>
}

export interface SandboxTools {
  readonly bwrap: string
  readonly confine: string
}

/** The network namespace shared by all commands of a session, with the proxy behind it. */
export interface SandboxNetwork {
  readonly ensure: (
    policy: Pick<Policy, "network" | "credentials">,
    env: Confinable["env"],
  ) => Promise<Result<SharedNetwork, Unconfinable>>
  /** Hosts that were refused to a call. */
  readonly refused: (callId: string | undefined) => readonly Violation[]
  readonly forget: (callId: string | undefined) => void
  readonly close: () => Promise<void>
}

export interface SharedNetwork {
  /** A process in the namespaces that commands join. */
  readonly pid: number
  /** What programs need in order to find the proxy, and sentinels in place of credentials. */
  readonly env: (callId: string | undefined) => Readonly<Record<string, string>>
  /** Files that are seen in place of others. */
  readonly copies: readonly MountedCopy[]
  /** Files of ours that the environment names. */
  readonly reads: readonly string[]
}

export function openSandbox(options: SandboxOptions): Sandbox {
  const { platform, ids, clock, registry, folder, places = bubblewrapPaths } = options
  const placeholders = openPlaceholders({ clock, ids, registry })
  const sealed = openSealed(folder)
  const reports = openReports({ folder, name: () => `report-${ids.uuid()}` })
  const mountsOf = openKnownMounts(clock.now)
  const environmentUnder = onceFor((policy: Policy) =>
    onceFor((env: Confinable["env"]) => confinedEnvironment(env, policy)),
  )
  const quiet = openQuietNetwork(clock)
  const helperPath = lazily(() => helperOf(options.confine))
  const [likely, ...others]: readonly [Maker, ...Maker[]] = options.places ? ["bubblewrap"] : ["helper", "bubblewrap"]
  let checking: Promise<Checked> | undefined
  let isTried = false
  let opened: Promise<SandboxNetwork> | undefined
  let isClosed = false

  const networkOf = (tools: SandboxTools): Promise<SandboxNetwork> | undefined => (opened ??= options.network?.(tools))

  async function confine<P extends Confinable>(
    maker: Maker,
    wanted: Wanted<P>,
  ): Promise<Result<Confined<P>, Unconfinable>> {
    const { program, policy, needed, callId } = wanted
    const bwrap = platform === "linux" ? places.find((path) => existsSync(path)) : undefined
    if (bwrap === undefined) return failed(platform === "linux" ? noBubblewrap : noSandbox)
    const unpacked = await helperPath()
    if (!unpacked.ok) return unpacked
    const helper = unpacked.value
    const network = policy.network.mode === "off" ? undefined : await networkOf({ bwrap, confine: helper })
    const shared = network ? await network.ensure(policy, program.env) : ok(undefined)
    if (!shared.ok) return shared
    // The folder for it is gone, or about to be.
    if (isClosed) return failed(hasEnded)
    let report: ReportFile
    let release = (): void => {}
    try {
      sealed.make()
      const full = makeFolders(folder, policy)
      if (full !== undefined) return failed(noRoom(full, "no space is left"))
      release = placeholders.acquire(policy.held)
      report = reports()
    } catch (error) {
      release()
      return failed(noRoom(folder, error instanceof Error ? error.message : String(error)))
    }
    const mounts = mountsOf(policy, withOurs(helper, needed, shared.value))
    const isQuiet = maker === "helper" && policy.name !== "workspace" && network === undefined && !policy.machine
    const joined = isQuiet ? quiet.pid() : shared.value?.pid
    const making = {
      helper,
      bwrap,
      program,
      policy,
      mounts,
      sealed,
      report: report.path,
      ...optional("recording", wanted.recording),
      ...optional("joined", joined),
    }
    return ok({
      program: {
        ...program,
        file: helper,
        argv: makingArgv(maker, making),
        env: { ...environmentUnder(policy)(program.env), ...shared.value?.env(callId) },
      },
      violations: () => [...refusedByWall(report.read().violations), ...(network?.refused(callId) ?? [])],
      started: () => report.read().started,
      confirm() {
        isTried = true
        checking ??= Promise.resolve({ works: true, maker })
      },
      finish() {
        release()
        network?.forget(callId)
        report.giveBack()
        if (isQuiet) quiet.want(helper)
      },
    })
  }

  const probe = (): Promise<Checked> =>
    firstThatWorks([likely, ...others], { confine, folder, diagnose: options.diagnose })

  async function check(how?: "again"): Promise<Checked> {
    checking = how === "again" ? probe() : (checking ??= probe())
    const found = await checking
    isTried = true
    // What is missing may be installed meanwhile.
    if (!found.works) checking = undefined
    return found
  }

  return {
    async check(how) {
      const found = await check(how)
      return found.works ? { ...working, ...(found.maker === "helper" && { records: true as const }) } : found
    },
    isUntried: () => !isTried,
    async wrap(wanted) {
      const found = wanted.isTrial && !isTried ? { works: true as const, maker: likely } : await check()
      return found.works ? confine(found.maker, wanted) : failed({ why: found.why, fix: found.fix })
    },
    async close() {
      isClosed = true
      placeholders.close()
      await Promise.all([quiet.close(), opened?.then((network) => network.close()), checking])
      sealed.open()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The folders that a policy needs, unless one of their disks is full: then that one. */
function makeFolders(folder: string, { temp, replaced = [] }: Policy): string | undefined {
  for (const made of [temp.folder, ...replaced.map(({ from }) => from)])
    mkdirSync(made, { recursive: true, mode: 0o700 })
  return [folder, temp.folder].find((place) => isFull(place))
}

interface Trying {
  readonly confine: (maker: Maker, wanted: Wanted<Confinable>) => Promise<Result<Confined<Confinable>, Unconfinable>>
  readonly folder: string
  readonly diagnose: SandboxOptions["diagnose"]
}

async function firstThatWorks(makers: readonly Maker[], trying: Trying): Promise<Checked> {
  let last: Checked = { works: false, ...noSandbox }
  for (const maker of makers) {
    last = await tried(maker, trying)
    if (last.works) break
  }
  return last
}

async function tried(maker: Maker, { confine, folder, diagnose }: Trying): Promise<Checked> {
  const policy: Policy = { ...trialPolicy, temp: { folder: join(folder, "trial"), asTmp: false } }
  const trial = await confine(maker, { program: trialProgram, policy, needed: { reads: [], writes: [] } })
  if (!trial.ok) return { works: false, ...trial.failure }
  const said = await failureOf(trial.value)
  if (said === undefined) return { works: true, maker }
  if (/No space left|Disk quota/i.test(said)) return { works: false, ...noRoom(folder, "no space is left") }
  return { works: false, ...((await diagnose?.(said)) ?? notAllowed(said)) }
}

const working = { works: true, backend: "bubblewrap", reports: true } as const

type Checked = { readonly works: true; readonly maker: Maker } | Extract<SandboxCheck, { readonly works: false }>

/** An unreadable file and folder, mounted over what is hidden. */
function openSealed(top: string) {
  const [file, folder] = [join(top, "sealed-file"), join(top, "sealed-folder")]
  return {
    file,
    folder,
    make(): void {
      if (existsSync(folder)) return
      mkdirSync(top, { recursive: true, mode: 0o700 })
      writeFileSync(file, "", { mode: 0 })
      mkdirSync(folder, { mode: 0 })
    },
    /** An unreadable folder cannot be removed with its content. */
    open(): void {
      try {
        chmodSync(folder, 0o700)
      } catch {
        // It was never made, or whatever cleans up behind the session has just removed it.
      }
    },
  }
}

/**
 * A command that cannot write to its temporary folder, or whose attempts cannot be reported, would fail in odd ways.
 */
function isFull(folder: string): boolean {
  const { blocks, bfree, bavail } = statfsSync(folder)
  return blocks > 0 && (process.getuid?.() === 0 ? bfree : bavail) === 0
}

/** Without a network there are no credentials. */
const withOurs = (helper: string, { reads, writes }: MountNeeds, network?: SharedNetwork): MountNeeds => ({
  reads: [helper, ...reads, ...(network?.reads ?? [])],
  writes,
  copies: network?.copies ?? [],
})

/** The minimum, to find out whether anything can be confined. */
const trialPolicy: Omit<Policy, "temp"> = {
  name: "workspace",
  writes: [],
  held: [],
  hidden: [],
  network: { mode: "off", because: "a trial" },
  limits: { processes: 64, memoryBytes: 1 << 30 },
}

const trialProgram: Confinable = { file: "/bin/true", argv: [], cwd: "/", env: {} }

/** Runs a trial; what was said if the program did not run, undefined if it did. */
async function failureOf({ program, started, finish }: Confined<Confinable>): Promise<string | undefined> {
  try {
    const child = Bun.spawn([program.file, ...program.argv], { cwd: "/", env: {}, stdio: ["ignore", "ignore", "pipe"] })
    const [code, said] = await Promise.all([child.exited, new Response(child.stderr).text()])
    return code === 0 && started() ? undefined : said
  } catch (error) {
    return String(error)
  } finally {
    finish()
  }
}

const noBubblewrap: Unconfinable = {
  why: "bubblewrap is not installed",
  fix: "Install it, for example with: apt install bubblewrap",
}

const noSandbox: Unconfinable = {
  why: "there is no sandbox for this system yet",
  fix: "Use Linux, WSL2 or macOS.",
}

const hasEnded: Unconfinable = { why: "the session has ended", fix: "Start it again." }

async function helperOf(confine: SandboxOptions["confine"]): Promise<Result<string, Unconfinable>> {
  try {
    const path = await confine?.()
    return path === undefined ? failed(noHelper) : ok(path)
  } catch (error) {
    return failed({
      why: `its helper program cannot be unpacked: ${error instanceof Error ? error.message : String(error)}`,
      fix: "Make the state folder writable, or set CODEWRIGHT_HOME to one that is.",
    })
  }
}

const noHelper: Unconfinable = { why: "its helper program is missing", fix: "Reinstall Codewright." }

const notAllowed = (said: string): Unconfinable => ({
  why: `bubblewrap does not work here: ${said.trim().split("\n").at(-1) ?? ""}`,
  fix: "Run codewright doctor to see what the system does not allow.",
})

const noRoom = (folder: string, problem: string): Unconfinable => ({
  why: `its files cannot be written in ${folder}: ${problem}`,
  fix: "Free some space there, or make the folder writable.",
})
