/** Sessions in some stages, newest first: the first of them as they are now, and more when they are asked for. */

import { useState } from "react"
import type { SessionStage } from "#agent/words/stage.ts"
import { type ApiFailure, get } from "#faces/web/page/api.ts"
import type { SessionPage, ShownSession } from "#faces/web/page/contract.ts"
import { usePolled } from "#faces/web/page/polled.ts"
import { queryOf, type SessionFilter } from "./session-filter.ts"

export interface SessionList {
  /** Undefined until they are known. */
  readonly sessions: readonly ShownSession[] | undefined
  readonly failure: ApiFailure | undefined
  /** Undefined if these are all. */
  readonly loadMore: (() => void) | undefined
}

const pageItems = 50

export const useSessionList = (stages: readonly SessionStage[]): SessionList =>
  useSessionsAt(`stage=${stages.join(",")}`)

/** What the filter of the page says. */
export const useFoundSessions = (filter: SessionFilter): SessionList => useSessionsAt(queryOf(filter))

function useSessionsAt(query: string): SessionList {
  const path = `/api/sessions?limit=${pageItems}&${query}`
  const first = usePolled<SessionPage>(path, { everyMs: 4_000, on: ["sessions", "approvals"] })
  const [loaded, setLoaded] = useState<{ readonly path: string; readonly page: SessionPage }>()
  const more = loaded?.path === path ? loaded.page : undefined
  const next = more ? more.next : first.value?.next
  const load = async (after: string): Promise<void> => {
    const page = await get<SessionPage>(`${path}&after=${encodeURIComponent(after)}`)
    if (!page.ok) return
    setLoaded({ path, page: { ...page.value, sessions: [...(more?.sessions ?? []), ...page.value.sessions] } })
  }
  const known = first.value && [...first.value.sessions, ...(more?.sessions ?? [])]
  return {
    // What moved between pages is there twice; the first one is newer.
    sessions: known?.filter((each, at) => known.findIndex(({ id }) => id === each.id) === at),
    failure: first.failure,
    loadMore: next === undefined ? undefined : () => void load(next),
  }
}
