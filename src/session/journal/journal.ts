/** The log and everything folded from it: an entry is stamped, written, passed to followers, and only then shown. */

import type { Entry, EntryBody } from "#agent/words/entry.ts"
import { type Follower, type KindPart, partsIn, refold, type OnEntry, partsOfKind } from "#agent/words/follower.ts"
import type { SessionState } from "#agent/words/state.ts"
import type { Log } from "#ground/transcript/log.ts"
import { pathOf } from "#ground/transcript/path.ts"
import { later } from "#lib/later.ts"
import { type Feed, openFeed } from "./feed.ts"
import { openPast, type Past } from "./past.ts"
import { openRecorder, type Recorder, type RecorderParts } from "./recorder.ts"

export interface Journal extends Omit<Recorder, "replay" | "begin"> {
  readonly feed: Feed
  readonly past: Past
  /** Followers get what `begin` reads, and everything after it. */
  readonly follow: (...followers: readonly Follower[]) => void
  /** Replays the kept entries, then what was recorded in the meantime. Everything later happens live. */
  readonly begin: (kept: readonly Entry[]) => void
  /** Whether entries are happening now, rather than being read from the log. */
  readonly isAwake: () => boolean
}

export function openJournal(
  parts: Omit<RecorderParts, "log" | "feed" | "fold"> & {
    readonly log: Log | undefined
    readonly unreadBytes: number
    /** The first of the kept entries that watchers are shown. */
    readonly wholeFrom: number
    readonly state: () => SessionState
  },
): Journal {
  // The past needs the feed, and the feed needs the past.
  const behind = later<Past>("The past")
  const feed: Feed = openFeed({
    state: parts.state,
    ...(parts.log && { older: (uuid) => behind.get().entriesAfter(uuid) }),
    begins: parts.unreadBytes > 0 || parts.wholeFrom > 0 ? "from_some_entry" : "from_the_start",
  })
  const past = openPast({ log: parts.log, feed })
  behind.settle(past)
  const followers: Follower[] = []
  const kindParts: KindPart[] = []
  const takers = new Map<Entry["kind"], readonly OnEntry[]>()
  let awake = false

  function fold(entry: Entry): void {
    let all = takers.get(entry.kind)
    if (!all) takers.set(entry.kind, (all = partsOfKind(kindParts, entry.kind)))
    for (const onEntry of all) onEntry(entry)
    if (entry.kind === "head" && awake) refold(followers, past.pathTo(entry.to))
  }
  const { replay, begin, ...recorder } = openRecorder({ ...parts, feed, fold })

  return {
    ...recorder,
    feed,
    past,
    follow(...more) {
      followers.push(...more)
      kindParts.push(...partsIn(more))
      takers.clear()
    },
    begin(kept) {
      for (const entry of restatedEntries(kept)) fold(entry)
      for (const [index, entry] of kept.entries()) replay(entry, index < parts.wholeFrom ? "folded" : "shown")
      if (kept.some(({ kind }) => kind === "head")) refold(followers, pathOf(kept))
      for (const { onRead } of followers) onRead?.()
      awake = true
      begin()
    },
    isAwake: () => awake,
  }
}

/** Entries that restate what was in force before the first entry that was read; a compaction contains them. */
export function restatedEntries([first]: readonly Entry[]): readonly Entry[] {
  if (first?.kind !== "compaction") return []
  const { uuid, parentUuid, at } = first
  return first.standing.map((body: EntryBody) => ({ ...body, uuid, parentUuid, at }))
}
