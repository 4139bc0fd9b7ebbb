/**
 * Keeps the claims of this process alive, and takes back those of others that have gone silent. Silence is counted in
 * looks, not in time: a clock that jumps, or a machine that slept, ends nobody's claim.
 */

import type { Board, OpenClaim, TeamTask } from "#agent/words/team.ts"
import type { Clock } from "#lib/clock.ts"

/** A claim that shows no sign of life in so many checks of another process is over. */
const mostSilentChecks = 4

export interface Leases {
  readonly keepAlive: (lease: number) => void
  readonly drop: (lease: number) => void
  /** Starts looking after others, if anyone works; called when something changed. */
  readonly attend: () => void
  readonly close: () => void
}

export function openLeases(parts: {
  readonly board: Board
  readonly clock: Clock
  /** Between two checks, and two signs of life. */
  readonly everyMs: number
  /** `own`: somebody else looks after those that have gone silent. */
  readonly cares?: "own" | "all"
  /** Whether the owner's process is known to be gone: nothing has to be waited for then. */
  readonly isGone: (owner: string) => Promise<boolean>
  /** What the next worker is told. */
  readonly noteAbout: (claim: OpenClaim) => string
  readonly onBack: (task: TeamTask, claim: OpenClaim) => void
  readonly onFailure: (error: unknown) => void
}): Leases {
  const { board, clock, everyMs } = parts
  const own = new Set<number>()
  const silent = new Map<number, { readonly beat: number; readonly checks: number }>()
  let cancel: (() => void) | undefined
  let isClosed = false

  async function check(): Promise<void> {
    if (own.size > 0) await board.beat([...own])
    const others = parts.cares === "own" ? [] : (await board.claims()).filter(({ lease }) => !own.has(lease))
    for (const lease of silent.keys()) if (!others.some((claim) => claim.lease === lease)) silent.delete(lease)
    for (const claim of others) {
      const before = silent.get(claim.lease)
      const checks = before?.beat === claim.beat ? before.checks + 1 : 0
      silent.set(claim.lease, { beat: claim.beat, checks })
      if (checks < mostSilentChecks && !(await parts.isGone(claim.owner))) continue
      const back = await board.takeBack(claim, parts.noteAbout(claim))
      if (back.ok) parts.onBack(back.value, claim)
    }
    // Nobody works: the next change of the board starts it again.
    if (own.size > 0 || others.length > 0) again()
  }

  function again(): void {
    if (isClosed) return
    cancel ??= clock.after(everyMs, () => {
      cancel = undefined
      check().catch((error: unknown) => {
        parts.onFailure(error)
        again()
      })
    })
  }

  return {
    keepAlive(lease) {
      own.add(lease)
      again()
    },
    drop: (lease) => void own.delete(lease),
    attend: again,
    close() {
      isClosed = true
      cancel?.()
    },
  }
}
