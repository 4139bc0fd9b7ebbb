/** Takes work out of the way of the session: what happens is only noted, and looked at a moment later, a little at a time. */

import type { Clock } from "#lib/clock.ts"
import type { SessionTrace } from "./follow.ts"

const pauseMs = 1_000
/** So many take about as long as a frame of the screen may wait. */
const mostAtOnce = 50
const betweenMs = 5

export interface Later {
  readonly deferred: (trace: SessionTrace) => SessionTrace
  /** Does everything that is left. */
  readonly finish: () => void
}

export function openLater(clock: Clock): Later {
  let noted: (() => void)[] = []
  let cancel: (() => void) | undefined

  function work(): void {
    cancel = undefined
    const now = noted.slice(0, mostAtOnce)
    noted = noted.slice(mostAtOnce)
    for (const act of now) act()
    if (noted.length > 0) cancel = clock.after(betweenMs, work)
  }
  const note = (act: () => void): void => {
    noted.push(act)
    cancel ??= clock.after(pauseMs, work)
  }

  return {
    deferred: (trace) => ({
      ...trace,
      onEntry: (entry, when) => note(() => trace.onEntry(entry, when)),
      retried: (retry, at) => note(() => trace.retried(retry, at)),
    }),
    finish() {
      cancel?.()
      cancel = undefined
      const all = noted
      noted = []
      for (const act of all) act()
    },
  }
}
