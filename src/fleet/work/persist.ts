/** Tries again while the database is away. */

import type { Clock } from "#lib/clock.ts"
import { DatabaseLost } from "#lib/database.ts"

const longestPauseMs = 5_000

export type Persist = <T>(work: () => Promise<T>) => Promise<T>

/** Only for what may be done twice. Once the signal aborts, the next failure counts. */
export const persistently =
  (clock: Clock, signal: AbortSignal): Persist =>
  async (work) => {
    for (let pauseMs = 50; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof DatabaseLost) || signal.aborted) throw error
        await clock.sleep(pauseMs, signal)
      }
    }
  }
