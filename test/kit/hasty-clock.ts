/** A clock on which time passes faster than it does, so that waits keep their order and cost little. */

import { type Clock, systemClock } from "#lib/clock.ts"

export function hastyClock(times: number): Clock {
  const began = systemClock.now()
  return {
    now: () => began + (systemClock.now() - began) * times,
    sleep: (ms, signal) => systemClock.sleep(ms / times, signal),
    after: (ms, callback) => systemClock.after(ms / times, callback),
  }
}
