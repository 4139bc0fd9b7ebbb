/** The only place that knows what time it is, so that tests can own time. */

export interface Clock {
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Resolves after `ms`, or as soon as the signal aborts (it never rejects; look at the signal). */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  /** Calls back once after `ms`; the returned function cancels it. The timer does not keep the process alive. */
  readonly after: (ms: number, callback: () => void) => () => void
}

/** Milliseconds since this process began. */
export const sinceStart = (): number => process.uptime() * 1000

/** Stops the whole process for so long: only for a few milliseconds, where nothing can be awaited. */
export const blockFor = (ms: number): void => Bun.sleepSync(ms)

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve()
      const timer = setTimeout(done, ms)
      signal.addEventListener("abort", done)
      function done(): void {
        clearTimeout(timer)
        signal.removeEventListener("abort", done)
        resolve()
      }
    }),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}
