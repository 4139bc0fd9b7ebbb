/** What the programs of a session may use of the machine together: control groups of version 2 (Linux). See decision 181. */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Clock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { errorCode } from "#ground/workspace/failure.ts"

export interface MachineShare {
  /** Processors, such as 1.5. */
  readonly cpus?: number
  readonly memoryMb?: number
  /** Processes and threads at once. */
  readonly processes?: number
  /** Read and written, each, on the disk with the sessions' folders. */
  readonly diskMbPerSecond?: number
}

export interface ControlGroups {
  /** What holds for each group, such as "2 processors and 4096 MB of memory". */
  readonly words: string
  /** A sentence about what does not hold here; absent if all of it does. */
  readonly missing?: string
  /** The failure is a sentence. */
  readonly open: (name: string) => Result<ControlGroup, string>
}

export interface ControlGroup {
  /** What a program writes 0 to in order to be in it. */
  readonly entrance: string
  /** Ends whatever is left in it. */
  readonly close: () => Promise<void>
}

export interface ControlGroupParts {
  readonly share: MachineShare
  /** A folder on the disk that is limited. */
  readonly folder: string
  readonly clock: Clock
  readonly pid: number
  /** Its files; a test has others. */
  readonly kernel?: Kernel
}

export interface Kernel {
  /** Empty if it cannot be read. */
  readonly read: (file: string) => string
  readonly write: (file: string, text: string) => void
  readonly makeGroup: (path: string) => void
  /** Of a disk, as the kernel names it; undefined for what is on none, such as a network. */
  readonly diskOf: (folder: string) => string | undefined
}

/** Fails with a sentence where no limit can be set at all. */
export function openControlGroups(parts: ControlGroupParts): Result<ControlGroups, string> {
  const { share, clock, pid, kernel = linux } = parts
  const limits = limitsOf(share, kernel.diskOf(parts.folder))
  const own = ownGroup(kernel)
  if (own === undefined) return failed(noGroups)
  const there = namesIn(kernel.read(join(own, "cgroup.controllers")))
  const possible = limits.filter(({ controller, text }) => there.includes(controller) && text !== undefined)
  if (possible.length === 0) return failed(notHere(limits))
  const enabled = enable(
    own,
    possible.map(({ controller }) => controller),
    pid,
    kernel,
  )
  if (!enabled.ok) return enabled
  removeLeftovers(own)
  const lacking = limits.filter((limit) => !possible.includes(limit))
  let opened = 0
  return ok({
    words: listed(possible.map(({ words }) => words)),
    ...(lacking.length > 0 && { missing: notHere(lacking) }),
    open(name) {
      const path = join(own, `${prefix}${pid}-${++opened}-${name.replaceAll(/[^\w-]/g, "_").slice(0, 40)}`)
      try {
        kernel.makeGroup(path)
        for (const { file, text } of possible) kernel.write(join(path, file), text ?? "")
      } catch (error) {
        remove(path)
        return failed(`The limits of the session could not be set (${path}: ${errorCode(error) ?? String(error)}).`)
      }
      return ok({ entrance: join(path, "cgroup.procs"), close: () => end(path, kernel, clock) })
    },
  })
}

const prefix = "codewright-"
/** The period of a share of the processor, in microseconds. */
const period = 100_000

interface Limit {
  readonly controller: "cpu" | "memory" | "pids" | "io"
  readonly file: string
  /** Undefined where it cannot be said. */
  readonly text: string | undefined
  readonly words: string
}

function limitsOf(
  { cpus, memoryMb, processes, diskMbPerSecond }: MachineShare,
  disk: string | undefined,
): readonly Limit[] {
  const bytes = (mb: number): number => Math.round(mb * 1_048_576)
  return [
    ...(cpus === undefined
      ? []
      : [
          {
            controller: "cpu",
            file: "cpu.max",
            text: `${Math.round(cpus * period)} ${period}`,
            words: `${cpus} ${cpus === 1 ? "processor" : "processors"}`,
          } as const,
        ]),
    ...(memoryMb === undefined
      ? []
      : [
          {
            controller: "memory",
            file: "memory.max",
            text: `${bytes(memoryMb)}`,
            words: `${memoryMb} MB of memory`,
          } as const,
        ]),
    ...(processes === undefined
      ? []
      : [{ controller: "pids", file: "pids.max", text: `${processes}`, words: `${processes} processes` } as const]),
    ...(diskMbPerSecond === undefined
      ? []
      : [
          {
            controller: "io",
            file: "io.max",
            text: disk && `${disk} rbps=${bytes(diskMbPerSecond)} wbps=${bytes(diskMbPerSecond)}`,
            words: `${diskMbPerSecond} MB a second of disk`,
          } as const,
        ]),
  ]
}

const noGroups =
  "this system has no control groups of version 2. Run the worker on a Linux with cgroup v2 (systemd 247 or later mounts it by itself)."

const notHere = (limits: readonly Limit[]): string =>
  `${listed(limits.map(({ words }) => words))} cannot be limited here: the worker's control group has no ${listed(
    [...new Set(limits.map(({ controller }) => controller))],
    "or",
  )} controller of version 2. With systemd, set Delegate=yes for the worker's unit.`

function listed(names: readonly string[], word = "and"): string {
  const [last = "", ...others] = names.toReversed()
  return others.length === 0 ? last : `${others.toReversed().join(", ")} ${word} ${last}`
}

/** The folder of the group that this process is in. */
function ownGroup({ read }: Kernel): string | undefined {
  const path = /^0::(\/.*)$/m.exec(read("/proc/self/cgroup"))?.[1]
  if (path === undefined) return undefined
  for (const line of read("/proc/self/mountinfo").split("\n")) {
    const [before = "", after = ""] = line.split(" - ")
    if (!after.startsWith("cgroup2 ")) continue
    const [, , , root = "/", at = ""] = before.split(" ").map((word) => word.replaceAll(/\\040/g, " "))
    const below = root === "/" ? path : path === root ? "/" : path.startsWith(`${root}/`) ? path.slice(root.length) : ""
    if (below !== "" && existsSync(join(at, below, "cgroup.controllers"))) return join(at, below)
  }
  return undefined
}

/** Controllers are handed to groups below only if no process is beside them: ours and those it started move into one too. */
function enable(own: string, controllers: readonly string[], pid: number, kernel: Kernel): Result<void, string> {
  const switches = join(own, "cgroup.subtree_control")
  const wanted = controllers.filter((name) => !namesIn(kernel.read(switches)).includes(name))
  if (wanted.length === 0) return ok(undefined)
  const turnOn = (): void => kernel.write(switches, wanted.map((name) => `+${name}`).join(" "))
  try {
    turnOn()
    return ok(undefined)
  } catch (error) {
    if (errorCode(error) !== "EBUSY") return failed(notOurs(own, error))
  }
  const mine = join(own, `${prefix}${pid}-worker`)
  try {
    kernel.makeGroup(mine)
    for (const each of namesIn(kernel.read(join(own, "cgroup.procs"))))
      if (isOurs(Number(each), pid)) kernel.write(join(mine, "cgroup.procs"), each)
    turnOn()
    return ok(undefined)
  } catch (error) {
    return failed(
      errorCode(error) === "EBUSY"
        ? `other programs run in the worker's control group (${own}). Give the worker a unit of its own with Delegate=yes.`
        : notOurs(own, error),
    )
  }
}

const notOurs = (own: string, error: unknown): string =>
  `the worker may not change its control group (${own}: ${errorCode(error) ?? String(error)}). With systemd, set Delegate=yes for its unit.`

/** This process, or one that descends from it. */
function isOurs(pid: number, own: number): boolean {
  for (let at = pid; at > 1;) {
    if (at === own) return true
    const stat = textOf(`/proc/${at}/stat`)
    at = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] ?? 0)
  }
  return false
}

/** Of workers that were killed. */
function removeLeftovers(own: string): void {
  for (const name of readdirSync(own)) {
    const [, pid] = /^codewright-(\d+)-/.exec(name) ?? []
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) void attempt(() => remove(join(own, name)))
  }
}

const [mostTries, pauseMs] = [40, 50]

async function end(path: string, { write }: Kernel, clock: Clock): Promise<void> {
  for (let tries = 0; tries < mostTries; tries++) {
    attempt(() => write(join(path, "cgroup.kill"), "1"))
    if (remove(path)) return
    await clock.sleep(pauseMs, new AbortController().signal)
  }
}

/** With those below it; the kernel refuses while a process is in one. */
function remove(path: string): boolean {
  return attempt(() => {
    for (const entry of readdirSync(path, { withFileTypes: true }))
      if (entry.isDirectory()) remove(join(path, entry.name))
    rmdirSync(path)
  })
}

function attempt(act: () => void): boolean {
  try {
    act()
    return true
  } catch (error) {
    return errorCode(error) === "ENOENT"
  }
}

const namesIn = (text: string): readonly string[] => text.split(/\s+/).filter(Boolean)

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return ""
  }
}

export const linux: Kernel = {
  read: textOf,
  write: (file, text) => writeFileSync(file, text),
  makeGroup: (path) => void mkdirSync(path),
  diskOf(folder) {
    try {
      const { dev } = statSync(folder)
      // As Linux splits a number of a device.
      const name = `${((dev >> 8) & 0xfff) | 0}:${(dev & 0xff) | ((dev >> 12) & 0xfff00)}`
      const about = `/sys/dev/block/${name}`
      if (!existsSync(about)) return undefined
      // Limits are those of a whole disk.
      return existsSync(join(about, "partition")) ? textOf(join(about, "../dev")).trim() || undefined : name
    } catch {
      return undefined
    }
  },
}
