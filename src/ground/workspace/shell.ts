/** Runs command lines in a known shell: to their end, in the background, or first one and then the other. */

import type { Confinement, Violation } from "#agent/words/confinement.ts"
import { deferred } from "#lib/deferred.ts"
import { given } from "#lib/given.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { type Background, type BackgroundCommand, mostRunning } from "./background.ts"
import type { Job } from "./job.ts"
import type { Output, OutputLimits } from "./output.ts"
import type { Processes, Ran } from "./process.ts"
import type { ProcessFailure, Program } from "./process-groups.ts"
import { type Needed, openShellPrograms, type ShellProgram, type ShellProgramOptions } from "./shell-program.ts"
import type { ReaderWall } from "./shell/reader-wall.ts"
import type { Snapshot } from "./snapshot.ts"

export interface ShellStart {
  readonly command: string
  readonly cwd: string
  readonly signal: AbortSignal
  readonly limits: OutputLimits
  /**
   * It runs without asking because it only reads: without the user's profile, and with nothing enabled that starts
   * programs.
   */
  readonly onlyReads?: boolean
  /** What it must see so that its answers are true; only for what only reads. */
  readonly wall?: ReaderWall
  /** The user decided that it may run outside the sandbox. */
  readonly outside?: boolean
  /** Awaited when all is prepared: if it comes to false, the command is not started. */
  readonly mayStart?: Promise<boolean>
  /** Identifies the call for its connections, and for moving its command to the background. */
  readonly callId?: string
}

export interface ShellRun extends ShellStart {
  readonly timeoutMs: number
  readonly onOutput?: (chunk: Uint8Array) => void
}

export interface ShellRan extends Ran {
  readonly kind: "ran"
  readonly confinement: Confinement
  /** What it tried and could not do because it was confined. */
  readonly violations: readonly Violation[]
  /** The shell's last folder; absent when it was replaced or killed and could not tell. */
  readonly cwd?: string
  /** What went wrong before the command, reported once. */
  readonly note?: string
}

/** The command continues in the background. */
export interface ShellMoved {
  readonly kind: "moved"
  readonly background: BackgroundCommand
  readonly output: Output
  readonly confinement: Confinement
  readonly note?: string
}

export interface ShellStarted {
  readonly confinement: Confinement
  readonly background: BackgroundCommand
  readonly note?: string
}

export interface Shell {
  /** Prepares what the first command would wait for. */
  readonly warm: () => void
  /** Runs a command to its end, or until it is moved to the background. */
  readonly run: (run: ShellRun) => Promise<Result<ShellRan | ShellMoved, ProcessFailure>>
  readonly start: (start: ShellStart) => Promise<Result<ShellStarted, ProcessFailure>>
  /**
   * Moves the command of a call, or the one started last, to the background, so that its call is answered at once;
   * whether there is one.
   */
  readonly moveToBackground: (callId?: string) => boolean
}

export interface ShellOptions extends ShellProgramOptions {
  readonly processes: Processes
  readonly background: Background
  readonly snapshot: Snapshot
  /** Files to read before each command, each if it exists. */
  readonly envFiles?: readonly string[]
  /** Confines commands; without it none is confined. */
  readonly enclose?: Enclose
}

/** After a failure the program must not run. */
export type Enclose = <P extends Program>(wanted: EncloseWanted<P>) => Promise<Result<Enclosed<P>, ProcessFailure>>

export interface EncloseWanted<P extends Program> {
  readonly program: P
  readonly command: string
  /**
   * `reader` for what runs without asking because it only reads, `machine reader` if it has to see the processes and
   * ports of the machine, `outside` if the user decided so.
   */
  readonly hold: "reader" | "machine reader" | "usual" | "outside"
  readonly needed: Needed
  readonly callId?: string
  /** It is enclosed and run once more if it was the first to be confined and that failed. */
  readonly canRepeat: boolean
}

export interface Enclosed<P extends Program> {
  readonly program: P
  readonly confinement: Confinement
  readonly violations: () => readonly Violation[]
  /** After the end: why the program itself was not even started, because the sandbox failed. */
  readonly failure: () => Promise<ProcessFailure | undefined>
  /** It is the first to be confined: after a failure it may be enclosed again, for then it is known what works here. */
  readonly isTrial: boolean
  readonly finish: () => void
}

const open = <P extends Program>(program: P): Enclosed<P> => ({
  program,
  confinement: { by: "none", because: "nothing is confined here" },
  violations: () => [],
  failure: async () => undefined,
  isTrial: false,
  finish: () => {},
})

interface Launched {
  readonly job: Job
  readonly enclosed: Enclosed<ShellProgram>
  /** Removes temporary files; returns the shell's last folder, if it could tell. */
  readonly finish: () => string | undefined
}

/** Only for the moment until a background command is let go. */
const noTimeLimitMs = 60_000

export function openShell(options: ShellOptions): Shell {
  const { processes, background, snapshot, envFiles = [] } = options
  const enclose: Enclose = options.enclose ?? (async ({ program }) => ok(open(program)))
  const programFor = openShellPrograms(options)
  const movable = new Map<string, () => void>()

  async function launch(
    wanted: ShellRun,
    { canRepeat }: Pick<EncloseWanted<Program>, "canRepeat">,
  ): Promise<Result<Launched, ProcessFailure>> {
    const { command, cwd, callId, outside, onlyReads = false, wall, signal } = wanted
    // The user may have a function with the name of a command that only reads.
    const files = onlyReads ? [] : [await snapshot.ready(signal), ...envFiles]
    // The folder for its files is being removed by then.
    if (signal.aborted || processes.isClosed()) return failed({ kind: "aborted" })
    const sources = files.filter((file) => file !== undefined)
    const made = programFor({ command, cwd, sources, onlyReads, ...given("wall", wall) })
    if (!made.ok) return made
    const program = made.value
    const hold = outside ? "outside" : onlyReads ? (wall?.machine ? "machine reader" : "reader") : "usual"
    const { needed } = program
    const wrapped = await enclose({ program, command, hold, needed, canRepeat, ...given("callId", callId) })
    if (!wrapped.ok) {
      program.finish()
      return wrapped
    }
    const enclosed = wrapped.value
    const finish = (): string | undefined => {
      enclosed.finish()
      return program.finish()
    }
    const mayStart = (await wanted.mayStart) ?? true
    const job = mayStart ? processes.launch({ ...wanted, ...enclosed.program }) : failed({ kind: "aborted" } as const)
    if (!job.ok) {
      finish()
      return job
    }
    return ok({ job: job.value, enclosed, finish })
  }

  function adopt({ job, finish }: Launched, command: string): BackgroundCommand {
    void job.ended.then(finish)
    return background.adopt(job, command)
  }

  async function run(wanted: ShellRun): Promise<Result<ShellRan | ShellMoved, ProcessFailure>> {
    const { callId } = wanted
    const launched = await launch(wanted, { canRepeat: true })
    if (!launched.ok) return launched
    const { job, enclosed, finish } = launched.value
    const { confinement } = enclosed
    const moved = deferred<"moved">()
    if (callId !== undefined) movable.set(callId, () => moved.resolve("moved"))
    const end = await Promise.race([job.ended, moved.promise])
    if (callId !== undefined) movable.delete(callId)
    if (end === "moved") {
      const adopted = adopt(launched.value, wanted.command)
      return ok({ kind: "moved", background: adopted, output: job.output.take(), confinement, ...noted() })
    }
    const failure = end.end === "exited" && end.exitCode !== 0 ? await enclosed.failure() : undefined
    const violations = enclosed.violations()
    const cwd = finish()
    if (failure) return enclosed.isTrial ? run(wanted) : failed(failure)
    const output = job.output.take()
    return ok({ kind: "ran", ...end, output, confinement, violations, ...given("cwd", cwd), ...noted() })
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
      const launched = await launch({ ...wanted, timeoutMs: noTimeLimitMs }, { canRepeat: false })
      if (!launched.ok) return launched
      const { confinement } = launched.value.enclosed
      return ok({ background: adopt(launched.value, wanted.command), confinement, ...noted() })
    },
    moveToBackground(callId) {
      const move = callId === undefined ? [...movable.values()].at(-1) : movable.get(callId)
      if (move === undefined || !background.hasRoom()) return false
      move()
      return true
    },
  }
}
