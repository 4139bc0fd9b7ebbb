/** A clock that stands still until the test lets time pass. */

import type { Clock } from "#lib/clock.ts"

export interface PaperClock {
  readonly clock: Clock
  readonly now: () => number
  readonly timers: () => number
  /** Lets time pass, and everything that was due happen. */
  readonly pass: (ms: number) => Promise<void>
}

/** What was handed on is there after a few ticks. */
export const tick = async (): Promise<void> => {
  await Bun.sleep(0)
}

export function openPaperClock(): PaperClock {
  let now = 1_000_000
  let timers: { readonly at: number; readonly callback: () => void }[] = []
  return {
    now: () => now,
    timers: () => timers.length,
    clock: {
      now: () => now,
      sleep: () => Promise.resolve(),
      after(ms, callback) {
        const timer = { at: now + ms, callback }
        timers.push(timer)
        return () => {
          timers = timers.filter((other) => other !== timer)
        }
      },
    },
    async pass(ms) {
      await tick()
      const until = now + ms
      for (;;) {
        const next = timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0]
        if (!next) break
        timers = timers.filter((other) => other !== next)
        now = Math.max(now, next.at)
        next.callback()
        await tick()
      }
      now = until
    },
  }
}
