/** Lets a few pass at a time; the others wait in order. */

export interface StartGate {
  /** Resolves when it is one's turn, or the signal aborts; the returned function lets the next one pass. */
  readonly enter: (signal: AbortSignal) => Promise<() => void>
}

export function openGate(most: number): StartGate {
  const waiting: (() => void)[] = []
  let inside = 0

  function leave(): void {
    inside--
    waiting.shift()?.()
  }

  return {
    async enter(signal) {
      if (inside >= most && !signal.aborted)
        await new Promise<void>((resolve) => {
          waiting.push(resolve)
          signal.addEventListener("abort", () => resolve(), { once: true })
        })
      inside++
      let hasLeft = false
      return () => {
        if (hasLeft) return
        hasLeft = true
        leave()
      }
    },
  }
}
