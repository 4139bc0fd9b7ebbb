/** What a review shows: the list of files, lines as they come into sight, and comments. */

import { useCallback, useEffect, useRef, useState } from "react"
import { type ApiFailure, type ApiResult, at, failureText, get, post } from "#faces/web/page/api.ts"
import type { ChangedFile } from "#fleet/changes.ts"
import type { ChangedFilePage, ChangesPage, CommentList, ShownComment } from "#faces/web/page/contract-changes.ts"
import { type Polled, usePolled } from "#faces/web/page/polled.ts"
import { systemClock } from "#lib/clock.ts"
import { ok } from "#lib/result.ts"
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

const againMs = 3_000

interface KnownFiles {
  readonly revision: string
  readonly files: readonly ChangedFile[]
}

/** The list is read once; afterwards only what is different in it. */
function useChangedFiles(path: string): Polled<ChangesPage> {
  const head = usePolled<ChangesPage>(`${path}?limit=0`, { everyMs: 10_000, on: ["sessions"] })
  const [known, setKnown] = useState<KnownFiles>()
  const [failure, setFailure] = useState<ApiFailure>()
  const revision = head.value?.revision
  useEffect(() => {
    if (revision === undefined || BigInt(known?.revision ?? 0) >= BigInt(revision)) return undefined
    const ending = new AbortController()
    void read(ending.signal)
    return () => ending.abort()

    async function read(signal: AbortSignal): Promise<void> {
      const files = await filesAt(path, known, signal)
      if (signal.aborted) return
      setFailure(files.ok ? undefined : files.failure)
      if (files.ok) return setKnown(files.value)
      await systemClock.sleep(againMs, signal)
      if (!signal.aborted) await read(signal)
    }
  }, [path, revision, known])
  const isThere = head.value !== undefined && (revision === undefined || known !== undefined)
  return {
    value: isThere && head.value ? { ...head.value, files: known?.files ?? [] } : undefined,
    failure: head.failure ?? failure,
    refresh: head.refresh,
  }
}

async function filesAt(
  path: string,
  known: KnownFiles | undefined,
  signal: AbortSignal,
): Promise<ApiResult<KnownFiles>> {
  const since = known ? `&since=${known.revision}` : ""
  const read = await get<ChangesPage>(`${path}?limit=${mostFiles}${since}`, signal)
  if (!read.ok) return read
  const { revision = "0", files, total } = read.value
  if (!known) return ok({ revision, files })
  const changed = new Map(files.map((file) => [file.id, file]))
  const merged = known.files.map((file) => changed.get(file.id) ?? file)
  const isWhole = merged.length === Math.min(total.files, mostFiles)
  const isKnown = files.every(({ id }) => known.files.some((file) => file.id === id))
  // One came or went, and the list says where.
  return isWhole && isKnown ? ok({ revision, files: merged }) : filesAt(path, undefined, signal)
}

export function useReviewData(sessionId: string, isWorking: boolean | undefined): ReviewData {
  const session = `/api/sessions/${at(sessionId)}`
  const changes = useChangedFiles(`${session}/changes`)
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
