/** Returns what a background command printed since the last call, and its status. */

import * as shape from "#lib/shape.ts"
import { defineTool } from "#agent/words/define-tool.ts"
import { touchesNothing } from "#agent/words/footprint.ts"
import { answered, type Outcome, refused, type Tool } from "#agent/words/tool.ts"
import type { Background, BackgroundFailure, News } from "#ground/workspace/processes/background.ts"
import { sayStatus } from "#ground/workspace/processes/background-words.ts"
import type { Clock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import type { Result } from "#lib/result.ts"
import { knownAs } from "./bash-synonyms.ts"
import { leftBehindNote } from "./left-behind.ts"
import { sayBackground } from "./say-background.ts"

export interface BashOutputGround {
  readonly background: Background
  readonly clock: Clock
  readonly limits: { readonly outputCharacters: number }
  /** Has the session woken when the command prints a line; absent where nothing wakes it. */
  readonly watch?: (ask: OutputWatch, signal: AbortSignal) => Promise<Result<void, BackgroundFailure>>
}

export interface OutputWatch {
  readonly id: string
  readonly pattern: string
  readonly times: number
  readonly ms: number
}

export interface BashOutputInput {
  readonly bash_id: string
  readonly filter?: string | undefined
  readonly block?: boolean | undefined
  readonly timeout?: number | undefined
  readonly watch?: string | undefined
  readonly times?: number | undefined
}

const defaultWaitMs = 30_000
const mostWaitMs = 600_000
const defaultWatchMs = 3_600_000
const mostWatchMs = 24 * 3_600_000
const mostTimes = 20

const description =
  "Gives what a background command printed since the last call, and whether it runs, completed, failed or was killed. You are told when one ends, so do not poll; to wait for the end, set block; to be woken by a line, set watch (for a log file, run tail -n 0 -F in the background)."

const input = shape.object({
  bash_id: shape.string().min(1).describe("The id that Bash gave"),
  filter: shape
    .string()
    .min(1)
    .optional()
    .describe("Only lines that match this regular expression; others are skipped"),
  block: shape.boolean().optional().describe("Wait for the end"),
  timeout: shape
    .int()
    .min(0)
    .optional()
    .describe(`With block or watch: at most so many ms (${defaultWaitMs}, ${defaultWatchMs})`),
  watch: shape
    .string()
    .min(1)
    .optional()
    .describe("Return now, and be told of lines it prints later that match this regular expression"),
  times: shape.int().min(1).optional().describe(`With watch: how often (1, at most ${mostTimes})`),
})

export const bashOutputTool = ({ background, clock, limits, watch }: BashOutputGround): Tool<BashOutputInput> =>
  knownAs(
    { task_id: "bash_id", shell_id: "bash_id" },
    defineTool({
      name: "BashOutput",
      aliases: ["TaskOutput"],
      description,
      input,
      title: ({ bash_id }) => `BashOutput ${bash_id}`,
      footprint: touchesNothing,
      maxResultChars: limits.outputCharacters + 10_000,
      async run({ bash_id, filter, block, timeout, ...wish }, { signal }) {
        const isWatched = wish.watch !== undefined && background.find(bash_id)?.status === "running"
        if (wish.watch !== undefined && !watch) return refused(noWatch)
        if (isWatched && watch) {
          const ms = Math.min(timeout ?? defaultWatchMs, mostWatchMs)
          const times = Math.min(wish.times ?? 1, mostTimes)
          const started = await watch({ id: bash_id, pattern: wish.watch ?? "", times, ms }, signal)
          if (!started.ok) return refused(sayBackground(started.failure))
        } else if (block) await background.wait(bash_id, Math.min(timeout ?? defaultWaitMs, mostWaitMs), signal)
        const characters = limits.outputCharacters
        const news = await background.news(bash_id, { ...optional("filter", filter), characters, signal })
        return news.ok ? outcomeOf(news.value, filter, clock.now(), isWatched) : refused(sayBackground(news.failure))
      },
    }),
  )

const noWatch = "Nothing can wake you here: this run ends with your answer. Set block to wait for the end instead."

function outcomeOf({ command, output }: News, filter: string | undefined, now: number, isWatched: boolean): Outcome {
  const printed = output.text.trimEnd()
  const note = command.end && leftBehindNote(command.end)
  const content = [
    sayStatus(command, now),
    printed === "" ? nothing(output.bytes, filter) : printed,
    ...(note === undefined ? [] : [`[${note}]`]),
    ...(isWatched ? ["[It is watched: you will be told of matching lines that it prints from now on.]"] : []),
  ].join("\n")
  const exitCode = command.end?.exitCode ?? null
  return answered(content, {
    display: { kind: "terminal", command: command.command, output: printed, exitCode },
    data: {
      shellId: command.id,
      command: command.command,
      status: command.status,
      exitCode,
      stdout: printed,
      stderr: "",
      ...optional("filterPattern", filter),
    },
  })
}

function nothing(bytes: number, filter: string | undefined): string {
  if (filter === undefined || bytes === 0) return "It printed nothing new."
  return "None of the new lines fits the filter."
}
