/** Starts children, each in its own process group, and tracks every group until nothing of it is left. */

import { readdirSync, readFileSync } from "node:fs"
import { constants } from "node:os"
import type { Clock } from "#lib/clock.ts"
import { statsOf } from "#lib/quietly.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { errorCode, tooManyOpenWords } from "#ground/workspace/failure.ts"
import { type Watchdog, watchdogShell } from "./watchdog.ts"

export type ProcessFailure =
  | { readonly kind: "no_folder"; readonly path: string }
  | { readonly kind: "no_program"; readonly file: string }
  | { readonly kind: "too_long" }
  | { readonly kind: "aborted" }
  | { readonly kind: "too_many"; readonly limit: number }
  /** It must be confined and cannot be. */
  | { readonly kind: "unconfined"; readonly why: string; readonly fix: string }
  /** It was allowed because it can be undone, and that turned out to be wrong. */
  | { readonly kind: "unkept"; readonly why: string }
  | { readonly kind: "other"; readonly message: string }

export interface Program {
  /** An absolute path and its arguments: never a shell string. */
  readonly file: string
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** Where a child's stream goes: a file descriptor, or a stream to read. */
export type Outlet = number | "pipe"

export interface ProcessGroups {
  /** `inlet`: a pipe to write to the child, a file that it reads, or nothing. */
  readonly spawn: (
    program: Program,
    outlets: readonly [Outlet, Outlet],
    inlet?: "pipe" | number,
  ) => Result<Bun.Subprocess, ProcessFailure>
  readonly warm: () => void
  /** Signals a whole group; whether there was anything to signal. */
  readonly signal: (group: number, signal: NodeJS.Signals) => boolean
  /**
   * Sends SIGTERM to a whole group. The result sends it again to those that have missed it: what neither handles nor
   * ignores it would be gone.
   */
  readonly terminate: (group: number) => () => void
  readonly isAlive: (group: number) => boolean
  /** Ends what the leader of a group left running, gracefully and then with SIGKILL; whether there was anything. */
  readonly endLeftovers: (group: number) => boolean
  readonly close: () => Promise<void>
}

/** How long the rest of a group may take to end by itself after its leader ended. */
export const leftoverGraceMs = 250

export function openProcessGroups({
  clock,
  watchdog,
  launcher = [],
}: {
  readonly clock: Clock
  readonly watchdog: Watchdog
  /** A program and its arguments, in front of each that is started. */
  readonly launcher?: readonly string[]
}): ProcessGroups {
  const groups = new Set<number>()

  function forget(group: number): void {
    groups.delete(group)
    watchdog.release(group)
  }

  return {
    spawn({ file, argv, cwd, env }, outlets, inlet) {
      // A missing folder and a missing program give the same error, so the folder is asked for by itself.
      if (!statsOf(cwd)?.isDirectory()) return failed({ kind: "no_folder", path: cwd })
      const unwatched = attempt(watchdog.wake)
      if (unwatched !== undefined) return failed(spawnFailure(unwatched, watchdogShell))
      const found = launcher.length === 0 ? file : Bun.which(file, { PATH: env["PATH"] ?? "", cwd })
      if (found === null) return failed({ kind: "no_program", file })
      try {
        const child = Bun.spawn([...launcher, found, ...argv], {
          cwd,
          env: { ...env, [watchdog.mark.name]: watchdog.mark.value },
          stdio: [inlet ?? "ignore", ...outlets],
          // Its own session: a group to signal as one, and no terminal to prompt on.
          detached: true,
        })
        groups.add(child.pid)
        watchdog.watch(child.pid)
        return ok(child)
      } catch (error) {
        return failed(spawnFailure(error, file))
      }
    },
    // A command that cannot be watched says so itself.
    warm: () => void attempt(watchdog.wake),
    signal: signalGroup,
    terminate(group) {
      // Looked up first: those that are started to clean up are not told again.
      const before = new Set(livingIn(group))
      // What is started during the look is what misses the signal most often.
      const newest = newestProcess()
      signalGroup(group, "SIGTERM")
      const wasThere = (pid: number): boolean => before.has(pid) || pid <= newest
      return () => livingIn(group)?.forEach((pid) => wasThere(pid) && endsAtOnce(pid) && terminate(pid))
    },
    isAlive: (group) => signalGroup(group, 0) && hasLiving(group),
    endLeftovers(group) {
      if (!signalGroup(group, 0) || !hasLiving(group)) {
        forget(group)
        return false
      }
      signalGroup(group, "SIGTERM")
      clock.after(leftoverGraceMs, () => {
        signalGroup(group, "SIGKILL")
        forget(group)
      })
      return true
    },
    async close() {
      for (const group of groups) signalGroup(group, "SIGTERM")
      await watchdog.close()
      for (const group of groups) signalGroup(group, "SIGKILL")
      groups.clear()
    },
  }
}

/** What it throws. */
function attempt(run: () => void): unknown {
  try {
    run()
    return undefined
  } catch (error) {
    return error ?? "failed"
  }
}

function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, signal)
    return true
  } catch {
    return false
  }
}

/**
 * Linux lets zombies be signalled until they are reaped, and the first process of a container often takes its time.
 * Only checked when a group seems to be left, which is rare.
 */
const hasLiving = (group: number): boolean => livingIn(group)?.length !== 0

/** Undefined where nothing can be known about them. */
function livingIn(group: number): readonly number[] | undefined {
  if (process.platform !== "linux") return undefined
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d/.test(name)) return []
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "latin1")
      // The name in parentheses may contain anything; after it come the state, the parent and the group.
      const [state, , groupOf] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
      return Number(groupOf) === group && state !== "Z" && state !== "X" ? [Number(name)] : []
    } catch {
      return []
    }
  })
}

/** The number of the process that the system started last; 0 where it does not tell. */
function newestProcess(): number {
  try {
    return Number(/\d+$/.exec(readFileSync("/proc/loadavg", "latin1").trim())?.[0] ?? 0)
  } catch {
    return 0
  }
}

const termBit = 1n << BigInt(constants.signals.SIGTERM - 1)

/** Whether SIGTERM ends a process by itself: it does not handle, ignore or block it. */
function endsAtOnce(pid: number): boolean {
  try {
    const masks = readFileSync(`/proc/${pid}/status`, "latin1").matchAll(/^Sig(?:Blk|Ign|Cgt):\s*(\w+)$/gm)
    return masks.every(([, mask = "0"]) => (BigInt(`0x${mask}`) & termBit) === 0n)
  } catch {
    return false
  }
}

function terminate(pid: number): void {
  try {
    process.kill(pid, "SIGTERM")
  } catch {
    // It has ended meanwhile.
  }
}

function spawnFailure(error: unknown, file: string): ProcessFailure {
  const code = errorCode(error)
  if (code === "ENOENT" || code === "EACCES") return { kind: "no_program", file }
  if (code === "E2BIG") return { kind: "too_long" }
  if (code === "EMFILE" || code === "ENFILE") return { kind: "other", message: tooManyOpenWords }
  if (code === "ENOMEM") return { kind: "other", message: noMemoryWords }
  return { kind: "other", message: error instanceof Error ? error.message : String(error) }
}

/** To the model: nothing happened, and trying again asks the user. */
export const notKeptWords = (why: string): string =>
  `Not run: the files could not be kept for undo (${why}). Nothing was changed. Run it again if it is needed; the user will be asked.`

const noMemoryWords =
  "the system has no memory left for it. Wait for other commands to end, or ask the user to free some."

export function sayProcess(failure: ProcessFailure): string {
  switch (failure.kind) {
    case "no_folder":
      return `The working folder ${failure.path} does not exist any more. Name a folder that does, with absolute paths.`
    case "no_program":
      return `${failure.file} is not there or cannot be run. Ask the user to install it.`
    case "too_long":
      return "The command line is too long for the system. Put the long part into a file and name the file."
    case "aborted":
      return "Interrupted before it started."
    case "too_many":
      return `It was not started: ${failure.limit} commands run in the background already. End one with KillShell, or wait for one with BashOutput and block.`
    case "unconfined":
      return `The command was not run, because the sandbox does not work: ${failure.why}. ${failure.fix}`
    case "unkept":
      return notKeptWords(failure.why)
    case "other":
      return `The program could not be started: ${failure.message}`
  }
}
