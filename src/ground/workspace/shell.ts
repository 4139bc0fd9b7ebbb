/** Runs command lines in a shell that is known: to their end, in the background, or first one and then the other. */

import { deferred } from "#lib/deferred.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { type Background, type BackgroundCommand, mostRunning } from "./background.ts"
import type { Job } from "./job.ts"
import type { Output, OutputLimits } from "./output.ts"
import type { Processes, Ran } from "./process.ts"
import type { ProcessFailure, Program } from "./process-groups.ts"
import { type ShellProgram, shellProgram, type ShellProgramOptions } from "./shell-program.ts"
import type { Snapshot } from "./snapshot.ts"

export interface ShellStart {
  readonly command: string
  readonly cwd: string
  readonly signal: AbortSignal
  readonly limits: OutputLimits
  /** It runs unasked because it only reads: without the person's profile, and with nothing switched on that starts programs. */
  readonly onlyReads?: boolean
}

export interface ShellRun extends ShellStart {
  readonly timeoutMs: number
  readonly onOutput?: (chunk: Uint8Array) => void
  /** By which it can be moved to the background; without it, it cannot. */
  readonly callId?: string
}

export interface ShellRan extends Ran {
  readonly kind: "ran"
  /** The folder the shell was in at its end; absent when it was replaced or killed and could not tell. */
  readonly cwd?: string
  /** What went wrong before the command, said once. */
  readonly note?: string
}

/** The command goes on in the background. */
export interface ShellMoved {
  readonly kind: "moved"
  readonly background: BackgroundCommand
  /** What it printed so far. */
  readonly output: Output
  readonly note?: string
}

export interface ShellStarted {
  readonly background: BackgroundCommand
  readonly note?: string
}

export interface Shell {
  /** Prepares what the first command would wait for. */
  readonly warm: () => void
  /** Runs a command to its end, or until someone moves it to the background. */
  readonly run: (run: ShellRun) => Promise<Result<ShellRan | ShellMoved, ProcessFailure>>
  /** Starts a command in the background. */
  readonly start: (start: ShellStart) => Promise<Result<ShellStarted, ProcessFailure>>
  /** Lets the command that was started last go on in the background, so that its call is answered at once; whether there is one. */
  readonly moveToBackground: () => boolean
}

export interface ShellOptions extends ShellProgramOptions {
  readonly processes: Processes
  readonly background: Background
  readonly snapshot: Snapshot
  /** Files that are read before each command, each if it is there. */
  readonly envFiles?: readonly string[]
  /** Shuts in a command that may only read; `needed` are folders of ours that it must be able to write. */
  readonly enclose?: Enclose
}

export type Enclose = <P extends Program>(program: P, needed: readonly string[]) => Promise<P>

/** Only for the moment until a background command is let go. */
const noTimeLimitMs = 60_000

export function openShell(options: ShellOptions): Shell {
  const { processes, background, snapshot, envFiles = [] } = options
  const movable = new Map<string, () => void>()

  async function launch(
    wanted: Omit<ShellRun, "callId">,
  ): Promise<Result<{ readonly job: Job; readonly program: ShellProgram }, ProcessFailure>> {
    const onlyReads = wanted.onlyReads === true
    // A function of the person's own could be called like a command that only reads.
    const files = onlyReads ? [] : [await snapshot.ready(wanted.signal), ...envFiles]
    if (wanted.signal.aborted) return failed({ kind: "aborted" })
    const sources = files.filter((file) => file !== undefined)
    const program = shellProgram(options, { command: wanted.command, cwd: wanted.cwd, sources, onlyReads })
    if (!program.ok) return program
    const enclosed =
      onlyReads && options.enclose ? await options.enclose(program.value, [options.scratch]) : program.value
    const job = processes.launch({ ...wanted, ...enclosed })
    if (!job.ok) {
      program.value.finish()
      return job
    }
    return ok({ job: job.value, program: program.value })
  }

  function adopt({ job, program }: { readonly job: Job; readonly program: ShellProgram }, command: string) {
    void job.ended.then(() => program.finish())
    return background.adopt(job, command)
  }

  async function run({ callId, ...wanted }: ShellRun): Promise<Result<ShellRan | ShellMoved, ProcessFailure>> {
    const launched = await launch(wanted)
    if (!launched.ok) return launched
    const { job, program } = launched.value
    const moved = deferred<"moved">()
    if (callId !== undefined) movable.set(callId, () => moved.resolve("moved"))
    const end = await Promise.race([job.ended, moved.promise])
    if (callId !== undefined) movable.delete(callId)
    if (end === "moved") {
      const adopted = adopt(launched.value, wanted.command)
      return ok({ kind: "moved", background: adopted, output: job.output.take(), ...noted() })
    }
    const cwd = program.finish()
    return ok({ kind: "ran", ...end, output: job.output.take(), ...(cwd !== undefined && { cwd }), ...noted() })
  }

  function noted(): { readonly note?: string } {
    const note = snapshot.takeNote()
    return note === undefined ? {} : { note }
  }

  return {
    warm() {
      snapshot.start()
      processes.warm()
    },
    run,
    async start(wanted) {
      if (!background.hasRoom()) return failed({ kind: "too_many", limit: mostRunning })
      const launched = await launch({ ...wanted, timeoutMs: noTimeLimitMs })
      if (!launched.ok) return launched
      return ok({ background: adopt(launched.value, wanted.command), ...noted() })
    },
    moveToBackground() {
      const move = [...movable.values()].at(-1)
      if (move === undefined || !background.hasRoom()) return false
      move()
      return true
    },
  }
}
