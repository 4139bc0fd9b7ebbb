/** The host of background sessions: opens each that has something to do, and ends when none is left. See decision 141. */

import { type HeldJob, holdJob, type HoldJob } from "./hold-job.ts"
import type { BackgroundJob } from "./job.ts"
import { type LogProgress, loopDueAt } from "./progress.ts"
import type { Schedules } from "./schedules.ts"

export interface BackgroundHostParts extends HoldJob {
  /** How many are open at the same time; those that wait for a person are not open. */
  readonly most: number
  /** Runs of later and again. */
  readonly schedules: Pick<Schedules, "startDue" | "dueAt">
  /** Called for each, whether or not there is something to do for it. */
  readonly seen: (id: string) => void
  /** The log of a session as it is now. */
  readonly read: (id: string) => ReadLog
}

export interface ReadLog {
  /** 0 if there is none yet. */
  readonly bytes: number
  /** Another process has it open. */
  readonly isHeld: boolean
  readonly progress: () => Pick<LogProgress, "isDue" | "loop"> | undefined
}

export interface Host {
  /** Resolves when there is nothing to do, or everything is closed after `draining`. */
  readonly run: () => Promise<void>
  /** Whether a command has left something to do. */
  readonly hasWork: () => boolean
}

export function openHost(parts: BackgroundHostParts): Host {
  const { jobs, clock } = parts
  /** Those with nothing to do now at that length of their log, and what they repeat. */
  const parked = new Map<string, { readonly bytes: number; readonly loop: LogProgress["loop"] }>()

  /** When there is something to do for it: now, later, or never. */
  function dueAt({ id, prompts }: BackgroundJob): number {
    if (jobs.marked(id, "wanted")) return 0
    if (jobs.marked(id, "stopped") || jobs.marked(id, "problem")) return Infinity
    const { bytes, isHeld, progress } = parts.read(id)
    if (isHeld) return Infinity
    if (jobs.marked(id, "mail") || jobs.marked(id, "reading")) return 0
    const isNew = bytes > 0 && parked.get(id)?.bytes !== bytes
    const now = isNew ? progress() : undefined
    if (now?.isDue) return 0
    if (isNew || !parked.has(id)) parked.set(id, { bytes, loop: now?.loop })
    const loop = loopDueAt({ loop: parked.get(id)?.loop }, clock.now())
    return Math.min(loop, ...prompts.map(({ notBefore = 0 }) => notBefore))
  }

  function closed(id: string): void {
    const { bytes, progress } = parts.read(id)
    parked.set(id, { bytes, loop: bytes > 0 ? progress()?.loop : undefined })
  }

  return {
    run: () => run(parts, dueAt, closed),
    hasWork: () => parts.schedules.dueAt() < Infinity || jobs.list().some((job) => dueAt(job) <= clock.now()),
  }
}

async function run(
  parts: BackgroundHostParts,
  dueAt: (job: BackgroundJob) => number,
  closed: (id: string) => void,
): Promise<void> {
  const { jobs, clock, draining } = parts
  const heldJobs = new Map<string, HeldJob>()
  let pause = new AbortController()
  const wake = (): void => pause.abort()

  function start(job: BackgroundJob): void {
    const one = holdJob(job, parts)
    heldJobs.set(job.id, one)
    void one.over
      .catch((error: unknown) => jobs.mark(job.id, "problem", `It stopped because of a bug: ${String(error)}`))
      .then(() => {
        heldJobs.delete(job.id)
        closed(job.id)
        wake()
      })
  }

  const stopWatching = jobs.watch(wake)
  draining.addEventListener("abort", wake)
  try {
    for (;;) {
      pause = new AbortController()
      if (!draining.aborted) parts.schedules.startDue(clock.now(), (id) => heldJobs.has(id))
      let next = parts.schedules.dueAt()
      for (const one of heldJobs.values()) one.wake()
      for (const job of jobs.list()) {
        parts.seen(job.id)
        if (heldJobs.has(job.id) || draining.aborted || heldJobs.size >= parts.most) continue
        const at = dueAt(job)
        if (at <= clock.now()) start(job)
        else next = Math.min(next, at)
      }
      if (heldJobs.size === 0 && (draining.aborted || next === Infinity)) return
      const most = heldJobs.size === 0 ? idleMs : lookMs
      await clock.sleep(Math.min(Math.max(0, next - clock.now()), most), pause.signal)
    }
  } finally {
    stopWatching()
  }
}

/** Bounds how late something is noticed that nobody told of. */
const lookMs = 2_000
/** While nothing runs, only a clock that jumps is to be noticed. */
const idleMs = 60_000
