/** Runs programs within their time, with bounded output, and leaving nothing behind. See decision 10. */

import { join } from "node:path"
import type { Clock } from "#lib/clock.ts"
import type { Ids } from "#lib/ids.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { feed, type Fed, type Feeding } from "./feed.ts"
import { type Job, type JobEnd, openJob, type JobSpec } from "./job.ts"
import type { Output } from "./output.ts"
import { openInputs } from "./inputs.ts"
import { openPipes } from "./pipes.ts"
import { openProcessGroups, type ProcessFailure, type Program } from "./process-groups.ts"
import { streamsOf } from "./streams.ts"
import { openWatchdog } from "./watchdog.ts"

/** How a program ended, and what it printed. */
export interface Ran extends JobEnd {
  readonly output: Output
}

/** A child whose two streams are read separately, for programs of our own such as ripgrep. */
export interface ChildProcess {
  readonly stdout: ReadableStream<Uint8Array>
  readonly stderr: ReadableStream<Uint8Array>
  readonly exited: Promise<number>
  readonly kill: () => void
}

/** A child that is also written to, for programs we talk to as long as both live. */
export interface Talker extends Omit<ChildProcess, "kill"> {
  /** Whether it could be delivered; what is written to an ended program is lost. */
  readonly write: (text: string) => boolean
  readonly endInput: () => void
  readonly signal: (signal: NodeJS.Signals) => void
}

export interface Processes {
  readonly warm: () => void
  /** Starts a program with output and errors in one stream, in order. */
  readonly launch: (run: JobSpec) => Result<Job, ProcessFailure>
  readonly run: (run: JobSpec) => Promise<Result<Ran, ProcessFailure>>
  /** Starts a program of our own; the caller reads both streams and ends it. */
  readonly start: (program: Program) => Result<ChildProcess, ProcessFailure>
  /** Starts a program to talk to; the caller reads both streams and ends it. */
  readonly talk: (program: Program) => Result<Talker, ProcessFailure>
  /** Starts a program with its whole input; output and errors are kept separate. */
  readonly feed: (feeding: Feeding) => Result<Fed, ProcessFailure>
  /** Whether nothing starts any more. */
  readonly isClosed: () => boolean
  /** Ends everything that runs and everything that escaped. */
  readonly close: () => Promise<void>
}

export interface ProcessesOptions {
  readonly clock: Clock
  readonly ids: Ids
  /** A folder for pipes; removed at the end. */
  readonly scratch: string
  /** Between the first signal and SIGKILL. */
  readonly graceMs: number
  /** How long to wait for output after the program itself has ended. */
  readonly drainMs: number
  /** A program and its arguments, in front of each that is started. */
  readonly launcher?: readonly string[] | undefined
}

/** Shutting down must not take long. */
const closingGraceMs = 500

export function openProcesses(options: ProcessesOptions): Processes {
  const { clock, ids, scratch, graceMs, drainMs, launcher } = options
  const groups = openProcessGroups({
    clock,
    watchdog: openWatchdog({ ids, scratch }),
    ...optional("launcher", launcher),
  })
  const pipes = openPipes({ folder: join(scratch, "pipes") })
  const openInput = openInputs({ folder: join(scratch, "inputs"), ids })
  const jobs = new Set<Job>()
  let isClosed = false

  function launch(wanted: JobSpec): Result<Job, ProcessFailure> {
    // Whatever starts once everything is being ended would be left behind.
    if (wanted.signal.aborted || isClosed) return failed({ kind: "aborted" })
    const pipe = pipes.acquire()
    const spawned = groups.spawn(wanted, pipe ? [pipe.writeEnd, pipe.writeEnd] : ["pipe", "pipe"])
    pipe?.closeWriteEnd()
    if (!spawned.ok) {
      pipe?.giveBack("clean")
      return spawned
    }
    const job = openJob({ clock, groups, graceMs, drainMs }, spawned.value, pipe, wanted)
    jobs.add(job)
    void job.ended.then(() => jobs.delete(job))
    return ok(job)
  }

  async function run(wanted: JobSpec): Promise<Result<Ran, ProcessFailure>> {
    const launched = launch(wanted)
    if (!launched.ok) return launched
    const end = await launched.value.ended
    return ok({ ...end, output: launched.value.output.finish() })
  }

  function start(program: Program): Result<ChildProcess, ProcessFailure> {
    const spawned = groups.spawn(program, ["pipe", "pipe"])
    if (!spawned.ok) return spawned
    const child = spawned.value
    const [stdout, stderr] = streamsOf(child, undefined)
    if (stdout === undefined || stderr === undefined) return failed({ kind: "other", message: "it has no output" })
    const exited = child.exited.finally(() => groups.endLeftovers(child.pid))
    return ok({ stdout, stderr, exited, kill: () => void groups.signal(child.pid, "SIGKILL") })
  }

  function talk(program: Program): Result<Talker, ProcessFailure> {
    if (isClosed) return failed({ kind: "aborted" })
    const spawned = groups.spawn(program, ["pipe", "pipe"], "pipe")
    if (!spawned.ok) return spawned
    const child = spawned.value
    const [stdout, stderr] = streamsOf(child, undefined)
    const { stdin } = child
    if (stdout === undefined || stderr === undefined || stdin === undefined || typeof stdin === "number")
      return failed({ kind: "other", message: "it has no input or output" })
    const exited = child.exited.finally(() => groups.endLeftovers(child.pid))
    return ok({
      stdout,
      stderr,
      exited,
      write: (text) => quietly(() => Promise.all([stdin.write(text), stdin.flush()])),
      endInput: () => void quietly(() => Promise.resolve(stdin.end())),
      signal: (signal) => void groups.signal(child.pid, signal),
    })
  }

  return {
    warm() {
      if (isClosed) return
      pipes.prepare()
      groups.warm()
    },
    launch,
    run,
    start,
    talk,
    feed: (feeding) =>
      isClosed ? failed({ kind: "aborted" }) : feed({ clock, groups, pipes, openInput, drainMs }, feeding),
    isClosed: () => isClosed,
    async close() {
      isClosed = true
      const running = [...jobs]
      for (const job of running) job.stop(Math.min(graceMs, closingGraceMs))
      await Promise.all(running.map(({ ended }) => ended))
      await groups.close()
      pipes.close()
    },
  }
}

/** An ended child accepts nothing any more; its end is reported elsewhere. */
function quietly(act: () => Promise<unknown>): boolean {
  try {
    act().catch(() => {})
    return true
  } catch {
    return false
  }
}
