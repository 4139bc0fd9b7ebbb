/**
 * Runs of later and again, as files beside those of background sessions. A run is claimed by writing down which session it will be before that session
 * exists, so it happens once, whoever is killed meanwhile.
 */

import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { takeLock } from "#ground/transcript/lock.ts"
import { blockFor } from "#lib/clock.ts"
import type { Ids } from "#lib/ids.ts"
import { isObject, objectIn } from "#lib/json.ts"
import type { BackgroundJob } from "./job.ts"
import { jobsFolder, type Jobs } from "./jobs.ts"
import { nextOf, type ScheduleRule } from "./schedule-rule.ts"
import { namesIn, textOfFile } from "#lib/quietly.ts"

export interface Schedule extends Pick<BackgroundJob, "cwd" | "args" | "trust" | "env" | "createdAt"> {
  readonly id: string
  readonly rule: ScheduleRule
  readonly prompt: string
  /** Absent when it is never due again. */
  readonly nextAt?: number
  readonly runs: number
  /** The run that is about to begin. */
  readonly claim?: ScheduledRun
  readonly last?: ScheduledRun
}

export interface ScheduledRun {
  readonly sessionId: string
  readonly promptId: string
  readonly at: number
}

export interface Schedules {
  readonly list: () => readonly Schedule[]
  readonly put: (schedule: Schedule) => void
  /** False if there is none. */
  readonly remove: (id: string) => boolean
  /** Starts what is due, each once. `isRunning`: its last run has not ended, so this one is left out. */
  readonly startDue: (now: number, isRunning: (sessionId: string) => boolean) => void
  /** Makes it due now. */
  readonly runNow: (id: string, now: number) => boolean
  /** When the first is due; never if none is. */
  readonly dueAt: () => number
}

const ending = ".schedule"

export const isSchedule = (path: string): boolean => path.endsWith(ending)

export function openSchedules({
  state,
  pid,
  jobs,
  ids,
  hasBegun,
}: {
  readonly state: string
  readonly pid: number
  readonly jobs: Pick<Jobs, "get" | "put">
  readonly ids: Ids
  /** Whether a session has a log. */
  readonly hasBegun: (sessionId: string, cwd: string) => boolean
}): Schedules {
  const folder = jobsFolder(state)
  const fileOf = (id: string): string => join(folder, `${id}${ending}`)

  function put(schedule: Schedule): void {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const temporary = `${fileOf(schedule.id)}.${pid}`
    writeFileSync(temporary, JSON.stringify(schedule), { mode: 0o600 })
    renameSync(temporary, fileOf(schedule.id))
  }

  const get = (id: string): Schedule | undefined => decodeSchedule(textOfFile(fileOf(id)))

  function list(): readonly Schedule[] {
    return namesIn(folder)
      .toSorted()
      .flatMap((name) => (name.endsWith(ending) ? (get(name.slice(0, -ending.length)) ?? []) : []))
  }

  /** The host and a command may change the same one. */
  function locked<T>(id: string, act: () => T): T {
    const path = join(folder, `${id}.lock`)
    for (;;) {
      const lock = takeLock(path, pid)
      if (!lock.ok && lock.failure.kind === "held") {
        blockFor(1)
        continue
      }
      try {
        return act()
      } finally {
        if (lock.ok) lock.value()
      }
    }
  }

  /** What was claimed begins, unless it has begun already. */
  function begin(schedule: Schedule, claim: ScheduledRun): Schedule {
    const { cwd, args, trust, env, prompt } = schedule
    const { sessionId: id, promptId } = claim
    if (!jobs.get(id) && !hasBegun(id, cwd))
      jobs.put({ id, cwd, args, trust, env, prompts: [{ id: promptId, text: prompt }], createdAt: claim.at })
    const { claim: _claim, ...rest } = schedule
    const begun = { ...rest, last: claim }
    // What ran for the last time is over.
    if (begun.nextAt === undefined) rmSync(fileOf(begun.id), { force: true })
    else put(begun)
    return begun
  }

  function startOne(id: string, now: number, isRunning: (sessionId: string) => boolean): void {
    const found = get(id)
    const schedule = found?.claim ? begin(found, found.claim) : found
    if (!schedule || schedule.nextAt === undefined) return
    const { nextAt: _due, ...rest } = schedule
    const nextAt = nextOf(schedule.rule, now)
    const moved = nextAt === undefined ? rest : { ...rest, nextAt }
    if (schedule.nextAt > now) return isTooLate(schedule, now) ? put(moved) : undefined
    if (schedule.last && isRunning(schedule.last.sessionId)) return put(moved)
    const claim: ScheduledRun = { sessionId: ids.uuid(), promptId: ids.uuid(), at: now }
    const claimed: Schedule = { ...moved, runs: schedule.runs + 1, claim }
    put(claimed)
    begin(claimed, claim)
  }

  return {
    list,
    put,
    remove(id) {
      return locked(id, () => {
        const exists = get(id) !== undefined
        rmSync(fileOf(id), { force: true })
        return exists
      })
    },
    startDue(now, isRunning) {
      // A lock is a file of the folder that the host watches: taken each time, it would wake the host for ever.
      for (const schedule of list())
        if (isDue(schedule, now)) locked(schedule.id, () => startOne(schedule.id, now, isRunning))
    },
    runNow(id, now) {
      return locked(id, () => {
        const schedule = get(id)
        if (schedule) put({ ...schedule, nextAt: now })
        return schedule !== undefined
      })
    },
    dueAt: () => Math.min(...list().map(({ claim, nextAt }) => (claim ? 0 : (nextAt ?? Infinity)))),
  }
}

const isDue = (schedule: Schedule, now: number): boolean =>
  schedule.claim !== undefined || (schedule.nextAt ?? Infinity) <= now || isTooLate(schedule, now)

/** The clock was set back: it would be silent for as long as that. */
function isTooLate({ rule, nextAt }: Schedule, now: number): boolean {
  if (nextAt === undefined || rule.kind === "at") return false
  return (nextOf(rule, now) ?? Infinity) < nextAt
}

/** Undefined for anything that this program has not written. */
function decodeSchedule(text: string | undefined): Schedule | undefined {
  const value = text === undefined ? undefined : objectIn(text)
  if (!value || !isObject(value.rule) || !isObject(value.args) || !isObject(value.env)) return undefined
  const { id, prompt, cwd, runs, createdAt } = value
  if (typeof id !== "string" || typeof prompt !== "string" || typeof cwd !== "string") return undefined
  if (typeof runs !== "number" || typeof createdAt !== "number") return undefined
  // Written by this program to a private folder of the user.
  return value as unknown as Schedule
}

/** Whether there are any, without reading them. */
export const hasSchedules = (state: string): boolean =>
  namesIn(jobsFolder(state))
    .toSorted()
    .some((name) => name.endsWith(ending))
