/** Time that passes only when it is told to; whoever slept is given the time to go on. */

import type { Clock } from "#lib/clock.ts"

export interface HandClock extends Clock {
  /** Lets so much time pass, waking everybody at their moment. */
  readonly pass: (ms: number) => Promise<void>
}

export function openHandClock(): HandClock {
  let now = 0
  let timers: { readonly at: number; readonly ring: () => void }[] = []

  function after(ms: number, ring: () => void): () => void {
    const timer = { at: now + ms, ring }
    timers.push(timer)
    return () => void (timers = timers.filter((other) => other !== timer))
  }
  // What is woken goes on for a few turns before it sleeps again.
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 20; i++) await Promise.resolve()
    await Bun.sleep(0)
  }

  return {
    now: () => now,
    after,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve()
        const cancel = after(ms, resolve)
        signal.addEventListener("abort", () => {
          cancel()
          resolve()
        })
      }),
    async pass(ms) {
      const end = now + ms
      await settle()
      for (;;) {
        const next = timers.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0]
        if (!next) break
        now = Math.max(now, next.at)
        timers = timers.filter((other) => other !== next)
        next.ring()
        await settle()
      }
      now = end
    },
  }
}
