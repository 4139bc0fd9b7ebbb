/** A worker: takes sessions that have something to do, several at a time, and keeps hold of them while it lives. */

import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { Clock } from "#lib/clock.ts"
import { DatabaseFull, DatabaseLost } from "#lib/database.ts"
import type { Ids } from "#lib/ids.ts"
import type { HoldParts, Patience } from "./held-session.ts"
import { holdSession } from "./hold.ts"
import type { OpenFleetSession } from "./opening.ts"
import type { Lease, NewWorker, SessionQuotas } from "#fleet/records.ts"
import { releaseDeadWorkers, markOwn } from "./dead-workers.ts"
import type { OpenPull } from "./publish.ts"
import { openSeeking } from "./seeking.ts"
import { openSpace } from "./space.ts"
import type { FleetStore } from "#fleet/store.ts"
import type { WorkerNotice } from "#fleet/store/sessions.ts"
import type { Workplaces } from "./workplace.ts"

export interface WorkerParts {
  readonly store: FleetStore
  readonly open: OpenFleetSession
  readonly workplaces: Workplaces
  /** How pull requests are opened here; none are when absent. */
  readonly openPull?: OpenPull | undefined
  /** For logs of sessions while they are held; the worker makes a folder of its own in it. */
  readonly scratch: string
  readonly me: Omit<NewWorker, "id">
  readonly quotas?: SessionQuotas | undefined
  readonly clock: Clock
  readonly ids: Ids
  /** Mistakes of ours, as sentences. */
  readonly report: (text: string) => void
  readonly times?: Partial<WorkerTimes>
}

export interface WorkerTimes extends Patience {
  /** A worker that was not heard of for so long has lost its sessions. */
  readonly leaseMs: number
  /** How often it looks for sessions that nobody told of: a little more or less, so that not all do it at once. */
  readonly pollMs: number
}

const usualTimes: WorkerTimes = {
  waitingMs: 250,
  backgroundMs: 10_000,
  drainMs: 20_000,
  leaseMs: 30_000,
  pollMs: 30_000,
}

/** Nobody knows which of the two: what it did last may not have arrived. */
const otherwiseCutBy = "the worker ended or could not reach the database"

export interface Worker {
  readonly id: string
  /** How many sessions it has right now. */
  readonly busy: () => number
  /** Takes nothing new, sets aside or hands over what it has, and leaves. */
  readonly close: () => Promise<void>
}

export async function startWorker(parts: WorkerParts): Promise<Worker> {
  const { store, clock, ids, me } = parts
  const times: WorkerTimes = { ...usualTimes, ...parts.times }
  const id = `w_${ids.uuid().replaceAll("-", "").slice(0, 12)}`
  const scratch = join(parts.scratch, id)
  mkdirSync(scratch, { recursive: true, mode: 0o700 })
  const heldSessions = new Map<Lease, { readonly lost: AbortController; readonly over: Promise<void> }>()
  /** Sessions that it gave up because it could not reach the database. */
  const unreached = new Set<string>()
  const draining = new AbortController()
  const ended = new AbortController()
  let stopWaiting = (): void => undefined
  const space = openSpace([scratch, me.workplaces ?? scratch], parts.report)
  const watchers = new Map<Lease, (notice: WorkerNotice | undefined) => void>()

  const mayTake = (): boolean => !draining.signal.aborted && space.isLeft()

  /** As long as the database does not answer, somebody else may have taken everything. A timer, because clocks are set. */
  async function beat(): Promise<void> {
    const cancel = clock.after(times.leaseMs, loseAll)
    const leases = [...heldSessions.keys()]
    const kept = await store.leases
      .beat({ ...me, id, takesMore: mayTake() }, leases, times.leaseMs)
      .catch((error: unknown) => {
        cancel()
        throw error
      })
    stopWaiting()
    stopWaiting = cancel
    if (space.isLeft()) space.isWell()
    for (const lease of leases) if (!kept.includes(lease)) heldSessions.get(lease)?.lost.abort()
  }

  async function keepAlive(): Promise<void> {
    while (!ended.signal.aborted) {
      await clock.sleep(times.leaseMs / 4, ended.signal)
      if (!ended.signal.aborted) await beat().catch(tolerate)
    }
  }

  function loseAll(): void {
    for (const [{ sessionId }, { lost }] of heldSessions) {
      unreached.add(sessionId)
      lost.abort()
    }
  }

  function tolerate(error: unknown): void {
    if (error instanceof DatabaseFull) space.warn(error.message)
    else if (!(error instanceof DatabaseLost)) parts.report(`The worker made a mistake: ${String(error)}`)
  }

  const seeking = openSeeking({
    ...parts,
    ...times,
    leases: store.leases,
    worker: id,
    slots: me.slots,
    sessionCount: () => heldSessions.size,
    mayTake,
    run,
    tolerate,
  })

  /** A session that it lost and gets again is closed first: its log can be open once. */
  async function untilClosed({ sessionId }: Lease): Promise<void> {
    const before = [...heldSessions].filter(([lease]) => lease.sessionId === sessionId)
    for (const [, { lost }] of before) lost.abort()
    await Promise.all(before.map(([, { over }]) => over))
  }

  const noticesFor =
    (lease: Lease): HoldParts["notices"] =>
    (onOne) => {
      watchers.set(lease, onOne)
      return () => void watchers.delete(lease)
    }

  function run(lease: Lease): void {
    const lost = new AbortController()
    const signals = { lost: lost.signal, draining: draining.signal }
    const cutBy = unreached.delete(lease.sessionId) ? "the database could not be reached" : otherwiseCutBy
    const over = untilClosed(lease)
      .then(() =>
        holdSession({ ...parts, ...signals, lease, scratch, patience: times, cutBy, notices: noticesFor(lease) }),
      )
      .catch(tolerate)
      .finally(() => {
        heldSessions.delete(lease)
        watchers.delete(lease)
        seeking.ended()
      })
    heldSessions.set(lease, { lost, over })
  }

  function onNotice(notice: WorkerNotice | undefined): void {
    if (notice?.kind === "due") return seeking.onSessionDue()
    if (notice === undefined) seeking.lookForAll()
    for (const [{ sessionId }, onOne] of watchers)
      if (notice === undefined || notice.sessionId === sessionId) onOne(notice)
  }

  await releaseDeadWorkers(parts.scratch, me.pid, store.leases)
  markOwn(scratch, me.pid)
  await beat()
  const stopWatching = store.watchWorker(id, onNotice)
  const keeping = keepAlive()
  void seeking.keepLooking(draining.signal)
  return {
    id,
    busy: () => heldSessions.size,
    async close() {
      draining.abort()
      stopWatching()
      // Nobody tells it of what is due any more.
      await Promise.all([seeking.settled(), beat().catch(tolerate)])
      await Promise.all([...heldSessions.values()].map(({ over }) => over))
      ended.abort()
      // A beat that arrives after it left would make it a worker again.
      await keeping
      stopWaiting()
      await store.leases.leave(id).catch(tolerate)
      rmSync(scratch, { recursive: true, force: true })
    },
  }
}
