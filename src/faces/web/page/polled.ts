/** What the server says now, asked again every few seconds while somebody looks. */

import { useEffect, useState } from "react"
import { systemClock } from "#lib/clock.ts"
import { type ApiFailure, get } from "./api.ts"

export interface Polled<T> {
  readonly value: T | undefined
  readonly failure: ApiFailure | undefined
  /** Asks again at once. */
  readonly refresh: () => void
}

interface Known<T> {
  readonly path: string
  readonly value?: T
  readonly failure?: ApiFailure
}

export function usePolled<T>(path: string, everyMs: number): Polled<T> {
  const [known, setKnown] = useState<Known<T>>({ path })
  const [wake] = useState(newBell)
  useEffect(() => {
    const ending = new AbortController()
    const { signal } = ending
    for (const [target, name] of waking) target.addEventListener(name, wake.ring, { signal })
    void keepAsking()
    return () => ending.abort()

    async function keepAsking(): Promise<void> {
      for (let failures = 0; !signal.aborted;) {
        const answered = await get<T>(path, signal)
        if (signal.aborted) return
        failures = answered.ok ? 0 : failures + 1
        // What was known stays on the screen while the server is away.
        setKnown((before) =>
          answered.ok
            ? { path, value: answered.value }
            : { ...(before.path === path ? before : { path }), failure: answered.failure },
        )
        await wake.wait(Math.min(everyMs * 2 ** Math.min(failures, 2), 15_000), signal)
        while (document.hidden && !signal.aborted) await wake.wait(60_000, signal)
      }
    }
  }, [path, everyMs, wake])
  const own = known.path === path ? known : { path }
  return { value: own.value, failure: own.failure, refresh: wake.ring }
}

const waking: readonly (readonly [EventTarget, string])[] = [
  [window, "online"],
  [window, "focus"],
  [document, "visibilitychange"],
]

interface Bell {
  readonly ring: () => void
  /** Until it rings, or so many milliseconds have passed. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
}

function newBell(): Bell {
  let waiting = new AbortController()
  return {
    ring: () => waiting.abort(),
    async wait(ms, signal) {
      if (waiting.signal.aborted) waiting = new AbortController()
      await systemClock.sleep(ms, AbortSignal.any([waiting.signal, signal]))
    },
  }
}

/** The time, for ages on the screen; changes twice a minute. */
export function useNow(): number {
  const [now, setNow] = useState(systemClock.now)
  useEffect(() => {
    const ending = new AbortController()
    void (async () => {
      while (!ending.signal.aborted) {
        await systemClock.sleep(30_000, ending.signal)
        setNow(systemClock.now())
      }
    })()
    return () => ending.abort()
  }, [])
  return now
}
