/** Those of this process who want to be told of something, and what it listens to for them: nothing that nobody here looks at. */

import { systemClock } from "#lib/clock.ts"
import type { Database } from "#lib/database.ts"
import type { FleetStore } from "#fleet/store.ts"
import {
  changeIn,
  changesTopic,
  erasedTopic,
  keepWatched,
  listsWatched,
  noticeIn,
  sessionTopic,
  workerTopic,
} from "./notices.ts"

/** Well within the time after which nobody is thought to look any more. */
const keepMs = 30_000
/** After an attempt that failed: the database may be away. */
const pauseMs = 1_000

type Watching = Pick<FleetStore, "watch" | "watchChanges" | "watchWorker" | "watchErased" | "close">
type TopicListener = (what: string | undefined) => void

interface Topic {
  readonly listeners: Set<TopicListener>
  /** What those who change something look for before they tell of it. */
  readonly watched: string | undefined
  readonly end: () => Promise<void>
}

export function openWatching(database: Pick<Database, "rows" | "watch">): Watching {
  const topics = new Map<string, Topic>()
  const ending = new AbortController()
  let stopKeeping = (): void => undefined

  function keepOn(): void {
    stopKeeping()
    stopKeeping = systemClock.after(keepMs, () => {
      const watched = [...topics.values()].flatMap((topic) => topic.watched ?? [])
      if (watched.length > 0) void keepWatched(database, watched).catch(() => undefined)
      keepOn()
    })
  }

  /** Everybody is told to look once it is certain that they will be told of what comes. */
  function begin(name: string, watched: string | undefined): Topic {
    const listeners = new Set<TopicListener>()
    const over = new AbortController()
    const notifyListeners: TopicListener = (what) => {
      for (const listener of listeners) listener(what)
    }
    const listening = (async () => {
      let stop = async (): Promise<void> => undefined
      for (let isListening = false; !over.signal.aborted;) {
        try {
          if (!isListening) stop = await database.watch(name, notifyListeners)
          isListening = true
          if (watched !== undefined) await keepWatched(database, [watched])
          break
        } catch {
          await systemClock.sleep(pauseMs, over.signal)
        }
      }
      if (!over.signal.aborted) notifyListeners(undefined)
      return () => stop()
    })()
    return {
      listeners,
      watched,
      async end() {
        over.abort()
        const stop = await listening
        await stop()
      },
    }
  }

  function listen(name: string, watched: string | undefined, listener: TopicListener): () => void {
    if (topics.size === 0) keepOn()
    const topic = topics.get(name) ?? begin(name, watched)
    topics.set(name, topic)
    // The same function may be given twice.
    const own: TopicListener = (what) => listener(what)
    topic.listeners.add(own)
    return () => {
      topic.listeners.delete(own)
      if (topic.listeners.size > 0 || topics.get(name) !== topic) return
      topics.delete(name)
      if (topics.size === 0) stopKeeping()
      if (!ending.signal.aborted) void topic.end().catch(() => undefined)
    }
  }

  return {
    watch: (sessionId, changed) => listen(sessionTopic(sessionId), sessionId, () => changed()),
    watchChanges: (changed) => listen(changesTopic, listsWatched, (text) => changed(changeIn(text ?? ""))),
    watchWorker: (worker, onNotice) =>
      listen(workerTopic(worker), undefined, (text) => onNotice(text === undefined ? undefined : noticeIn(text))),
    watchErased: (erased) => listen(erasedTopic, undefined, () => erased()),
    async close() {
      ending.abort()
      stopKeeping()
      const all = [...topics.values()]
      topics.clear()
      for (const { listeners } of all) listeners.clear()
      await Promise.all(all.map(({ end }) => end().catch(() => undefined)))
    },
  }
}
