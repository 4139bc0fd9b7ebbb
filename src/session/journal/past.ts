/** The past of a session, read on demand. A session keeps only what it needs in memory; the rest is read from the log through an index that is built once. */

import type { Entry } from "#agent/words/entry.ts"
import type { EntryKind } from "#agent/words/follower.ts"
import { fetchEntries, fetchNow } from "#ground/transcript/fetch.ts"
import type { Log } from "#ground/transcript/log.ts"
import { type Branch, branchesIn, branchPlaces, treeOf } from "#ground/transcript/path.ts"
import { type EntryTree, walkTo } from "#ground/transcript/tree.ts"
import type { Feed } from "./feed.ts"
import { type LogParts, logParts } from "./log-parts.ts"

export interface Past {
  /** Every entry, in log order: expensive, for the few callers that need all of them. */
  readonly entries: () => Promise<readonly Entry[]>
  /** Entries after the given one, or all, in batches. Nothing comes after an unknown entry. */
  readonly entriesAfter: (uuid: string | null) => AsyncIterable<readonly Entry[]>
  readonly ofKinds: (...kinds: readonly EntryKind[]) => Promise<readonly Entry[]>
  readonly lastOf: (kind: EntryKind, most: number) => Promise<readonly Entry[]>
  /** What shows who changed which file when: the first entry, then turns, prompts, snapshots and reviews. */
  readonly history: () => Promise<readonly Entry[]>
  /** The same for the last turn alone, after the snapshot before it. */
  readonly lastTurn: () => Promise<readonly Entry[]>
  readonly path: (...kinds: readonly EntryKind[]) => Promise<readonly Entry[]>
  /**
   * Entries that lead to the given one, inclusive, from the last compaction on, as a resume would read them; none for null. Synchronous, because the
   * conversation continues from there before anything else happens.
   */
  readonly pathTo: (uuid: string | null) => readonly Entry[]
  readonly tip: () => Promise<string | null>
  /** Rejects when the log cannot be read. */
  readonly parts: (before: string) => Promise<LogParts>
  readonly branches: () => Promise<readonly Branch[]>
}

interface EntrySource {
  readonly tree: EntryTree
  /** In the log; 0 for what is in memory. */
  readonly bytesAt: (place: number) => number
  readonly read: (places: readonly number[]) => Promise<readonly Entry[]>
}

const ofHistory: ReadonlySet<EntryKind> = new Set<EntryKind>(["turn_start", "prompt", "snapshot", "review"])
const pieceEntries = 500
const pieceBytes = 500_000

export function openPast({ log, feed }: { readonly log: Log | undefined; readonly feed: Feed }): Past {
  /** If the log is not kept or cannot be read any more, the entries since the session was opened remain. */
  function remembered(): EntrySource {
    const entries = feed.entries()
    return {
      tree: treeOf(entries),
      bytesAt: () => 0,
      read: async (places) => places.flatMap((place) => entries[place] ?? []),
    }
  }

  /** `known`: what the index contains is enough, without reading. */
  async function ask<T>(question: (source: EntrySource) => Promise<T>, scope?: "known"): Promise<T> {
    if (!log) return question(remembered())
    try {
      const tree = scope === "known" ? log.index.known() : await log.index.whole()
      return await question({
        tree,
        bytesAt: (place) => tree.rangeOf(place).bytes,
        read: (places) => fetchEntries(log.path, tree, places),
      })
    } catch {
      return question(remembered())
    }
  }

  return {
    entries: () => ask((source) => source.read(placesAfter(source, null, Infinity))),
    async *entriesAfter(uuid) {
      let last = uuid
      for (;;) {
        const from = last
        const piece = await ask((source) => source.read(placesAfter(source, from, pieceBytes)))
        if (piece.length === 0) return
        yield piece
        last = piece.at(-1)?.uuid ?? null
      }
    },
    ofKinds: (...kinds) => ask(({ tree, read }) => read(placesOf(tree, new Set(kinds)))),
    lastOf: (kind, most) => ask(({ tree, read }) => read(placesOf(tree, new Set([kind])).slice(-most))),
    history: () =>
      ask(({ tree, read }) => {
        const places = placesOf(tree, ofHistory)
        return read(places[0] === 0 || tree.count() === 0 ? places : [0, ...places])
      }),
    async lastTurn() {
      const inTurn = async ({ tree, read }: EntrySource): Promise<readonly Entry[] | undefined> => {
        const places = lastTurnIn(tree)
        return places && read(places)
      }
      return (await ask(inTurn, "known")) ?? (await ask(inTurn)) ?? []
    },
    path: (...kinds) =>
      ask(({ tree, read }) => {
        const wanted = new Set<EntryKind | undefined>(kinds)
        return read(walkTo(tree, tree.tip()).filter((place) => wanted.has(tree.kindAt(place))))
      }),
    pathTo(uuid) {
      if (uuid === null) return []
      try {
        if (log) return fetchNow(log.path, log.index.wholeNow(), pathPlaces(log.index.wholeNow(), uuid))
      } catch {
        // Fall back to what is in memory.
      }
      const entries = feed.entries()
      return pathPlaces(treeOf(entries), uuid).flatMap((place) => entries[place] ?? [])
    },
    tip: () =>
      ask(async ({ tree, read }) => {
        const [last] = tree.tip() < 0 ? [] : await read([tree.tip()])
        return last?.uuid ?? null
      }),
    parts: async (before) => (log ? logParts(log.path, await log.index.whole(), before) : { parts: [], rest: 0 }),
    branches: () =>
      ask(async ({ tree, read }) => {
        const places = branchPlaces(tree).flatMap(({ tip, prompt }) => [tip, prompt])
        const wanted = new Set([...places, tree.count() - 1].filter((place) => place >= 0))
        const found = new Map<number, Entry>()
        for (const entry of await read([...wanted].sort((a, b) => a - b)))
          found.set(tree.placeOf(entry.uuid) ?? -1, entry)
        return branchesIn(tree, (place) => found.get(place))
      }),
  }
}

function placesOf(tree: EntryTree, kinds: ReadonlySet<EntryKind>): number[] {
  const wanted: ReadonlySet<EntryKind | undefined> = kinds
  const places: number[] = []
  for (let place = 0; place < tree.count(); place++) if (wanted.has(tree.kindAt(place))) places.push(place)
  return places
}

/** Skips lines that are not our entries, so that no batch is empty. */
function placesAfter({ tree, bytesAt }: EntrySource, uuid: string | null, mostBytes: number): number[] {
  const mostPlaces = mostBytes === Infinity ? Infinity : pieceEntries
  const places: number[] = []
  let bytes = 0
  const from = uuid === null ? 0 : (tree.placeOf(uuid) ?? tree.count()) + 1
  for (let place = from; place < tree.count() && places.length < mostPlaces && bytes < mostBytes; place++) {
    if (tree.kindAt(place) === undefined) continue
    places.push(place)
    bytes += bytesAt(place)
  }
  return places
}

/** Undefined where no turn is known. */
function lastTurnIn(tree: EntryTree): number[] | undefined {
  const places: number[] = []
  let hasTurn = false
  for (let place = tree.count() - 1; place >= 0; place--) {
    const kind = tree.kindAt(place)
    if (hasTurn ? kind === "snapshot" : kind !== undefined && ofHistory.has(kind)) places.push(place)
    if (hasTurn && kind === "snapshot") break
    hasTurn ||= kind === "turn_start"
  }
  return hasTurn ? places.toReversed() : undefined
}

function pathPlaces(tree: EntryTree, uuid: string): number[] {
  const place = tree.placeOf(uuid)
  return place === undefined ? [] : walkTo(tree, place, (at) => tree.kindAt(at) === "compaction")
}
