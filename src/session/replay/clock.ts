/** A clock that can be set: it runs at normal speed from the moment it was last set to. */

import type { Clock } from "#lib/clock.ts"

export interface SetClock extends Clock {
  /** Never goes back before a moment that has already passed. */
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
