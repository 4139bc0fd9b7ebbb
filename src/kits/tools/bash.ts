/** Runs a command line in the session's shell; only the working folder persists between calls. */

import * as shape from "#lib/shape.ts"
import type { Readable } from "#lib/shape.ts"
import type { Violation } from "#agent/words/confinement.ts"
import { defineTool } from "#agent/words/define-tool.ts"
import { runs, runsReading } from "#agent/words/footprint.ts"
import { interrupterOf } from "#agent/words/interruption.ts"
import { answered, type ContextChange, type Outcome, refused, type Tool } from "#agent/words/tool.ts"
import { type ProcessFailure, sayProcess } from "#ground/workspace/processes/process-groups.ts"
import type { Shell, ShellMoved, ShellRan, ShellStarted } from "#ground/workspace/shell.ts"
import type { Clock } from "#lib/clock.ts"
import { counted } from "#lib/figures.ts"
import { optional } from "#lib/optional.ts"
import type { JsonObject } from "#lib/json.ts"
import { type BashLimits, type BashSandbox, bashDescription } from "./bash-description.ts"
import { reportProgress } from "./bash-progress.ts"
import { attempts, confinementData, ownLoopbackNote, refusalLine, refusalNote, untoldRefusals } from "./confined.ts"
import { leftBehindNote } from "./left-behind.ts"

export interface BashGround {
  readonly shell: Shell
  readonly clock: Clock
  readonly cwd: () => string
  /** Where commands run if the working folder is gone. */
  readonly root: string
  /** Whether the shell may stay in a folder. */
  readonly isAllowedFolder: (path: string) => boolean
  readonly limits: BashLimits
  /** Tells which commands are read-only; when absent, none is known to be. */
  readonly knownReads?: KnownReads
  /** Starts what the first command would wait for; does nothing once started. */
  readonly begin?: () => void
  /** Defined where the sandbox is on. */
  readonly sandbox?: BashSandbox | undefined
}

export interface KnownReads {
  /** Undefined once it is loaded; before that no command is known to be read-only. */
  readonly load: () => Promise<void> | undefined
  /** The paths that a command reads, if it certainly does nothing else, inside the workspace. */
  readonly readsOnly: (command: string, cwd: string) => readonly string[] | undefined
  /** Whether a command consists of basic readers: at most they look up user names, and can do without an answer. */
  readonly isBasic: (command: string, cwd: string) => boolean
}

export const defaultBashLimits: BashLimits = {
  defaultTimeoutMs: 120_000,
  maxTimeoutMs: 600_000,
  outputCharacters: 30_000,
}

export interface BashInput {
  readonly command: string
  readonly timeout?: number | undefined
  readonly description?: string | undefined
  readonly run_in_background?: boolean | undefined
  /** Only a request: where the command runs is decided with its permission. */
  readonly dangerouslyDisableSandbox?: boolean | undefined
}

const noBackground = "Nothing runs in the background here. Call it again without run_in_background."

export const bashTool = (ground: BashGround): Tool<BashInput> =>
  defineTool({
    name: "Bash",
    ...(ground.limits.background !== "off" && { movable: true }),
    prepares: true,
    description: bashDescription(ground.limits, ground.sandbox),
    input: inputOf(ground),
    title: (call) => {
      const isOutside = ground.sandbox !== undefined && call.dangerouslyDisableSandbox === true
      const [line = "", ...rest] = call.command.trim().split("\n")
      // Before the line, where nothing cuts it off: whoever decides from a list must see that there is more.
      const lines = rest.length > 0 ? ` (${rest.length + 1} lines)` : ""
      const where = `Bash${isOutside ? " outside the sandbox" : ""}${lines}${isOutside || lines !== "" ? ":" : ""}`
      return `${where} ${line}${call.run_in_background ? " (in the background)" : ""}`
    },
    // A command that is certainly read-only may run in parallel.
    footprint: ({ command, run_in_background }) => {
      const paths = ground.knownReads?.readsOnly(command, ground.cwd())
      return paths && !run_in_background ? runsReading(command, ...paths) : runs(command)
    },
    warm() {
      const loading = ground.knownReads?.load()
      ground.begin?.()
      return loading
    },
    validate: async ({ command, run_in_background }) => {
      if (command.includes("\0")) return "The command contains a NUL byte, which no shell takes. Leave it out."
      return run_in_background && ground.limits.background === "off" ? noBackground : undefined
    },
    // The output has its own limit; what is added around it is short.
    maxResultChars: ground.limits.outputCharacters + 10_000,
    async run(call, context) {
      const cwd = ground.cwd()
      const limits = { characters: ground.limits.outputCharacters }
      const { signal, boundary, recorded, callId, traceparent } = context
      const mayStart = recorded?.then((instead) => instead === undefined)
      const wanted = {
        command: call.command,
        cwd,
        signal,
        limits,
        callId,
        ...optional("boundary", boundary),
        ...optional("mayStart", mayStart),
        ...optional("traceparent", traceparent),
      }
      if (call.run_in_background) {
        const started = await ground.shell.start(wanted)
        if (started.ok) return startedOutcome(call, started.value)
        return (await recorded) ?? notRun(started.failure, ground)
      }
      const timeoutMs = Math.min(call.timeout ?? ground.limits.defaultTimeoutMs, ground.limits.maxTimeoutMs)
      const progress = reportProgress(ground.clock, context.progress)
      const ran = await ground.shell.run({ ...wanted, timeoutMs, onOutput: progress.add })
      progress.stop()
      if (!ran.ok) return (await recorded) ?? notRun(ran.failure, ground)
      if (ran.value.kind === "moved") return movedOutcome(call, ran.value)
      return outcomeOf(ground, call, ran.value, { cwd, timeoutMs, signal })
    },
  })

function inputOf({ limits, sandbox }: BashGround): Readable<BashInput> {
  const all = shape.object({
    command: shape.string().min(1).describe("The command line"),
    timeout: shape.int().min(1).optional().describe(`Time limit in ms, at most ${limits.maxTimeoutMs}`),
    description: shape.string().optional().describe("What it does, in 5 to 10 words, for the user"),
    run_in_background: shape.boolean().optional(),
    dangerouslyDisableSandbox: shape
      .boolean()
      .optional()
      .describe("Run it outside the sandbox, after asking the user: only when the sandbox has refused what it needs"),
  })
  const { dangerouslyDisableSandbox, run_in_background, ...offered } = all.json.properties as JsonObject
  // Accepted even if they are not offered: the answer is then about the sandbox or the background, not an unknown field.
  const properties = {
    ...offered,
    ...optional("run_in_background", limits.background === "off" ? undefined : run_in_background),
    ...optional("dangerouslyDisableSandbox", sandbox?.mayLeave ? dangerouslyDisableSandbox : undefined),
  }
  return { ...all, json: { ...all.json, properties } }
}

function notRun(failure: ProcessFailure, { root, cwd }: BashGround): Outcome {
  if (failure.kind === "no_folder" && failure.path !== root && failure.path === cwd())
    return homeless(failure.path, root)
  return refused(sayProcess(failure))
}

/** The command may have been meant for the folder that is gone, so it is not run elsewhere. */
const homeless = (gone: string, root: string): Outcome =>
  refused(
    `The command was not run: the working folder ${gone} does not exist any more. It is ${root} now; repeat the command if it is right there.`,
    { change: { kind: "cwd", path: root } },
  )

function startedOutcome(call: BashInput, { background: { id, file }, confinement, note }: ShellStarted): Outcome {
  const content = [
    `Started in the background as ${id}. BashOutput gives what it prints, KillShell ends it; you will be told when it ends.`,
    ...(file === undefined ? [] : [`All of its output goes to ${file}.`]),
    ...bracketed([note]),
  ].join("\n")
  return answered(content, {
    display: { kind: "terminal", command: call.command, output: `(runs in the background as ${id})`, exitCode: null },
    data: { ...plainData(call, ""), ...confinementData(confinement), backgroundTaskId: id },
  })
}

function movedOutcome(call: BashInput, moved: ShellMoved): Outcome {
  const { background, output, confinement, note } = moved
  const { id, file } = background
  const printed = output.text.trimEnd()
  const content = [
    `The user moved this command to the background, where it continues as ${id}. BashOutput gives what it prints from now on, KillShell ends it; you will be told when it ends.`,
    ...(file === undefined ? [] : [`All of its output goes to ${file}.`]),
    printed === "" ? "It printed nothing so far." : `What it printed so far:\n${printed}`,
    ...bracketed([note]),
  ].join("\n")
  return answered(content, {
    display: {
      kind: "terminal",
      command: call.command,
      output: [...(printed === "" ? [] : [printed]), `(continues in the background as ${id})`].join("\n"),
      exitCode: null,
    },
    data: { ...plainData(call, printed), ...confinementData(confinement), backgroundTaskId: id },
  })
}

const bracketed = (notes: readonly (string | undefined)[]): string[] =>
  notes.flatMap((note) => (note === undefined ? [] : [`[${note}]`]))

/** The result for programs. */
const plainData = (call: BashInput, stdout: string) => ({
  stdout,
  stderr: "",
  interrupted: false,
  isImage: false,
  noOutputExpected: isSilent(call.command),
})

interface BashRun {
  readonly cwd: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

function outcomeOf(ground: BashGround, call: BashInput, ran: ShellRan, { cwd, timeoutMs, signal }: BashRun): Outcome {
  const output = ran.output.text.trimEnd()
  const moved = folderAfter(ground, ran, cwd)
  const isGood = ran.end === "exited" && ran.exitCode === 0
  const loopback = isGood ? undefined : ownLoopbackNote(output, ran.confinement)
  const isNameLookup = (each: Violation): boolean =>
    each.kind === "socket" &&
    each.path === undefined &&
    (loopback !== undefined || ground.knownReads?.isBasic(call.command, cwd) === true)
  // If the command succeeded, denied attempts do not matter, except that a missing network explains its output.
  const untold = untoldRefusals(ran.violations, ran.confinement)
  const denied = isGood ? untold : ran.violations.filter((each) => !isNameLookup(each))
  const withheld = isGood ? [] : attempts(denied)
  const refusal =
    denied.length > 0 ? refusalNote(denied, ran.confinement, ground.sandbox?.mayLeave === true) : undefined
  const notes = bracketed([
    leftBehindNote(ran),
    moved.note,
    ran.note,
    refusal,
    loopback && `${loopback}.`,
    ...ran.setAside,
  ])
  const content = [...headOf(ran, output, ground.limits, { timeoutMs, signal }), ...notes].join("\n")
  const more = {
    display: {
      kind: "terminal",
      command: call.command,
      output: [
        ...(output === "" ? [] : [forPeople(ran.output)]),
        ...(withheld.length > 0 ? [refusalLine(withheld)] : []),
        ...(loopback === undefined ? [] : [`(${loopback})`]),
        ...ran.setAside.map((note) => `(${note})`),
      ].join("\n"),
      exitCode: ran.end === "exited" ? ran.exitCode : null,
      ...optional("unshown", ran.output.cut?.lines),
    },
    data: { ...plainData(call, output), ...confinementData(ran.confinement), interrupted: ran.end !== "exited" },
    ...(moved.change && { change: moved.change }),
    ...(withheld.length > 0 && { withheld }),
  } as const
  return isGood ? answered(content, more) : refused(content, more)
}

/** Where the model is told how to read the rest, people are told what is missing. */
function forPeople({ text, cut, file }: ShellRan["output"]): string {
  if (cut === undefined) return text.trimEnd()
  const rest = file === undefined ? "" : `; all of it is in ${file}`
  return text.trimEnd().replace(cut.note, () => `[${counted(cut.lines, "line")} left out${rest}]`)
}

/** What comes before the notes: how it ended, if relevant, and its output. */
function headOf(
  ran: ShellRan,
  output: string,
  { maxTimeoutMs }: BashLimits,
  { timeoutMs, signal }: Pick<BashRun, "timeoutMs" | "signal">,
): string[] {
  const printed = output === "" ? "It printed nothing." : `What it printed until then:\n${output}`
  switch (ran.end) {
    case "timed_out": {
      const advice =
        timeoutMs < maxTimeoutMs
          ? ` Give it more time with timeout (at most ${maxTimeoutMs} ms), or do less at once.`
          : ""
      return [`The command did not end within ${timeoutMs} ms and was ended with all its processes.${advice}`, printed]
    }
    case "aborted":
      return [`The command was interrupted by ${interrupterOf(signal)} and ended with all its processes.`, printed]
    case "killed":
      return ["The command was ended with the session.", printed]
    case "exited": {
      if (ran.exitCode === 0) return [output === "" ? "The command succeeded and printed nothing." : output]
      return [`Exit code ${ran.exitCode}`, ...killerLine(ran), ...(output === "" ? [] : [output])]
    }
  }
}

/** Of what was ended by SIGKILL: 128 and the signal. */
const killedCode = 137

/** Nobody but the system, or the command itself, sends SIGKILL while a command is not being ended. */
function killerLine({ signal, exitCode, violations }: ShellRan): readonly string[] {
  if (exitCode !== killedCode) return signal === null ? [] : [`The command was ended by ${signal}.`]
  const what = signal === null ? "A process of the command" : "The command"
  // The limit of the sandbox has words of its own.
  if (violations.some(({ kind }) => kind === "limit")) return [`${what} was ended by SIGKILL.`]
  return [
    `${what} was ended by SIGKILL, as the system does when memory runs out. If that may be why, do less at once before you run it again.`,
  ]
}

/** Where the next command starts, and a note if that is not where this one ended. */
function folderAfter(
  { isAllowedFolder, limits }: BashGround,
  { cwd: folder }: ShellRan,
  before: string,
): { readonly change?: ContextChange; readonly note?: string } {
  if (folder === undefined || folder === before) return {}
  if (limits.staysInProject) return { note: `The working folder is ${before} again: every command starts there.` }
  if (isAllowedFolder(folder)) return { change: { kind: "cwd", path: folder } }
  return { note: `The working folder is ${before} again: ${folder} is outside the folders you may work in.` }
}

/** Commands that print nothing on success. */
const silent = /^\s*(?:mkdir|touch|cp|mv|rm|rmdir|ln|chmod|chown|cd|export|unset|true|sleep|kill)\b[^|;&<>]*$/

const isSilent = (command: string): boolean => silent.test(command)
