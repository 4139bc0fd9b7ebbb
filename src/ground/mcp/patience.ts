/** How long calls may be silent, or take in all: a question to the user pauses either. */

import type { Clock } from "#lib/clock.ts"

/** What the time of a call limits: the silence between two messages, or the whole call. */
export type Counts = "silence" | "whole"

export interface Patience {
  /** Watches one call: `ended` fires when its time is up. */
  readonly watch: (timeoutMs: number, counts?: Counts) => Watched
  /** While a question is open, no time passes for any call. */
  readonly pause: () => () => void
  readonly isBusy: () => boolean
  /** Aborts when the last call now in progress has ended. */
  readonly busySignal: () => AbortSignal
}

export interface Watched {
  readonly ended: AbortSignal
  /** There was progress: silence is counted from here. */
  readonly touch: () => void
  readonly done: () => void
}

export function openPatience(clock: Clock): Patience {
  const calls = new Set<{ readonly go: () => void; readonly suspend: () => void }>()
  let paused = 0
  let idle = new AbortController()

  return {
    watch(timeoutMs, counts = "silence") {
      const over = new AbortController()
      let leftMs = timeoutMs
      let since: number | undefined
      let cancel = (): void => {}
      const suspend = (): void => {
        cancel()
        if (since !== undefined) leftMs -= clock.now() - since
        since = undefined
      }
      const go = (): void => {
        suspend()
        if (counts === "silence") leftMs = timeoutMs
        if (paused > 0) return
        since = clock.now()
        cancel = clock.after(Math.max(0, leftMs), () => over.abort())
      }
      const call = { go, suspend }
      if (calls.size === 0) idle = new AbortController()
      calls.add(call)
      go()
      return {
        ended: over.signal,
        touch: go,
        done() {
          cancel()
          calls.delete(call)
          if (calls.size === 0) idle.abort()
        },
      }
    },
    pause() {
      paused++
      for (const call of calls) call.suspend()
      return () => {
        paused--
        if (paused === 0) for (const call of calls) call.go()
      }
    },
    isBusy: () => calls.size > 0,
    busySignal: () => idle.signal,
  }
}
