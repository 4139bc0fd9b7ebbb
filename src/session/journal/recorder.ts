/** Makes facts durable: an entry is stamped, written to the log, folded, and only then published. See decision 3. */

import type { Entry, EntryBody } from "#agent/words/entry.ts"
import type { Log, LogFailure } from "#ground/transcript/log.ts"
import type { Origin } from "#ground/transcript/line.ts"
import type { Clock } from "#lib/clock.ts"
import type { Ids } from "#lib/ids.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Feed } from "./feed.ts"

export interface Recorder {
  /** Before `begin`, recorded entries wait, so that they come after those of the log. */
  readonly record: (body: EntryBody) => Entry
  /** Applies an entry that is already in the log. */
  readonly replay: (entry: Entry, how?: "folded" | "shown") => void
  /** The log has been replayed: writes what was recorded in the meantime. */
  readonly begin: () => void
  readonly sync: () => Promise<Result<void, LogFailure>>
  /** The session is closing: what ends only because of that is published, but not kept. */
  readonly seal: () => void
  readonly isSealed: () => boolean
  /** Why the log cannot be written at the moment; nothing may happen until it can. */
  readonly failure: () => LogFailure | undefined
  /** Tries to write the entries missing since a failure, in order; on success the failure is cleared. */
  readonly recover: () => void
}

export interface RecorderParts {
  /** Absent when the session is not kept. */
  readonly log: Pick<Log, "append" | "sync"> | undefined
  readonly origin: () => Origin
  readonly feed: Feed
  readonly clock: Clock
  readonly ids: Ids
  readonly fold: (entry: Entry) => void
  readonly isLeft?: () => boolean
  readonly onFailure: (failure: LogFailure) => void
}

export function openRecorder(parts: RecorderParts): Recorder {
  const { log, feed, clock, ids, fold } = parts
  let last: string | null = null
  let failure: LogFailure | undefined
  /** Published but not written, oldest first. */
  const unwritten: (readonly [Entry, Origin])[] = []
  let sealed = false
  let early: Entry[] | undefined = []
  const isSealed = (): boolean => sealed || parts.isLeft?.() === true

  const fail = (why: LogFailure): void => {
    if (failure) return
    failure = why
    parts.onFailure(why)
  }
  const publish = (entry: Entry, how: "folded" | "shown" = "shown"): void => {
    // After a head the conversation grows from where it points; the head itself is a child of what it leaves.
    last = entry.kind === "head" ? entry.to : entry.uuid
    fold(entry)
    if (how === "shown") feed.publishEntry(entry)
  }

  const write = (to: Pick<Log, "append">, entry: Entry): void => {
    const origin = parts.origin()
    const written = failure ? failed(failure) : to.append(entry, origin)
    if (written.ok) return
    unwritten.push([entry, origin])
    fail(written.failure)
  }

  const put = (entry: Entry): void => {
    if (log && !isSealed()) write(log, entry)
    // What could not be written did happen, though: watchers are told, and the turn ends.
    publish(entry)
  }

  return {
    failure: () => failure,
    recover() {
      if (!log || !failure) return
      for (let next = unwritten[0]; next; next = unwritten[0]) {
        const written = log.append(...next)
        if (!written.ok) return void (failure = written.failure)
        unwritten.shift()
      }
      failure = undefined
    },
    record(body) {
      const entry: Entry = { ...body, uuid: ids.uuid(), parentUuid: last, at: clock.now() }
      if (early) early.push(entry)
      else put(entry)
      return entry
    },
    begin() {
      const waiting = early ?? []
      early = undefined
      for (const entry of waiting) put({ ...entry, parentUuid: last })
    },
    replay: publish,
    seal: () => void (sealed = true),
    isSealed,
    async sync() {
      if (failure) return { ok: false, failure }
      const synced = log ? await log.sync() : ok(undefined)
      if (!synced.ok) fail(synced.failure)
      return synced
    },
  }
}
