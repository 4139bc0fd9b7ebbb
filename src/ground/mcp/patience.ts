/** How long calls may be silent: progress restarts the wait, and a question to the user pauses it. */

import type { Clock } from "#lib/clock.ts"

export interface Patience {
  /** Watches one call: `ended` fires when its time is up. */
  readonly watch: (timeoutMs: number) => Watched
  /** While a question is open, no time passes for any call. */
  readonly pause: () => () => void
  readonly isBusy: () => boolean
  /** Aborts when the last call now in progress has ended. */
  readonly busySignal: () => AbortSignal
}

export interface Watched {
  readonly ended: AbortSignal
  readonly touch: () => void
  readonly done: () => void
}

export function openPatience(clock: Clock): Patience {
  const calls = new Set<{ readonly touch: () => void; readonly hold: () => void }>()
  let paused = 0
  let idle = new AbortController()

  return {
    watch(timeoutMs) {
      const over = new AbortController()
      let cancel = (): void => {}
      const hold = (): void => cancel()
      const touch = (): void => {
        cancel()
        if (paused === 0) cancel = clock.after(timeoutMs, () => over.abort())
      }
      const call = { touch, hold }
      if (calls.size === 0) idle = new AbortController()
      calls.add(call)
      touch()
      return {
        ended: over.signal,
        touch,
        done() {
          cancel()
          calls.delete(call)
          if (calls.size === 0) idle.abort()
        },
      }
    },
    pause() {
      paused++
      for (const call of calls) call.hold()
      return () => {
        paused--
        if (paused === 0) for (const call of calls) call.touch()
      }
    },
    isBusy: () => calls.size > 0,
    busySignal: () => idle.signal,
  }
}
