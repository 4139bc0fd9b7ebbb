/** What the server says now: asked again when it says that something changed, or every few seconds, while somebody looks. */

import { useContext, useEffect, useState } from "react"
import { systemClock } from "#lib/clock.ts"
import { type ApiFailure, getAgain } from "./api.ts"
import { ChangesContext, type ListChanges, type ChangingList } from "./changes.ts"

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

/** With the server's word, nothing depends on asking again: bounds how late a lost notice is made up for. */
const fallbackPollMs = 30_000

/** Timers of a page that nobody looks at are slow anyway. */
const backgroundMs = 20_000

export interface PollWish {
  readonly everyMs: number
  /** Also while nobody looks: it is in the title of the tab. */
  readonly inBackground?: boolean
  /** What the server says of it when it has changed; without it, it is only asked again and again. */
  readonly on?: readonly ChangingList[]
  /** Where they do not come with the context. */
  readonly changes?: ListChanges
}

export function usePolled<T>(path: string, wish: PollWish): Polled<T> {
  const around = useContext(ChangesContext)
  const { on, changes: listChanges = around, inBackground = false } = wish
  const everyMs = on && listChanges.isLive ? fallbackPollMs : wish.everyMs
  const changes = on?.reduce((sum, each) => sum + listChanges.times[each], 0) ?? 0
  const [known, setKnown] = useState<Known<T>>({ path })
  const [wake] = useState(newBell)
  useEffect(() => wake.ring(), [changes, wake])
  useEffect(() => {
    const ending = new AbortController()
    const { signal } = ending
    for (const [target, name] of waking) target.addEventListener(name, wake.ring, { signal })
    void keepAsking()
    return () => ending.abort()

    async function keepAsking(): Promise<void> {
      let mark: string | undefined
      for (let failures = 0; !signal.aborted;) {
        const answered = await getAgain<T>(path, mark, signal)
        if (signal.aborted) return
        failures = answered.ok ? 0 : failures + 1
        if (answered.ok && answered.value !== "unchanged") mark = answered.value.mark
        // What was known stays on the screen while the server is away.
        setKnown((before) => {
          const own = before.path === path ? before : { path }
          if (!answered.ok) return { ...own, failure: answered.failure }
          if (answered.value !== "unchanged") return { path, value: answered.value.value }
          return own.failure && own.value !== undefined ? { path, value: own.value } : own
        })
        const pauseMs = failures === 0 ? everyMs : Math.min(everyMs * 2 ** Math.min(failures, 2), 15_000)
        await wake.wait(document.hidden ? Math.max(pauseMs, backgroundMs) : pauseMs, signal)
        while (document.hidden && !inBackground && !signal.aborted) await wake.wait(60_000, signal)
      }
    }
  }, [path, everyMs, inBackground, wake])
  const own = known.path === path ? known : { path }
  return { value: own.value, failure: own.failure, refresh: wake.ring }
}

const waking: readonly (readonly [EventTarget, string])[] = [
  [window, "online"],
  // It may still be reached, as a server on this machine is.
  [window, "offline"],
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
