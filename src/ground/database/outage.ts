/** Says once that the database cannot be reached, and once that it is back. */

import type { Clock } from "#lib/clock.ts"
import { DatabaseFull, DatabaseLost } from "#lib/database.ts"

export interface Outage {
  /** Around whatever the server has to answer. */
  readonly noting: <T>(work: () => Promise<T>) => Promise<T>
}

export function openOutage(parts: {
  /** Without user and password. */
  readonly server: string
  readonly clock: Clock
  readonly report: (text: string) => void
}): Outage {
  const { server, clock, report } = parts
  let since: number | undefined
  let outages = 0
  return {
    async noting(work) {
      // What began before the outage may still be answered in it.
      const before = outages
      try {
        const done = await work()
        if (since !== undefined && before === outages) {
          report(`The database on ${server} is back after ${secondsSince(since, clock)}.`)
          since = undefined
        }
        return done
      } catch (error) {
        if (since === undefined && error instanceof DatabaseLost && !(error instanceof DatabaseFull)) {
          since = clock.now()
          outages++
          report(
            `The database on ${server} cannot be reached (${error.message}). Sessions wait for it; trying again until it is back.`,
          )
        }
        throw error
      }
    },
  }
}

/** Clocks are set now and then. */
function secondsSince(then: number, clock: Clock): string {
  const seconds = Math.max(1, Math.round((clock.now() - then) / 1000))
  return seconds === 1 ? "1 second" : `${seconds} seconds`
}
