/** Keeps a panel up to date: with what happens, and once a second while something runs whose time is shown. */

import type { Clock } from "#lib/clock.ts"
import type { Watch } from "./panel.ts"

const tickMs = 1000

export const liveWatch =
  (watch: Watch, clock: Clock, runs: () => boolean): Watch =>
  (changed) => {
    let cancel: (() => void) | undefined
    const arm = (): void => {
      if (cancel || !runs()) return
      cancel = clock.after(tickMs, () => {
        cancel = undefined
        changed()
        arm()
      })
    }
    const stop = watch(() => {
      changed()
      arm()
    })
    arm()
    return () => {
      cancel?.()
      stop()
    }
  }
