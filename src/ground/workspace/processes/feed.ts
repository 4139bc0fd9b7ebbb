/** Runs a program with its whole input and two output streams: within its time and in bounded memory. */

import { closeSync } from "node:fs"
import type { Clock } from "#lib/clock.ts"
import { deferred } from "#lib/deferred.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { OpenInput } from "./inputs.ts"
import type { Pipe, Pipes } from "./pipes.ts"
import type { ProcessFailure, ProcessGroups, Program } from "./process-groups.ts"
import { collectBytes } from "./collect-bytes.ts"
import { endsWithin, unreadMs } from "./streams.ts"

export interface Feeding extends Program {
  readonly input: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Per stream; anything after it is read and dropped. */
  readonly mostBytes: number
  /** Called with each part of its output that is kept, as it comes. */
  readonly onOutput?: ((from: "stdout" | "stderr", bytes: Uint8Array) => void) | undefined
}

export interface FedEnd {
  /** Null when a signal ended it. */
  readonly exitCode: number | null
  readonly signal: string | null
  readonly end: "exited" | "timed_out" | "aborted"
  readonly stdout: Uint8Array
  readonly stderr: Uint8Array
  readonly isCut: boolean
}

export interface Fed {
  readonly ended: Promise<FedEnd>
  /** The first line it prints, as soon as it is complete; undefined when it ends without one. */
  readonly firstLine: Promise<string | undefined>
  /** From here on it has this much time, and is aborted by this signal instead of the original one. */
  readonly letGo: (timeoutMs: number, signal: AbortSignal) => void
}

export interface FeedGround {
  readonly clock: Clock
  readonly groups: ProcessGroups
  readonly pipes: Pipes
  readonly openInput: OpenInput
  /** How long to wait for output after the program itself has ended. */
  readonly drainMs: number
}

/** Between the first signal and SIGKILL. */
const graceMs = 1000
/** How long to wait for a process that the kernel does not let die. */
const lastWaitMs = 1000

export function feed(ground: FeedGround, wanted: Feeding): Result<Fed, ProcessFailure> {
  const { groups, pipes } = ground
  if (wanted.signal.aborted) return failed({ kind: "aborted" })
  const input = ground.openInput(wanted.input)
  if (!input.ok) return input
  const pair = [pipes.acquire(), pipes.acquire()] as const
  const [out, err] = pair
  const spawned = groups.spawn(wanted, [out?.writeEnd ?? "pipe", err?.writeEnd ?? "pipe"], input.value)
  closeSync(input.value)
  for (const pipe of pair) pipe?.closeWriteEnd()
  if (!spawned.ok) {
    for (const pipe of pair) pipe?.giveBack("clean")
    return spawned
  }
  const child = spawned.value
  const { mostBytes, onOutput } = wanted
  const stdout = collectBytes(streamOf(child.stdout, out), mostBytes, (bytes) => onOutput?.("stdout", bytes))
  const stderr = collectBytes(streamOf(child.stderr, err), mostBytes, (bytes) => onOutput?.("stderr", bytes))
  const term = openTerm(ground, child.pid, wanted)

  async function toTheEnd(): Promise<FedEnd> {
    const exited = await Promise.race([child.exited, term.isOver])
    term.leaderEnded(ground.drainMs)
    const printed = Promise.all([stdout.ended, stderr.ended])
    const isInTime = (await Promise.race([printed, term.isOver])) !== "over"
    const end = term.close()
    groups.endLeftovers(child.pid)
    const isDrained = isInTime || (await endsWithin(ground.clock, printed, unreadMs))
    await Promise.all([stdout.cancel(), stderr.cancel()])
    for (const pipe of pair) pipe?.giveBack(isDrained ? "clean" : "held")
    const signal = child.signalCode === null ? null : String(child.signalCode)
    return {
      exitCode: exited === "over" || signal !== null ? null : exited,
      signal,
      end,
      stdout: stdout.bytes(),
      stderr: stderr.bytes(),
      isCut: stdout.isCut(),
    }
  }

  return ok({ ended: toTheEnd(), firstLine: stdout.firstLine, letGo: term.letGo })
}

function streamOf(stream: unknown, pipe: Pipe | undefined): ReadableStream<Uint8Array> {
  if (pipe) return Bun.file(pipe.readEnd).stream()
  return stream instanceof ReadableStream ? stream : new ReadableStream({ start: (controller) => controller.close() })
}

/** How long the group may run: its time limit, the grace period after it, and the abort signal. */
function openTerm({ clock, groups }: FeedGround, group: number, first: Pick<Feeding, "timeoutMs" | "signal">) {
  const over = deferred<"over">()
  const cancels: (() => void)[] = []
  let end: FedEnd["end"] = "exited"
  let isDone = false
  let release = (): void => {}

  const later = (ms: number, callback: () => void): void => void cancels.push(clock.after(ms, callback))
  function stop(why: Exclude<FedEnd["end"], "exited">): void {
    // Once it is done, its number may belong to someone else.
    if (isDone || end !== "exited") return
    end = why
    groups.signal(group, "SIGTERM")
    later(graceMs, () => {
      groups.signal(group, "SIGKILL")
      later(lastWaitMs, () => over.resolve("over"))
    })
  }
  function limit(timeoutMs: number, signal: AbortSignal): void {
    release()
    const onAbort = (): void => stop("aborted")
    const cancel = clock.after(timeoutMs, () => stop("timed_out"))
    signal.addEventListener("abort", onAbort, { once: true })
    release = () => {
      cancel()
      signal.removeEventListener("abort", onAbort)
    }
    if (signal.aborted) onAbort()
  }
  limit(first.timeoutMs, first.signal)

  return {
    isOver: over.promise,
    letGo: limit,
    /**
     * A program that ended by itself is done; one that was told to end has its grace period, including its children.
     */
    leaderEnded(drainMs: number): void {
      if (end === "exited") later(drainMs, () => over.resolve("over"))
    },
    close(): FedEnd["end"] {
      isDone = true
      release()
      for (const cancel of cancels) cancel()
      return end
    },
  }
}
