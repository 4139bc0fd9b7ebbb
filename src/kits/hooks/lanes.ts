/** Keeps calls apart that a hook has changed: who may run beside others was settled by what the model wrote. */

export type RunInLane = <T>(lane: "beside" | "alone", work: () => Promise<T>) => Promise<T>

/** Calls as they were run side by side; one that a hook made into something else waits for them, and those after it wait for it. */
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
