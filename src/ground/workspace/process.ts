/** Runs programs to their end: within their time, with bounded output, and leaving nothing behind. */

import { constants } from "node:os"
import { join } from "node:path"
import type { Clock } from "#lib/clock.ts"
import { deferred } from "#lib/deferred.ts"
import type { Ids } from "#lib/ids.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { collectOutput, type Output, type OutputLimits } from "./output.ts"
import { openPipes, type Pipe } from "./pipes.ts"
import { leftoverGraceMs, openProcessGroups, type ProcessFailure, type Program } from "./process-groups.ts"
import { openWatchdog } from "./watchdog.ts"

export interface Run extends Program {
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly limits: OutputLimits
  /** Where all of the output goes when it is longer than the limit. */
  readonly outputFile: string
  readonly onOutput?: (chunk: Uint8Array) => void
}

export interface Ran {
  /** As a shell tells it: 128 plus its number for a program ended by a signal. */
  readonly exitCode: number
  readonly signal: string | null
  readonly end: "exited" | "timed_out" | "aborted"
  readonly output: Output
  /** What became of processes the program left running: ended, or out of reach until the workspace closes. */
  readonly leftBehind: "nothing" | "ended" | "detached"
}

/** A child whose two streams are read apart, for programs of our own such as ripgrep. */
export interface Child {
  readonly stdout: ReadableStream<Uint8Array>
  readonly stderr: ReadableStream<Uint8Array>
  readonly exited: Promise<number>
  readonly kill: () => void
}

export interface Processes {
  /** Runs a program to its end with its output and errors in one stream, as they came. */
  readonly run: (run: Run) => Promise<Result<Ran, ProcessFailure>>
  /** Starts a program of our own; whoever starts it reads both streams and ends it. */
  readonly start: (program: Program) => Result<Child, ProcessFailure>
  /** Ends everything that runs and everything that got away. */
  readonly close: () => Promise<void>
}

export interface ProcessesOptions {
  readonly clock: Clock
  readonly ids: Ids
  /** A folder for pipes; it is removed at the end. */
  readonly scratch: string
  /** Between the polite signal and the last one. */
  readonly graceMs: number
  /** How long output is waited for after the program itself has ended. */
  readonly drainMs: number
}

/** How long a process that has closed its output is given to be gone. */
const goingMs = 20
/** A process that the kernel does not let die is not waited for any longer than this. */
const lastWaitMs = 1000

export function openProcesses({ clock, ids, scratch, graceMs, drainMs }: ProcessesOptions): Processes {
  const groups = openProcessGroups({ clock, watchdog: openWatchdog({ ids, scratch }) })
  const pipes = openPipes({ folder: join(scratch, "pipes") })

  async function run(command: Run): Promise<Result<Ran, ProcessFailure>> {
    if (command.signal.aborted) return failed({ kind: "aborted" })
    const pipe = pipes.take()
    const spawned = groups.spawn(command, pipe ? [pipe.writeEnd, pipe.writeEnd] : ["pipe", "pipe"])
    pipe?.closeWriteEnd()
    if (!spawned.ok) {
      pipe?.giveBack("clean")
      return spawned
    }
    const child = spawned.value
    const output = collectOutput({ limits: command.limits, file: command.outputFile })
    const streams = readAll(streamsOf(child, pipe), (chunk) => {
      output.add(chunk)
      command.onOutput?.(chunk)
    })
    const term = limitTerm(child.pid, command)
    const exited = await Promise.race([child.exited, term.isOver])
    term.leaderEnded()
    const isDrained = (await Promise.race([streams.ended, term.isOver])) !== "over"
    const end = term.end()

    // The last writer closes the pipe a moment before it is gone; such a one is not left behind.
    if (isDrained && groups.isAlive(child.pid)) await clock.sleep(goingMs, command.signal)
    const hadLeftovers = groups.endLeftovers(child.pid)
    // Whoever holds the pipe although the whole group was told to end has left the group.
    const isHeld = !isDrained && !(hadLeftovers && (await endsSoon(streams.ended)))
    await streams.cancel()
    pipe?.giveBack(isDrained ? "clean" : "held")
    return ok({
      exitCode: exited === "over" ? 128 + constants.signals.SIGKILL : exited,
      signal: child.signalCode === null ? null : String(child.signalCode),
      end,
      output: output.finish(),
      leftBehind: isHeld ? "detached" : hadLeftovers ? "ended" : "nothing",
    })
  }

  /** Watches over how long a group may go on: its time, the grace after it, and the moment nobody waits any more. */
  function limitTerm(group: number, { timeoutMs, signal }: Run) {
    const over = deferred<"over">()
    const cancels: (() => void)[] = []
    let end: Ran["end"] = "exited"

    function stop(why: "timed_out" | "aborted"): void {
      if (end !== "exited") return
      end = why
      groups.signal(group, "SIGTERM")
      later(graceMs, () => {
        groups.signal(group, "SIGKILL")
        later(lastWaitMs, () => over.resolve("over"))
      })
    }
    const later = (ms: number, callback: () => void): void => void cancels.push(clock.after(ms, callback))
    const onAbort = (): void => stop("aborted")
    later(timeoutMs, () => stop("timed_out"))
    signal.addEventListener("abort", onAbort, { once: true })

    return {
      isOver: over.promise,
      /** A program that ended by itself is done; one that was told to end has its grace, its children included. */
      leaderEnded(): void {
        if (end === "exited") later(drainMs, () => over.resolve("over"))
      },
      end(): Ran["end"] {
        signal.removeEventListener("abort", onAbort)
        for (const cancel of cancels) cancel()
        return end
      },
    }
  }

  async function endsSoon(ended: Promise<unknown>): Promise<boolean> {
    const patience = deferred<"late">()
    const cancel = clock.after(leftoverGraceMs * 2, () => patience.resolve("late"))
    const first = await Promise.race([ended, patience.promise])
    cancel()
    return first !== "late"
  }

  function start(program: Program): Result<Child, ProcessFailure> {
    const spawned = groups.spawn(program, ["pipe", "pipe"])
    if (!spawned.ok) return spawned
    const child = spawned.value
    const [stdout, stderr] = streamsOf(child, undefined)
    if (stdout === undefined || stderr === undefined) return failed({ kind: "other", message: "it has no output" })
    const exited = child.exited.finally(() => groups.endLeftovers(child.pid))
    return ok({ stdout, stderr, exited, kill: () => void groups.signal(child.pid, "SIGKILL") })
  }

  return {
    run,
    start,
    async close() {
      await groups.close()
      pipes.close()
    },
  }
}

function streamsOf(child: Bun.Subprocess, pipe: Pipe | undefined): ReadableStream<Uint8Array>[] {
  if (pipe) return [Bun.file(pipe.readEnd).stream()]
  return [child.stdout, child.stderr].filter((stream) => stream instanceof ReadableStream)
}

/** Reads streams to their end, side by side. */
function readAll(streams: readonly ReadableStream<Uint8Array>[], take: (chunk: Uint8Array) => void) {
  let isCancelled = false
  const readers = streams.map((stream) => stream.getReader())
  const ended = Promise.all(
    readers.map(async (reader) => {
      for (;;) {
        const { done, value } = await reader.read()
        if (done || isCancelled) return
        take(value)
      }
    }),
  )
  return {
    ended,
    async cancel(): Promise<void> {
      isCancelled = true
      await Promise.all(readers.map((reader) => reader.cancel()))
    },
  }
}
