/** Runs command lines in a known shell: to their end, in the background, or first one and then the other. */

import { type Boundary, byUser } from "#agent/words/boundary.ts"
import type { Confinement, Violation } from "#agent/words/confinement.ts"
import { deferred } from "#lib/deferred.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { type Background, type BackgroundCommand, mostRunning } from "./processes/background.ts"
import type { Job } from "./processes/job.ts"
import { folderOfPart } from "./line-parts.ts"
import type { Output, OutputLimits } from "./processes/output.ts"
import type { Enclose, Enclosed, EncloseWanted } from "./enclose.ts"
import { type ConfinedLine, openPartConfinement } from "./part-confinement.ts"
import type { Processes, Ran } from "./processes/process.ts"
import type { ProcessFailure, Program } from "./processes/process-groups.ts"
import { openEnvironments, openShellPrograms, type ShellProgram, type ShellProgramOptions } from "./shell-program.ts"
import type { Snapshot } from "./snapshot.ts"

export interface ShellStart {
  readonly command: string
  readonly cwd: string
  readonly signal: AbortSignal
  readonly limits: OutputLimits
  /**
   * What its permission confines it to; by the user when absent. What was only judged also runs without the user's
   * profile, and with nothing enabled that starts programs.
   */
  readonly boundary?: Boundary
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
  /** What was done about what it left behind that would act outside the sandbox, as sentences. */
  readonly setAside: readonly string[]
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

const open = <P extends Program>(program: P): Enclosed<P> => ({
  program,
  confinement: { by: "none", because: "nothing is confined here" },
  violations: () => [],
  failure: async () => undefined,
  isTrial: false,
  finish: () => {},
  leftBehind: async () => [],
})

interface Launched {
  readonly job: Job
  readonly enclosed: Enclosed<ShellProgram>
  /** Removes temporary files; returns the shell's last folder, if it could tell. */
  readonly finish: () => string | undefined
}

const withParts = <P extends Program>(line: Enclosed<P>, parts: ConfinedLine): Enclosed<P> => ({
  ...line,
  violations: () => [...line.violations(), ...parts.violations()],
  finish() {
    line.finish()
    parts.finish()
  },
})

/** Only for the moment until a background command is let go. */
const noTimeLimitMs = 60_000

export function openShell(options: ShellOptions): Shell {
  const { processes, background, snapshot, envFiles = [] } = options
  const enclose: Enclose = options.enclose ?? (async ({ program }) => ok(open(program)))
  const programFor = openShellPrograms(options)
  const environmentOf = openEnvironments(options)
  const confineParts = openPartConfinement({
    enclose,
    env: (judged) => environmentOf(folderOfPart, judged),
    ids: options.ids,
  })
  const movable = new Map<string, () => void>()

  async function launch(
    wanted: ShellRun,
    { canRepeat }: Pick<EncloseWanted<Program>, "canRepeat">,
  ): Promise<Result<Launched, ProcessFailure>> {
    const { command, cwd, callId, boundary = byUser, signal } = wanted
    const judged = boundary.by === "judgement" ? boundary : undefined
    // The user may have a function with the name of a command that only reads.
    const files = judged ? [] : [await snapshot.ready(signal), ...envFiles]
    // The folder for its files is being removed by then.
    if (signal.aborted || processes.isClosed()) return failed({ kind: "aborted" })
    const sources = files.filter((file) => file !== undefined)
    const parts = await confineParts({ command, boundary, callId })
    if (!parts.ok) return parts
    const { line, finish: finishParts } = parts.value
    const made = programFor({ ...line, cwd, sources, judged })
    if (!made.ok) {
      finishParts()
      return made
    }
    const program = made.value
    const { needed } = program
    const wrapped = await enclose({ program, boundary, needed, canRepeat, ...optional("callId", callId) })
    if (!wrapped.ok) {
      finishParts()
      program.finish()
      return wrapped
    }
    const enclosed = withParts(wrapped.value, parts.value)
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
      return ok({ kind: "moved", background: adopted, output: job.output.finish(), confinement, ...noted() })
    }
    const failure = end.end === "exited" && end.exitCode !== 0 ? await enclosed.failure() : undefined
    const violations = enclosed.violations()
    const cwd = finish()
    if (failure) return enclosed.isTrial ? run(wanted) : failed(failure)
    const setAside = await enclosed.leftBehind()
    const output = job.output.finish()
    return ok({ kind: "ran", ...end, output, confinement, violations, setAside, ...optional("cwd", cwd), ...noted() })
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
