/**
 * Follows a session: a stream that is taken up again where it was cut off. Only while somebody looks: browsers have six connections to one
 * server, and with that many tabs nothing else would reach it.
 */

import { useEffect, useState } from "react"
import { systemClock } from "#lib/clock.ts"
import { at, get } from "./api.ts"
import type { LatestEvents } from "./contract.ts"
import { fold, type Folded, nothingYet, type StreamEvent } from "./folded.ts"

/** `waiting`: other windows follow as many sessions as one browser can. */
export type Connection = "connecting" | "waiting" | "live" | "lost" | "signed_out" | "missing"

export interface LiveSession extends Folded {
  readonly connection: Connection
  /** Only the newest of it is here yet. */
  readonly isPartial: boolean
}

/** What a screen shows at first. A session that has not much more is read from its beginning. */
const latest = 160

const types = ["entry", "moment", "stage", "approval"]
const waits = [500, 1_000, 2_000, 4_000, 8_000]

export function useFollowed(sessionId: string): LiveSession {
  const [followed, setFollowed] = useState<LiveSession & { readonly of: string }>(() => begun(sessionId))
  useEffect(() => {
    const ending = new AbortController()
    setFollowed(begun(sessionId))
    void keepFollowing(sessionId, ending.signal, (change) =>
      setFollowed((before) => (before.of === sessionId ? { ...before, ...change } : before)),
    )
    return () => ending.abort()
  }, [sessionId])
  return followed.of === sessionId ? followed : begun(sessionId)
}

const begun = (of: string): LiveSession & { readonly of: string } => ({
  ...nothingYet,
  connection: "connecting",
  isPartial: false,
  of,
})

/** The newest first, so that there is something to look at; then all of it, which is shown when it is complete. */
async function keepFollowing(
  sessionId: string,
  signal: AbortSignal,
  onChange: (change: Partial<LiveSession>) => void,
): Promise<void> {
  const path = `/api/sessions/${at(sessionId)}`
  const newest = await get<LatestEvents>(`${path}/latest?limit=${latest}`, signal)
  if (signal.aborted) return
  const isLong = newest.ok && newest.value.total > 2 * newest.value.events.length
  const complete = isLong ? newest.value.total : 0
  if (isLong) onChange({ ...fold(nothingYet, newest.value.events), isPartial: true })
  let folded = nothingYet
  for (let failures = 0; !signal.aborted;) {
    if (document.hidden) await lookedAt(signal)
    if (signal.aborted) return
    const isReached = await seated(
      signal,
      () => onChange({ connection: "waiting" }),
      () =>
        once(`${path}/events?after=${folded.cursor}`, signal, (events) => {
          folded = fold(folded, events)
          onChange(
            folded.cursor < complete ? { connection: "live" } : { ...folded, connection: "live", isPartial: false },
          )
        }),
    )
    if (signal.aborted) return
    if (document.hidden) continue
    failures = isReached ? 0 : failures + 1
    // A stream does not say why it ended.
    const asked = await get(path, signal)
    if (signal.aborted) return
    const refused = asked.ok ? undefined : asked.failure
    const connection: Connection =
      refused?.kind === "signed_out"
        ? "signed_out"
        : refused?.kind === "refused" && refused.status === 404
          ? "missing"
          : "lost"
    onChange({ connection })
    if (connection === "missing") return
    const ms = waits[Math.min(failures, waits.length - 1)] ?? 1_000
    await systemClock.sleep(ms, AbortSignal.any([signal, backOnline(signal)]))
  }
}

/** Of six connections, one is for changes and one for everything that is asked and decided. */
const seats = ["1", "2", "3", "4"].map((nth) => `codewright session ${nth}`)
const seatMs = 1_000

/** Does it while no more than four windows do; until then it waits, as long as somebody looks. */
async function seated(signal: AbortSignal, wait: () => void, follow: () => Promise<boolean>): Promise<boolean> {
  // With TLS there is usually one connection for everything.
  if (location.protocol === "https:" || !("locks" in navigator)) return follow()
  for (; !signal.aborted && !document.hidden; await systemClock.sleep(seatMs, signal)) {
    for (const seat of seats) {
      const done = await navigator.locks.request(seat, { ifAvailable: true }, async (lock) =>
        lock && !signal.aborted ? { isReached: await follow() } : undefined,
      )
      if (done) return done.isReached
      if (signal.aborted) return false
    }
    wait()
  }
  return false
}

/** Until the stream breaks; returns whether it was open. */
function once(path: string, signal: AbortSignal, onEvents: (events: readonly StreamEvent[]) => void): Promise<boolean> {
  return new Promise((resolve) => {
    const source = new EventSource(path)
    let isOpen = false
    let waiting: StreamEvent[] = []
    let frame = 0
    const flush = (): void => {
      frame = 0
      const events = waiting
      waiting = []
      onEvents(events)
    }
    const over = new AbortController()
    const listening = { signal: over.signal }
    const end = (): void => {
      over.abort()
      cancelAnimationFrame(frame)
      if (waiting.length > 0 && !signal.aborted) onEvents(waiting)
      source.close()
      resolve(isOpen)
    }
    source.addEventListener("open", () => {
      isOpen = true
      onEvents([])
    })
    source.addEventListener("error", end)
    signal.addEventListener("abort", end, listening)
    addEventListener("offline", end, listening)
    document.addEventListener("visibilitychange", () => document.hidden && end(), listening)
    for (const type of types)
      source.addEventListener(type, (event) => {
        waiting.push({ id: Number(event.lastEventId), type, data: String(event.data) })
        // Much may arrive at once, and is drawn at once.
        if (frame === 0) frame = requestAnimationFrame(flush)
      })
  })
}

const lookedAt = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const over = new AbortController()
    const checkVisible = (): void => {
      if (document.hidden && !signal.aborted) return
      over.abort()
      resolve()
    }
    document.addEventListener("visibilitychange", checkVisible, { signal: over.signal })
    signal.addEventListener("abort", checkVisible, { signal: over.signal })
  })

function backOnline(signal: AbortSignal): AbortSignal {
  const back = new AbortController()
  addEventListener("online", () => back.abort(), { once: true, signal })
  return back.signal
}
