/** When the next frame is drawn: as soon as anyone wants it, and only once however many do. */

import type { Clock } from "#lib/clock.ts"

export interface Pace {
  readonly within: (ms: number) => void
  /** Cancels the pending draw. */
  readonly clear: () => void
}

export function openPace(clock: Clock, draw: () => void): Pace {
  let cancel: (() => void) | undefined
  let due = Number.POSITIVE_INFINITY

  function clear(): void {
    cancel?.()
    cancel = undefined
    due = Number.POSITIVE_INFINITY
  }

  return {
    clear,
    within(ms) {
      const at = clock.now() + ms
      if (at >= due) return
      cancel?.()
      due = at
      cancel = clock.after(ms, draw)
    },
  }
}
