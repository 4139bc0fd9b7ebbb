/** Hears from the server when lists have changed. Only the page that is looked at listens: browsers have few connections to one server. */

import { type Context, createContext, useEffect, useState } from "react"
import { systemClock } from "#lib/clock.ts"
import type { FleetChange } from "#fleet/store.ts"
import { objectIn } from "#lib/json.ts"

export type ChangingList = FleetChange["what"]

export interface HeardChanges {
  /** While it is, lists need not be asked for again and again. */
  readonly isLive: boolean
  /** How often each kind of list was said to have changed. */
  readonly times: { readonly [list in ChangingList]: number }
}

const nothingHeard: HeardChanges = { isLive: false, times: { approvals: 0, sessions: 0, teams: 0, workers: 0 } }

export const ChangesContext: Context<HeardChanges> = createContext(nothingHeard)

const againMs = 5_000

export function useChanges(isSignedIn: boolean): HeardChanges {
  const [heard, setHeard] = useState(nothingHeard)
  useEffect(() => {
    if (!isSignedIn) return undefined
    const ending = new AbortController()
    const { signal } = ending
    let source: EventSource | undefined
    const look = (): void => {
      if (document.hidden) close()
      else source ??= open()
    }
    document.addEventListener("visibilitychange", look, { signal })
    look()
    return () => {
      ending.abort()
      close()
    }

    function open(): EventSource {
      const opened = new EventSource("/api/changes")
      opened.addEventListener("open", () => setHeard((before) => ({ ...before, isLive: true })))
      opened.addEventListener("changed", ({ data }) => setHeard((before) => counted(before, String(data))))
      opened.addEventListener("error", () => {
        setHeard((before) => ({ ...before, isLive: false }))
        // A lost connection is made again by the browser, which says what it heard last; after a refusal it is not.
        if (opened.readyState === EventSource.CLOSED && opened === source) void again()
      })
      return opened
    }

    function close(): void {
      source?.close()
      source = undefined
      setHeard((before) => ({ ...before, isLive: false }))
    }

    async function again(): Promise<void> {
      source = undefined
      await systemClock.sleep(againMs, signal)
      if (!signal.aborted) look()
    }
  }, [isSignedIn])
  return heard
}

function counted(before: HeardChanges, data: string): HeardChanges {
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
