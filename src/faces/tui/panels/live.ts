/** Keeps a panel up to date: with what happens, and once a second while something runs whose time is shown. */

import type { Clock } from "#lib/clock.ts"
import type { Subscribe } from "./panel.ts"

const tickMs = 1000

export const liveWatch =
  (watch: Subscribe, clock: Clock, runs: () => Promise<boolean>): Subscribe =>
  (changed) => {
    let cancel: (() => void) | undefined
    let isAsking = false
    let isOver = false
    const arm = async (): Promise<void> => {
      if (cancel || isAsking) return
      isAsking = true
      const does = await runs()
      isAsking = false
      if (!does || isOver) return
      cancel = clock.after(tickMs, () => {
        cancel = undefined
        changed()
        void arm()
      })
    }
    const stop = watch(() => {
      changed()
      void arm()
    })
    void arm()
    return () => {
      isOver = true
      cancel?.()
      stop()
    }
  }
