/** Lets a request to the client wait until everything that happened before it has been told. */

import type { Clock } from "#lib/clock.ts"

export interface Pace {
  /** Marks the writing of one event. */
  readonly writing: <T>(work: () => Promise<T>) => Promise<T>
  /** Resolves when nothing is being told, or the signal aborts. */
  readonly quiet: (signal: AbortSignal) => Promise<void>
}

export function openPace(clock: Clock): Pace {
  let isTelling = false
  return {
    async writing(work) {
      isTelling = true
      try {
        return await work()
      } finally {
        isTelling = false
      }
    },
    async quiet(signal) {
      // What has just been published is picked up within one round of the event loop.
      do await clock.sleep(0, signal)
      while (isTelling && !signal.aborted)
    },
  }
}
