/**
 * Commands that run in the background: each has an id, outlives the call that started it, and ends with the session.
 */

import type { Clock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { LineFilter } from "#ground/workspace/search/filter-lines.ts"
import type { Job, JobEnd } from "./job.ts"
import { type Output, type OutputCollector, type OutputTail, tailOf } from "./output.ts"
import type { SearchFailure } from "#ground/workspace/search/ripgrep.ts"

export type BackgroundStatus = "running" | "completed" | "failed" | "killed"

export interface BackgroundCommand {
  readonly id: string
  readonly command: string
  readonly status: BackgroundStatus
  readonly startedAt: number
  /** Absent while it runs. */
  readonly end?: JobEnd & { readonly at: number }
  readonly lastOutputAt: number
  /** The last bytes it printed, as text; the first line may be partial. */
  readonly recent: string
  /** Where its full output is, if that could be kept. */
  readonly file?: string
  /** Whether the model knows that it has ended. */
  readonly isEndTold: boolean
}

export interface News {
  readonly command: BackgroundCommand
  readonly output: Output
}

export type BackgroundFailure =
  | { readonly kind: "unknown"; readonly id: string; readonly known: readonly BackgroundCommand[] }
  | { readonly kind: "aborted" }
  /** So many are watched already. */
  | { readonly kind: "watches"; readonly most: number }
  | { readonly kind: "filter"; readonly failure: SearchFailure }

export interface Background {
  readonly hasRoom: () => boolean
  /** Takes over a job, whoever started it. */
  readonly adopt: (job: Job, command: string) => BackgroundCommand
  readonly find: (id: string) => BackgroundCommand | undefined
  /** Oldest first. */
  readonly list: () => readonly BackgroundCommand[]
  /** With a filter only the matching lines. Nothing is returned twice. */
  readonly news: (
    id: string,
    wanted: { readonly filter?: string; readonly characters: number; readonly signal: AbortSignal },
  ) => Promise<Result<News, BackgroundFailure>>
  /** Hears what it prints from now on; undefined if it is unknown or has ended. The result unsubscribes. */
  readonly onOutput: (id: string, heard: (chunk: Uint8Array) => void) => (() => void) | undefined
  /** The lines of a text that match. */
  readonly matching: (text: string, pattern: string, signal: AbortSignal) => Promise<Result<string, SearchFailure>>
  /** Waits for the end, but not longer than `ms`. */
  readonly wait: (id: string, ms: number, signal: AbortSignal) => Promise<void>
  readonly kill: (id: string, signal: AbortSignal) => Promise<Result<BackgroundCommand, BackgroundFailure>>
  /** The end of its output, in whole lines; undefined for an unknown command. */
  readonly tail: (id: string) => Promise<OutputTail | undefined>
  /** Returns a function that unsubscribes. */
  readonly onEnd: (listener: (command: BackgroundCommand) => void) => () => void
  readonly markTold: (id: string) => void
  /** An id that the conversation used before it was resumed is not assigned again. */
  readonly reserve: (id: string) => void
}

interface Task {
  readonly id: string
  readonly command: string
  readonly output: OutputCollector
  /** Absent once it has ended: its process and pipes would stay in memory for as long as the command is remembered. */
  job?: Job
  readonly startedAt: number
  lastOutputAt: number
  end?: JobEnd & { readonly at: number }
  /** Unread output of an ended command. */
  last?: Output
  isEndTold: boolean
}

/** More at once is not work but a mistake. */
export const mostRunning = 50
/** How many ended commands are remembered. */
const mostEnded = 200
/** Longer than a command's grace period; it ends sooner. */
const killWaitMs = 60_000

export function openBackground({
  clock,
  filterLines,
}: {
  readonly clock: Clock
  readonly filterLines: LineFilter
}): Background {
  const tasks = new Map<string, Task>()
  const listeners = new Set<(command: BackgroundCommand) => void>()
  let lastNumber = 0

  const isRunning = (task: Task): boolean => task.end === undefined

  function adopt(job: Job, command: string): BackgroundCommand {
    const task = begunTask({ id: `bash_${++lastNumber}`, command, job, startedAt: clock.now() })
    job.letGo()
    job.output.keepAll()
    tasks.set(task.id, task)
    void job.ended.then((end) => {
      endTask(task, { ...end, at: clock.now() })
      forgetOldest()
      const ended = shown(task)
      for (const listener of listeners) listener(ended)
    })
    return shown(task)
  }

  function forgetOldest(): void {
    const ended = [...tasks.values()].filter((task) => !isRunning(task))
    if (ended.length <= mostEnded) return
    const oldest = ended.find(({ isEndTold }) => isEndTold) ?? ended[0]
    if (oldest) tasks.delete(oldest.id)
  }

  function takeNews(task: Task): News {
    if (!task.end) return { command: shown(task), output: task.output.finish() }
    const output = task.last ?? task.output.finish()
    delete task.last
    task.isEndTold = true
    return { command: shown(task), output }
  }

  const unknown = (id: string): Result<never, BackgroundFailure> =>
    failed({ kind: "unknown", id, known: [...tasks.values()].map(shown) })

  return {
    hasRoom: () => [...tasks.values()].filter(isRunning).length < mostRunning,
    adopt,
    find(id) {
      const task = tasks.get(id)
      return task && shown(task)
    },
    list: () => [...tasks.values()].map(shown),
    async news(id, { filter, characters, signal }) {
      const task = tasks.get(id)
      if (!task) return unknown(id)
      if (signal.aborted) return failed({ kind: "aborted" })
      if (filter === undefined) return ok(takeNews(task))
      // Asked before anything is taken, so that a mistake in it loses nothing.
      const understood = await filterLines.check(filter, signal)
      if (!understood.ok) return failed({ kind: "filter", failure: understood.failure })
      const { command, output } = takeNews(task)
      const fitting = await filterLines.pick({
        output,
        whole: task.output.whole(),
        pattern: filter,
        characters,
        signal,
      })
      if (!fitting.ok) return failed({ kind: "filter", failure: fitting.failure })
      return ok({ command, output: { ...output, text: fitting.value } })
    },
    onOutput(id, heard) {
      const task = tasks.get(id)
      return task && isRunning(task) ? task.output.onAdd(heard) : undefined
    },
    matching: matchingBy(filterLines),
    async wait(id, ms, signal) {
      const task = tasks.get(id)
      if (task && isRunning(task)) await endOf(task, ms, signal)
    },
    async kill(id, signal) {
      const task = tasks.get(id)
      if (!task) return unknown(id)
      task.job?.stop()
      if (isRunning(task)) await endOf(task, killWaitMs, signal)
      if (isRunning(task)) return failed({ kind: "aborted" })
      task.isEndTold = true
      return ok(shown(task))
    },
    async tail(id) {
      const task = tasks.get(id)
      return task && tailOf(task.output)
    },
    onEnd(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    markTold(id) {
      const task = tasks.get(id)
      if (task) task.isEndTold = true
    },
    reserve(id) {
      const number = Number(/^bash_(\d{1,9})$/.exec(id)?.[1] ?? 0)
      lastNumber = Math.max(lastNumber, number)
    },
  }

  /** Resolves with the end, after the time, or on abort, whichever is first. */
  async function endOf({ job }: Task, ms: number, signal: AbortSignal): Promise<void> {
    const over = new AbortController()
    const onAbort = (): void => over.abort()
    signal.addEventListener("abort", onAbort, { once: true })
    if (signal.aborted) onAbort()
    void job?.ended.then(onAbort)
    await clock.sleep(ms, over.signal)
    signal.removeEventListener("abort", onAbort)
  }
}

const begunTask = (begun: Pick<Task, "id" | "command" | "startedAt"> & { readonly job: Job }): Task => ({
  ...begun,
  output: begun.job.output,
  lastOutputAt: begun.startedAt,
  isEndTold: false,
})

function endTask(task: Task, end: NonNullable<Task["end"]>): void {
  task.end = end
  // Its text is small; the buffers it was collected in are not.
  task.last = task.output.finish()
  task.lastOutputAt = task.job?.lastOutputAt() ?? end.at
  delete task.job
}

const matchingBy =
  ({ check, pick }: LineFilter): Background["matching"] =>
  async (text, pattern, signal) => {
    if (text === "") {
      const understood = await check(pattern, signal)
      return understood.ok ? ok("") : understood
    }
    const output: Output = { text, bytes: Buffer.byteLength(text), from: 0 }
    return pick({ output, whole: undefined, pattern, characters: text.length, signal })
  }

function shown({ id, command, output, job, startedAt, lastOutputAt, end, isEndTold }: Task): BackgroundCommand {
  const file = output.file()
  return {
    id,
    command,
    status: statusOf(end),
    startedAt,
    ...(end && { end }),
    lastOutputAt: job?.lastOutputAt() ?? lastOutputAt,
    recent: Buffer.from(output.recent()).toString("utf8"),
    ...(file !== undefined && { file }),
    isEndTold,
  }
}

function statusOf(end: JobEnd | undefined): BackgroundStatus {
  if (end === undefined) return "running"
  if (end.end !== "exited") return "killed"
  return end.exitCode === 0 ? "completed" : "failed"
}
