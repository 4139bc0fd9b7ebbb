/** Tells of what begins to wait: at once when it does, and again and again what could not be told. */

import type { Clock } from "#lib/clock.ts"
import { DatabaseLost } from "#lib/database.ts"
import type { FleetStore } from "./store.ts"

export interface TellingParts {
  readonly store: FleetStore
  readonly clock: Clock
  readonly report: (text: string) => void
  /** In reports. */
  readonly name: string
  /** For what an earlier version has set aside. */
  readonly catchUp: () => Promise<void>
  /** Tells what is due. */
  readonly round: (signal: AbortSignal) => Promise<void>
  /** When something is due again, in milliseconds; undefined if nothing is. */
  readonly dueInMs: () => Promise<number | undefined>
}

/** Much may begin to wait at once; one look is enough for all of it. */
const gatherMs = 200
/** What nobody told of, as when the database was away. */
const pollMs = 30_000

/** The returned function ends it; what is under way may be sent again later. */
export function tellAgainAndAgain(parts: TellingParts): () => Promise<void> {
  const { store, clock } = parts
  const ending = new AbortController()
  let waking = new AbortController()
  let caughtUpAt = 0
  const unwatch = store.watchChanges((change) => {
    if (change === undefined || change.what === "approvals") waking.abort()
  })

  async function run(): Promise<void> {
    while (!ending.signal.aborted) {
      waking = new AbortController()
      try {
        if (Math.abs(clock.now() - caughtUpAt) >= pollMs) {
          caughtUpAt = clock.now()
          await parts.catchUp()
        }
        await parts.round(ending.signal)
        const dueMs = (await parts.dueInMs()) ?? pollMs
        await clock.sleep(Math.min(pollMs, Math.max(gatherMs, dueMs)), AbortSignal.any([waking.signal, ending.signal]))
        await clock.sleep(gatherMs, ending.signal)
      } catch (error) {
        if (!(error instanceof DatabaseLost)) parts.report(`${parts.name}: ${String(error)}`)
        await clock.sleep(pollMs / 10, ending.signal)
      }
    }
  }

  const over = run()
  return async () => {
    ending.abort()
    unwatch()
    await over
  }
}
