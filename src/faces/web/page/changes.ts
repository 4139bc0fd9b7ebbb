/**
 * Hears from the server when lists have changed. Only one window of a browser listens, one that is looked at, and tells the others: browsers
 * have few connections to one server.
 */

import { type Context, createContext, useEffect, useState } from "react"
import { systemClock } from "#lib/clock.ts"
import type { FleetChange } from "#fleet/store.ts"
import { objectIn } from "#lib/json.ts"

export type ChangingList = FleetChange["what"]

export interface ListChanges {
  /** While it is, lists need not be asked for again and again. */
  readonly isLive: boolean
  /** How often each kind of list was said to have changed. */
  readonly times: { readonly [list in ChangingList]: number }
}

const noChanges: ListChanges = { isLive: false, times: { approvals: 0, sessions: 0, teams: 0, workers: 0 } }

export const ChangesContext: Context<ListChanges> = createContext(noChanges)

const againMs = 5_000
const shared = "codewright changes"

export function useChanges(isSignedIn: boolean): ListChanges {
  const [changes, setHeard] = useState(noChanges)
  useEffect(() => {
    if (!isSignedIn) return undefined
    const ending = new AbortController()
    listen(ending.signal, (word) => setHeard((before) => after(before, word)))
    return () => ending.abort()
  }, [isSignedIn])
  return changes
}

/** `live` and `lost` are about the stream; everything else is what came on it. */
type Word = string

/** Of all windows that are looked at, the one with the lock has the stream, and tells the others what comes on it. */
function listen(signal: AbortSignal, onWord: (word: Word) => void): void {
  const channel = new BroadcastChannel(shared)
  /** While this window is looked at. */
  let turn: AbortController | undefined
  /** While it is the one that has the stream. */
  let source: EventSource | undefined
  channel.addEventListener("message", ({ data }) => {
    if (!turn) return
    if (data !== "asked") onWord(String(data))
    else if (source?.readyState === EventSource.OPEN) tellOthers("live")
  })
  document.addEventListener("visibilitychange", updateTurn, { signal })
  signal.addEventListener("abort", () => {
    leave()
    channel.close()
  })
  updateTurn()

  function updateTurn(): void {
    if (document.hidden) leave()
    else if (!turn) enter()
  }

  function enter(): void {
    turn = new AbortController()
    const own = turn.signal
    tellOthers("asked")
    // Browsers have locks where pages cannot be changed on their way: on this machine, and with TLS.
    if ("locks" in navigator)
      void navigator.locks.request(shared, { signal: own }, () => keepStream(own)).catch(() => undefined)
    else void keepStream(own)
  }

  function leave(): void {
    turn?.abort()
    turn = undefined
    onWord("lost")
  }

  function tellOthers(word: Word): void {
    // oxlint-disable-next-line require-post-message-target-origin -- a channel reaches only its own origin, and takes no other.
    channel.postMessage(word)
  }

  function say(word: Word): void {
    onWord(word)
    tellOthers(word)
  }

  async function keepStream(own: AbortSignal): Promise<void> {
    while (!own.aborted) {
      await untilRefused(own)
      await systemClock.sleep(againMs, own)
    }
  }

  /** A lost connection is made again by the browser, which says what it heard last; after a refusal it is not. */
  function untilRefused(own: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      // Whoever had the stream before may have gone without a word.
      say("lost")
      const opened = new EventSource("/api/changes")
      source = opened
      const end = (): void => {
        opened.close()
        say("lost")
        resolve()
      }
      opened.addEventListener("open", () => say("live"))
      opened.addEventListener("changed", ({ data }) => say(String(data)))
      opened.addEventListener("error", () => (opened.readyState === EventSource.CLOSED ? end() : say("lost")))
      own.addEventListener("abort", end, { once: true })
    })
  }
}

const everything = JSON.stringify({ changed: Object.keys(noChanges.times) })

function after(before: ListChanges, word: Word): ListChanges {
  if (word === "lost") return before.isLive ? { ...before, isLive: false } : before
  if (word !== "live") return counted(before, word)
  // Nobody heard what happened in between.
  return before.isLive ? before : counted(before, everything)
}

function counted(before: ListChanges, data: string): ListChanges {
  const { changed } = objectIn(data) ?? {}
  const more = (list: ChangingList): number =>
    before.times[list] + (Array.isArray(changed) && changed.includes(list) ? 1 : 0)
  return {
    isLive: true,
    times: {
      approvals: more("approvals"),
      sessions: more("sessions"),
      teams: more("teams"),
      workers: more("workers"),
    },
  }
}
