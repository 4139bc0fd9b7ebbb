/** Wakes whoever waits for something to happen, and knows how long nothing has. */

import type { Clock } from "#lib/clock.ts"
import { deferred } from "#lib/deferred.ts"

const burstMs = 20

export interface News {
  /** `woken`: it may have come from outside. */
  readonly announce: (what: "event" | "woken") => void
  /** Resolves with the next news, or after so long. */
  readonly next: (ms: number) => Promise<void>
  /** Whether somebody has told of something from outside since the last look. */
  readonly isWoken: () => boolean
  /** How long there has been no event. */
  readonly quietMs: () => number
}

export function openNews(clock: Clock): News {
  let waiting = deferred<void>()
  let hasNews = false
  let isWoken = false
  let last = clock.now()
  return {
    announce(what) {
      hasNews = true
      if (what === "woken") isWoken = true
      else last = clock.now()
      waiting.resolve()
    },
    async next(ms) {
      if (!hasNews) {
        waiting = deferred()
        const cancel = clock.after(ms, waiting.resolve)
        await waiting.promise
        cancel()
      }
      // Much of it comes in bursts, and one look is enough for all.
      await clock.sleep(burstMs, new AbortController().signal)
      hasNews = false
    },
    isWoken() {
      const was = isWoken
      isWoken = false
      return was
    },
    quietMs() {
      // A clock that was set back would make this wait for hours.
      last = Math.min(last, clock.now())
      return clock.now() - last
    },
  }
}
