/** How often somebody may ask: so many times at once, and so many a second after that. */

import type { Clock } from "#lib/clock.ts"

export interface RequestPace {
  readonly burst: number
  readonly perSecond: number
}

export interface Limit {
  /** Seconds until it may be tried again; undefined if it may be done now, which counts. */
  readonly waitFor: (who: string) => number | undefined
  /** Whether it may be done now, without counting. */
  readonly isOpen: (who: string) => boolean
}

/** So many are remembered before those that have not asked for long are forgotten. */
const most = 10_000

export function openLimit({ burst, perSecond }: RequestPace, clock: Clock): Limit {
  const known = new Map<string, { left: number; at: number }>()

  function leftOf(who: string): number {
    const now = clock.now()
    const before = known.get(who)
    return before ? Math.min(burst, before.left + (Math.max(0, now - before.at) / 1000) * perSecond) : burst
  }

  function forget(): void {
    for (const who of known.keys()) if (leftOf(who) >= burst) known.delete(who)
    // Whoever comes from ever new places could fill the memory otherwise.
    if (known.size >= most) known.clear()
  }

  return {
    waitFor(who) {
      const left = leftOf(who)
      if (known.size >= most && !known.has(who)) forget()
      known.set(who, { left: Math.max(0, left - 1), at: clock.now() })
      return left >= 1 ? undefined : Math.ceil((1 - left) / perSecond)
    },
    isOpen: (who) => leftOf(who) >= 1,
  }
}
