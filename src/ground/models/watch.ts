/** The stream watchdog: ends a request after too long a silence. */

import type { Clock } from "#lib/clock.ts"

/** In milliseconds. */
export interface WatchLimits {
  /** For the first byte of an answer. */
  readonly firstByteMs: number
  /** For the next event of a stream, pings included. */
  readonly silenceMs: number
  /** For an answer in one piece, which sends nothing until it is complete. */
  readonly wholeMs: number
  /** For the end of a body after its last event, so that its connection can be used again. */
  readonly drainMs: number
}

export const usualLimits: WatchLimits = { firstByteMs: 60_000, silenceMs: 90_000, wholeMs: 600_000, drainMs: 5_000 }

export interface StreamWatch {
  /** Aborts when the caller's signal does, or on a timeout. */
  readonly signal: AbortSignal
  /** From now on data must arrive within so many milliseconds. */
  readonly listen: (limitMs: number) => void
  /** Data arrived; the time until the next `listen` is our own. */
  readonly received: () => void
  /** The limit that was exceeded, if any. */
  readonly ranOut: () => number | undefined
  readonly cancel: () => void
  /** Stops watching without ending the request. */
  readonly stop: () => void
}

/** One timer serves a whole stream: an event only records the time, and the timer checks the record when it fires. */
export function openWatch(clock: Clock, signal: AbortSignal): StreamWatch {
  const controller = new AbortController()
  let disarm: (() => void) | undefined
  let limit = 0
  let since = 0
  let ringsAt = 0
  let listening = false
  let ranOut: number | undefined

  const ring = (): void => {
    const now = clock.now()
    const left = listening ? since + limit - now : limit
    if (left > 0) return arm(now, left)
    ranOut = limit
    end()
  }
  function arm(now: number, ms: number): void {
    ringsAt = now + ms
    disarm = clock.after(ms, ring)
  }
  const stop = (): void => {
    disarm?.()
    disarm = undefined
    listening = false
    signal.removeEventListener("abort", end)
  }
  function end(): void {
    stop()
    controller.abort()
  }

  if (signal.aborted) controller.abort()
  else signal.addEventListener("abort", end)

  return {
    signal: controller.signal,
    listen(limitMs) {
      if (controller.signal.aborted) return
      since = clock.now()
      listening = true
      limit = limitMs
      // A timer that is too early looks again when it fires.
      if (disarm && ringsAt <= since + limit) return
      disarm?.()
      arm(since, limit)
    },
    received() {
      listening = false
    },
    ranOut: () => ranOut,
    cancel: end,
    stop,
  }
}
