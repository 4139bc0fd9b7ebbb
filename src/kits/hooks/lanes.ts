/** Runs calls changed by a hook separately: which calls may run in parallel was decided by the original input. */

export type RunInLane = <T>(lane: "beside" | "alone", work: () => Promise<T>) => Promise<T>

/** Runs calls in parallel as planned; one that a hook changed into something else waits for them, and later calls wait for it. */
export function openLanes(): RunInLane {
  const running = new Set<Promise<unknown>>()
  let lastAlone: Promise<unknown> = Promise.resolve()

  return async (lane, work) => {
    if (lane === "alone") {
      const own = Promise.allSettled([lastAlone, ...running]).then(work)
      lastAlone = own.catch(() => {})
      return own
    }
    // While it waited for one, another may have come.
    for (let before: unknown; before !== lastAlone;) {
      before = lastAlone
      await before
    }
    const own = work()
    running.add(own)
    return own.finally(() => running.delete(own))
  }
}
