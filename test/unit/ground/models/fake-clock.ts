/** A clock whose time a test moves. */

import type { Clock } from "#lib/clock.ts"

export interface FakeClock extends Clock {
  /** Lets time pass and rings what falls due, in order. */
  readonly advance: (ms: number) => void
  /** How long each sleep was meant to be. */
  readonly slept: readonly number[]
  /** How many timers were ever set. */
  readonly armed: () => number
  /** How many timers are set now. */
  readonly pending: () => number
}

interface Timer {
  readonly at: number
  readonly ring: () => void
}

/** `skips`: sleeping takes no real time, and moves the clock by as much. `waits`: sleepers wait for `advance`. */
export function fakeClock(sleeping: "skips" | "waits" = "skips", start = 1_000_000): FakeClock {
  const timers = new Set<Timer>()
  const slept: number[] = []
  let now = start
  let armed = 0

  const after: Clock["after"] = (ms, ring) => {
    const timer = { at: now + ms, ring }
    timers.add(timer)
    armed++
    return () => timers.delete(timer)
  }
  const advance = (ms: number): void => {
    const until = now + ms
    for (;;) {
      const due = [...timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0]
      if (!due) break
      timers.delete(due)
      now = Math.max(now, due.at)
      due.ring()
    }
    now = until
  }
  return {
    now: () => now,
    after,
    advance,
    slept,
    armed: () => armed,
    pending: () => timers.size,
    async sleep(ms, signal) {
      slept.push(ms)
      if (signal.aborted) return
      if (sleeping === "skips") return advance(ms)
      await new Promise<void>((resolve) => {
        const cancel = after(ms, resolve)
        signal.addEventListener("abort", () => {
          cancel()
          resolve()
        })
      })
    },
  }
}
