/** One running program: its output, how it ends, and who may end it earlier. */

import { constants } from "node:os"
import type { Clock } from "#lib/clock.ts"
import { deferred } from "#lib/deferred.ts"
import { collectOutput, type OutputCollector, type OutputLimits } from "./output.ts"
import type { OutputRoom } from "./output-room.ts"
import type { Pipe } from "./pipes.ts"
import { leftoverGraceMs, type ProcessGroups, type Program } from "./process-groups.ts"
import { endsWithin, readAll, streamsOf, unreadMs } from "./streams.ts"

export interface JobSpec extends Program {
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly limits: OutputLimits
  /** Where the full output goes when it exceeds the limit. */
  readonly outputFile: string
  readonly outputRoom?: OutputRoom
  readonly onOutput?: (chunk: Uint8Array) => void
  /** Between the first signal and SIGKILL, if not the default. */
  readonly graceMs?: number
}

export interface JobEnd {
  /** As in a shell: 128 plus the signal number for a program ended by a signal. */
  readonly exitCode: number
  readonly signal: string | null
  /** `killed` when it was stopped by id, `aborted` when no one waited for it any more. */
  readonly end: "exited" | "timed_out" | "aborted" | "killed"
  /** What became of processes the program left running: ended, or out of reach until the workspace closes. */
  readonly leftBehind: "nothing" | "ended" | "detached"
}

export interface Job {
  readonly ended: Promise<JobEnd>
  readonly output: OutputCollector
  /** When it last printed something; its start until then. */
  readonly lastOutputAt: () => number
  /** Removes its time limit and its abort signal; it continues until it ends or is stopped. */
  readonly letGo: () => void
  /** Ends all of its processes, gracefully and then, after the grace period, with SIGKILL. */
  readonly stop: (graceMs?: number) => void
}

export interface JobGround {
  readonly clock: Clock
  readonly groups: ProcessGroups
  readonly graceMs: number
  readonly drainMs: number
}

/** How long a process that has closed its output may take to exit. */
const goingMs = 20
/** A program that was just being started when it was told to end may have missed it. */
const againMs = 100
/** How long to wait for a process that the kernel does not let die. */
const lastWaitMs = 1000

export function openJob(ground: JobGround, child: Bun.Subprocess, pipe: Pipe | undefined, run: JobSpec): Job {
  const { clock, groups, drainMs } = ground
  const output = collectOutput({ limits: run.limits, file: run.outputFile, room: run.outputRoom })
  let lastOutputAt = clock.now()
  const streams = readAll(streamsOf(child, pipe), (chunk) => {
    lastOutputAt = clock.now()
    output.add(chunk)
    run.onOutput?.(chunk)
  })
  const term = limitTerm(ground, child.pid, run)

  async function toTheEnd(): Promise<JobEnd> {
    const exited = await Promise.race([child.exited, term.isOver])
    term.leaderEnded(drainMs)
    const isDrained = (await Promise.race([streams.ended, term.isOver])) !== "over"
    const end = term.end()

    // The last writer closes the pipe a moment before it is gone; such a one is not left behind.
    if (isDrained && groups.isAlive(child.pid)) await clock.sleep(goingMs, run.signal)
    const hadLeftovers = groups.endLeftovers(child.pid)
    // A process that keeps the pipe open although the whole group was told to end has left the group.
    const isHeld =
      !isDrained && !(await endsWithin(clock, streams.ended, hadLeftovers ? leftoverGraceMs * 2 : unreadMs))
    await streams.cancel()
    pipe?.giveBack(isDrained ? "clean" : "held")
    output.close()
    return {
      exitCode: exited === "over" ? 128 + constants.signals.SIGKILL : exited,
      signal: child.signalCode === null ? null : String(child.signalCode),
      end,
      leftBehind: isHeld ? "detached" : hadLeftovers ? "ended" : "nothing",
    }
  }

  return {
    ended: toTheEnd(),
    output,
    lastOutputAt: () => lastOutputAt,
    letGo: term.letGo,
    stop: (graceMs) => term.stop("killed", graceMs),
  }
}

/** Limits how long a group may run: its time limit, the grace period after it, and the abort signal. */
function limitTerm({ clock, groups, graceMs: usualGraceMs }: JobGround, group: number, run: JobSpec) {
  const { timeoutMs, signal, graceMs = usualGraceMs } = run
  const over = deferred<"over">()
  const cancels: (() => void)[] = []
  let end: JobEnd["end"] = "exited"
  let isDone = false

  function stop(why: Exclude<JobEnd["end"], "exited">, grace = graceMs): void {
    // Once it is done, its number may belong to someone else.
    if (isDone) return
    // Told to end already, it can only be given less time for it.
    if (end === "exited") {
      end = why
      remind(groups.terminate(group))
    }
    later(grace, () => {
      groups.signal(group, "SIGKILL")
      later(lastWaitMs, () => over.resolve("over"))
    })
  }
  function remind(those: () => void): void {
    later(againMs, () => {
      those()
      remind(those)
    })
  }
  function later(ms: number, callback: () => void): void {
    cancels.push(clock.after(ms, callback))
  }
  const onAbort = (): void => stop("aborted")
  const cancelTimeout = clock.after(timeoutMs, () => stop("timed_out"))
  signal.addEventListener("abort", onAbort, { once: true })

  function letGo(): void {
    signal.removeEventListener("abort", onAbort)
    cancelTimeout()
  }

  return {
    isOver: over.promise,
    stop,
    letGo,
    /**
     * A program that ended by itself is done; one that was told to end has its grace period, including its children.
     */
    leaderEnded(drainMs: number): void {
      if (end === "exited") later(drainMs, () => over.resolve("over"))
    },
    end(): JobEnd["end"] {
      isDone = true
      letGo()
      for (const cancel of cancels) cancel()
      return end
    },
  }
}
