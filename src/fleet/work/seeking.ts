/** How a worker comes to its sessions: it is told of what is due while it has room, and looks by itself now and then. */

import type { Clock } from "#lib/clock.ts"
import type { Ids } from "#lib/ids.ts"
import type { Lease, SessionQuotas } from "#fleet/records.ts"
import type { FleetLeases } from "#fleet/store/sessions.ts"

export interface SeekingParts {
  readonly leases: Pick<FleetLeases, "acquire" | "makeRoom">
  readonly worker: string
  readonly slots: number
  readonly leaseMs: number
  readonly pollMs: number
  /** How many sessions it has. */
  readonly sessionCount: () => number
  readonly mayTake: () => boolean
  readonly run: (lease: Lease) => void
  readonly tolerate: (error: unknown) => void
  /** How many sessions may be at work in the whole fleet. */
  readonly quotas?: SessionQuotas | undefined
  readonly clock: Clock
  readonly ids: Pick<Ids, "random">
}

export interface Seeking {
  /** One session is due. */
  readonly onSessionDue: () => void
  /** Something may have been missed. */
  readonly lookForAll: () => void
  /** A session has ended. */
  readonly ended: () => void
  /** Until the signal aborts. */
  readonly keepLooking: (signal: AbortSignal) => Promise<void>
  readonly settled: () => Promise<void>
}

export function openSeeking(parts: SeekingParts): Seeking {
  const { leases, worker, slots, leaseMs, pollMs, sessionCount, mayTake, run, tolerate, clock, ids } = parts
  /** How many sessions it was told of, and how often it was to look for all there are, and has. */
  let [due, asked, looked] = [0, 0, 0]
  /** As the database has it. */
  let isFull = false
  let filling: Promise<void> | undefined

  /** One for each that it was told of; all there are after it was full, or when it may have missed something. */
  async function fill(): Promise<void> {
    while (mayTake() && sessionCount() < slots && (due > 0 || looked < asked)) {
      const now = asked
      due = Math.max(0, due - 1)
      if (isFull) await leases.makeRoom(worker)
      isFull = false
      const fills = sessionCount() + 1 >= slots
      const lease = await leases.acquire(worker, leaseMs, { fills, quotas: parts.quotas })
      if (!lease) looked = now
      else {
        isFull = fills
        run(lease)
      }
    }
    due = 0
  }

  function poll(): void {
    filling ??= fill()
      .catch(tolerate)
      .finally(() => (filling = undefined))
  }

  function lookForAll(): void {
    asked++
    poll()
  }

  return {
    onSessionDue() {
      due++
      poll()
    },
    lookForAll,
    ended() {
      // While it had room it was told of what is due.
      if (isFull) lookForAll()
    },
    async keepLooking(signal) {
      while (!signal.aborted) {
        lookForAll()
        await clock.sleep(pollMs * (0.8 + 0.4 * ids.random()), signal)
      }
    },
    settled: async () => filling,
  }
}
