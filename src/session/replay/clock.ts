/** A clock that can be set: it runs as fast as the real one, from whatever moment it was set to last. */

import type { Clock } from "#lib/clock.ts"

export interface SetClock extends Clock {
  /** It is this moment now; never before one that has already been. */
  readonly set: (at: number) => void
}

export function openSetClock(at: number, real: Clock): SetClock {
  let ahead = at - real.now()
  const now = (): number => real.now() + ahead
  return {
    ...real,
    now,
    set(moment) {
      ahead += Math.max(0, moment - now())
    },
  }
}
