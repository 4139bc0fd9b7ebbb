/** Lets many in together, or one alone: several agents may change named files while nobody scans everything. */

export interface SharedGate {
  /** Waits while someone is alone; returns the function to leave. */
  readonly enter: () => Promise<() => void>
  readonly alone: <T>(act: () => Promise<T>) => Promise<T>
}

export function openGate(): SharedGate {
  let inside = 0
  let alone: Promise<void> | undefined
  let emptied = Promise.withResolvers<void>()

  return {
    async enter() {
      while (alone) await alone
      inside++
      let isIn = true
      return () => {
        if (!isIn) return
        isIn = false
        if (--inside > 0) return
        emptied.resolve()
        emptied = Promise.withResolvers()
      }
    },
    async alone(act) {
      while (alone) await alone
      const over = Promise.withResolvers<void>()
      alone = over.promise
      try {
        while (inside > 0) await emptied.promise
        return await act()
      } finally {
        alone = undefined
        over.resolve()
      }
    },
  }
}
