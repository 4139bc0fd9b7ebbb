/** What a review shows: the list of files, lines as they come into sight, and comments. */

import { useCallback, useEffect, useRef, useState } from "react"
import { at, failureText, get, post } from "#faces/web/page/api.ts"
import type { ChangedFile } from "#fleet/changes.ts"
import type { ChangedFilePage, ChangesPage, CommentList, ShownComment } from "#faces/web/page/contract-changes.ts"
import { type Polled, usePolled } from "#faces/web/page/polled.ts"
import type { LoadedFile } from "./review-blocks.ts"

/** More than anybody reviews; the server says how many there are in all. */
const mostFiles = 5_000

export interface ReviewData {
  readonly changes: Polled<ChangesPage>
  readonly comments: readonly ShownComment[]
  readonly refreshComments: () => void
  readonly loaded: ReadonlyMap<string, LoadedFile>
  /** Asks for more lines of a file, unless that is under way. */
  readonly load: (file: ChangedFile, from: number) => void
  /** Has a worker read the changes again. */
  readonly readAgain: () => void
  readonly isReading: boolean
  readonly problem: string
}

export function useReviewData(sessionId: string, isWorking: boolean | undefined): ReviewData {
  const session = `/api/sessions/${at(sessionId)}`
  const changes = usePolled<ChangesPage>(`${session}/changes?limit=${mostFiles}`, { everyMs: 10_000, on: ["sessions"] })
  const comments = usePolled<CommentList>(`${session}/comments`, { everyMs: 10_000, on: ["sessions"] })
  const [loaded, setLoaded] = useState<ReadonlyMap<string, LoadedFile>>(() => new Map())
  const [isReading, setReading] = useState(false)
  const [problem, setProblem] = useState("")
  const asking = useRef(new Set<string>())
  const { refresh } = changes

  const load = useCallback(
    ({ id, version }: ChangedFile, from: number): void => {
      const key = `${id} ${version} ${from}`
      if (asking.current.has(key)) return
      asking.current.add(key)
      void get<ChangedFilePage>(`${session}/changes/${at(id)}?from=${from}`).then((page) => {
        asking.current.delete(key)
        setLoaded((before) => {
          const old = before.get(id)
          const known = old?.version === version ? old : { version, hunks: [], next: 0 }
          const next: LoadedFile = page.ok
            ? {
                version: page.value.file.version,
                hunks: [...(from === 0 ? [] : known.hunks), ...page.value.hunks],
                next: page.value.next,
              }
            : { ...known, problem: failureText(page.failure) }
          return new Map([...before, [id, next]])
        })
        // It was changed meanwhile.
        if (page.ok && page.value.file.version !== version) refresh()
      })
    },
    [session, refresh],
  )

  const readAgain = useCallback((): void => {
    setReading(true)
    void post(`${session}/changes/refresh`, {}).then((answered) => {
      setReading(false)
      setProblem(answered.ok ? "" : failureText(answered.failure))
      refresh()
    })
  }, [session, refresh])

  // Once by itself, and again when it stops working: opening a session to look may itself be written down.
  const isStale = changes.value?.isStale
  const [last, setLast] = useState<boolean>()
  useEffect(() => {
    if (isStale === undefined || isWorking === undefined || last === isWorking) return
    setLast(isWorking)
    if (isStale) readAgain()
  }, [isStale, isWorking, last, readAgain])

  return {
    changes,
    comments: comments.value?.comments ?? [],
    refreshComments: comments.refresh,
    loaded,
    load,
    readAgain,
    isReading,
    problem,
  }
}
