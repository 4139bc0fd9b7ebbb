/** Where facts become durable: an entry is stamped, written to the log, folded, and only then told. */

import type { Entry, EntryBody } from "#agent/words/entry.ts"
import type { Log, LogFailure } from "#ground/transcript/log.ts"
import type { Origin } from "#ground/transcript/line.ts"
import type { Clock } from "#lib/clock.ts"
import type { Ids } from "#lib/ids.ts"
import { ok, type Result } from "#lib/result.ts"
import type { Feed } from "./feed.ts"

export interface Recorder {
  readonly record: (body: EntryBody) => Entry
  /** Takes in an entry that is in the log already. */
  readonly replay: (entry: Entry) => void
  readonly sync: () => Promise<Result<void, LogFailure>>
  /** The session is being left: what ends only because of that is told, but not kept. */
  readonly seal: () => void
  /** The first failure to write, if there was one: nothing may happen after it. */
  readonly failure: () => LogFailure | undefined
}

export function openRecorder(parts: {
  /** Absent when the session is not kept. */
  readonly log: Pick<Log, "append" | "sync"> | undefined
  readonly origin: () => Origin
  readonly feed: Feed
  readonly clock: Clock
  readonly ids: Ids
  readonly fold: (entry: Entry) => void
  readonly onFailure: (failure: LogFailure) => void
}): Recorder {
  const { log, feed, clock, ids, fold } = parts
  let last: string | null = null
  let failure: LogFailure | undefined
  let isSealed = false

  const fail = (why: LogFailure): void => {
    if (failure) return
    failure = why
    parts.onFailure(why)
  }
  const publish = (entry: Entry): void => {
    // After a head the conversation grows from where it points; the head itself hangs on what it leaves.
    last = entry.kind === "head" ? entry.to : entry.uuid
    fold(entry)
    feed.publishEntry(entry)
  }

  return {
    failure: () => failure,
    record(body) {
      const entry: Entry = { ...body, uuid: ids.uuid(), parentUuid: last, at: clock.now() }
      const written = log && !failure && !isSealed ? log.append(entry, parts.origin()) : ok(undefined)
      if (!written.ok) fail(written.failure)
      // What could not be written did happen, though: whoever watches is told, and the turn ends.
      publish(entry)
      return entry
    },
    replay: publish,
    seal: () => void (isSealed = true),
    async sync() {
      if (failure) return { ok: false, failure }
      const synced = log ? await log.sync() : ok(undefined)
      if (!synced.ok) fail(synced.failure)
      return synced
    },
  }
}
