/** Runs a command line in the session's shell, of which only the working folder lasts from call to call. */

import { z } from "zod"
import { defineTool } from "#agent/words/define-tool.ts"
import { runs } from "#agent/words/footprint.ts"
import { answered, type ContextChange, type Outcome, refused, type Tool } from "#agent/words/tool.ts"
import { sayProcess } from "#ground/workspace/process-groups.ts"
import type { Shell, ShellRan } from "#ground/workspace/shell.ts"
import type { Clock } from "#lib/clock.ts"
import { type BashLimits, bashDescription } from "./bash-description.ts"
import { reportProgress } from "./bash-progress.ts"

export interface BashGround {
  readonly shell: Shell
  readonly clock: Clock
  readonly cwd: () => string
  /** Whether the shell may stay in a folder. */
  readonly isAllowedFolder: (path: string) => boolean
  readonly limits: BashLimits
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
}

/** How much output is kept on disk, at most. */
const fileBytes = 1_000_000_000

export const bashTool = (ground: BashGround): Tool<BashInput> =>
  defineTool({
    name: "Bash",
    description: bashDescription(ground.limits),
    input: z.object({
      command: z.string().min(1).describe("The command line"),
      timeout: z.int().min(1).optional().describe(`Time limit in ms, at most ${ground.limits.maxTimeoutMs}`),
      description: z.string().optional().describe("What it does, in 5 to 10 words, for the person"),
    }),
    title: ({ command }) => `Bash ${firstLine(command)}`,
    footprint: ({ command }) => runs(command),
    validate: async ({ command }) =>
      command.includes("\0") ? "The command contains a NUL byte, which no shell takes. Leave it out." : undefined,
    // The output has its own limit; what is added around it is short.
    maxResultChars: ground.limits.outputCharacters + 10_000,
    async run(call, context) {
      const cwd = ground.cwd()
      const timeoutMs = Math.min(call.timeout ?? ground.limits.defaultTimeoutMs, ground.limits.maxTimeoutMs)
      const progress = reportProgress(ground.clock, context.progress)
      const ran = await ground.shell.run({
        command: call.command,
        cwd,
        timeoutMs,
        signal: context.signal,
        limits: { characters: ground.limits.outputCharacters, fileBytes },
        onOutput: progress.add,
      })
      progress.stop()
      if (!ran.ok) return refused(sayProcess(ran.failure))
      return outcomeOf(ground, call, ran.value, { cwd, timeoutMs })
    },
  })

interface Circumstances {
  readonly cwd: string
  readonly timeoutMs: number
}

function outcomeOf(ground: BashGround, call: BashInput, ran: ShellRan, { cwd, timeoutMs }: Circumstances): Outcome {
  const output = ran.output.text.trimEnd()
  const moved = folderAfter(ground, ran, cwd)
  const notes = [leftBehindNote(ran), moved.note].filter((note) => note !== undefined)
  const content = [...headOf(ran, output, ground.limits, timeoutMs), ...notes.map((note) => `[${note}]`)].join("\n")
  const more = {
    display: {
      kind: "terminal",
      command: call.command,
      output,
      exitCode: ran.end === "exited" ? ran.exitCode : null,
    },
    data: {
      stdout: output,
      stderr: "",
      interrupted: ran.end !== "exited",
      isImage: false,
      noOutputExpected: isSilent(call.command),
    },
    ...(moved.change && { change: moved.change }),
  } as const
  return ran.end === "exited" && ran.exitCode === 0 ? answered(content, more) : refused(content, more)
}

/** What is said before the notes: how it ended, when that needs saying, and what was printed. */
function headOf(ran: ShellRan, output: string, { maxTimeoutMs }: BashLimits, timeoutMs: number): string[] {
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
      return ["The command was interrupted by the user and ended with all its processes.", printed]
    case "exited": {
      if (ran.exitCode === 0) return [output === "" ? "The command succeeded and printed nothing." : output]
      const killer = ran.signal === null ? [] : [`The command was ended by ${ran.signal}.`]
      return [`Exit code ${ran.exitCode}`, ...killer, ...(output === "" ? [] : [output])]
    }
  }
}

function leftBehindNote({ leftBehind }: ShellRan): string | undefined {
  switch (leftBehind) {
    case "nothing":
      return undefined
    case "ended":
      return "Processes that the command left running were ended with it."
    case "detached":
      return "The command left a detached process running; it is ended with the session at the latest."
  }
}

/** Where the next command starts, and what to say when it is not where this one ended. */
function folderAfter(
  { isAllowedFolder }: BashGround,
  { cwd: folder }: ShellRan,
  before: string,
): { readonly change?: ContextChange; readonly note?: string } {
  if (folder === undefined || folder === before) return {}
  if (isAllowedFolder(folder)) return { change: { kind: "cwd", path: folder } }
  return { note: `The working folder is ${before} again: ${folder} is outside the folders you may work in.` }
}

const firstLine = (command: string): string => {
  const [line = "", ...rest] = command.trim().split("\n")
  return rest.length > 0 ? `${line} …` : line
}

/** Commands that say nothing when all goes well. */
const silent = /^\s*(?:mkdir|touch|cp|mv|rm|rmdir|ln|chmod|chown|cd|export|unset|true|sleep|kill)\b[^|;&<>]*$/

const isSilent = (command: string): boolean => silent.test(command)
