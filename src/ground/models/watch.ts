/** The stream watchdog: ends a request when nothing is heard for too long. */

import type { Clock } from "#lib/clock.ts"

/** How long to wait for what, in milliseconds. */
export interface WatchLimits {
  /** For the first byte of an answer. */
  readonly firstByteMs: number
  /** For the next event of a stream, pings included. */
  readonly silenceMs: number
  /** For an answer that comes in one piece: it says nothing until it is whole. */
  readonly wholeMs: number
  /** For the end of a body whose last event was already heard, so that its connection can be used again. */
  readonly drainMs: number
}

/** What holds unless the settings say otherwise. */
export const usualLimits: WatchLimits = { firstByteMs: 60_000, silenceMs: 90_000, wholeMs: 600_000, drainMs: 5_000 }

/** Watches over one request. */
export interface Watch {
  /** Aborts when the caller's signal does, or when the time ran out. */
  readonly signal: AbortSignal
  /** From now on something must be heard within so many milliseconds. */
  readonly listen: (limitMs: number) => void
  /** Something was heard; whatever happens until the next `listen` is our own time. */
  readonly heard: () => void
  /** The limit that ran out, if one did. */
  readonly ranOut: () => number | undefined
  /** Ends the request. */
  readonly cancel: () => void
  /** Ends the watching and lets the request be. */
  readonly stop: () => void
}

/** One timer serves a whole stream: an event only notes the time, and the timer looks at the note when it rings. */
export function openWatch(clock: Clock, signal: AbortSignal): Watch {
  const controller = new AbortController()
  let disarm: (() => void) | undefined
  let limit = 0
  let since = 0
  let listening = false
  let ranOut: number | undefined

  const ring = (): void => {
    const left = listening ? since + limit - clock.now() : limit
    if (left > 0) {
      disarm = clock.after(left, ring)
      return
    }
    ranOut = limit
    end()
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
      if (limitMs === limit) return
      limit = limitMs
      disarm?.()
      disarm = clock.after(limitMs, ring)
    },
    heard() {
      listening = false
    },
    ranOut: () => ranOut,
    cancel: end,
    stop,
  }
}
