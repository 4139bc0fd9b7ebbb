/** The log as a tree of places: where each entry is, and which one it follows. Grows with the log. */

import type { Entry } from "#agent/words/entry.ts"
import { entryKinds } from "./entry-kinds.ts"
import { openPlaces } from "./places.ts"

/** A place is a number in the order of the log. `beginning` comes before the first. */
export const beginning = -1

export interface EntryTree {
  readonly count: () => number
  /** Undefined for a line that is not one of our entries. */
  readonly kindAt: (place: number) => Entry["kind"] | undefined
  /** The previous place of the conversation; for a head, the place it points to. */
  readonly parentOf: (place: number) => number
  readonly placeOf: (uuid: string) => number | undefined
  readonly tip: () => number
}

export interface Link {
  readonly uuid: string
  readonly parentUuid: string | null
  readonly kind: Entry["kind"] | undefined
  readonly to?: string | null
}

export interface GrowingTree extends EntryTree {
  readonly add: (link: Link) => void
}

/**
 * Only earlier lines count as parents, so that no chain can form a cycle. An entry with a missing parent follows the
 * line before the first one that named it, which was written right after the missing one.
 */
export function openTree(): GrowingTree {
  const places = openPlaces()
  /** The first place that names each missing entry. */
  const missing = new Map<string, number>()
  let parents = new Int32Array(64)
  let kinds = new Uint8Array(64)
  let count = 0
  /** The entry before, which most entries follow: it needs no look-up. */
  let last: { readonly uuid: string; readonly place: number } | undefined

  const find = (uuid: string): number | undefined => (uuid === last?.uuid ? last.place : places.get(uuid))

  /** A head is not part of any path: after it the conversation is at its target. */
  const after = (place: number): number => (kinds[place] === head ? (parents[place] ?? beginning) : place)

  function resolve(uuid: string | null): number {
    if (uuid === null) return beginning
    const place = find(uuid)
    if (place !== undefined) return after(place)
    const before = (missing.get(uuid) ?? count) - 1
    return before < 0 ? beginning : after(before)
  }

  function note(uuid: string | null): void {
    if (uuid !== null && find(uuid) === undefined && !missing.has(uuid)) missing.set(uuid, count)
  }

  function grow(): void {
    const [more, kindsBefore] = [new Int32Array(count * 2), kinds]
    more.set(parents)
    parents = more
    kinds = new Uint8Array(count * 2)
    kinds.set(kindsBefore)
  }

  return {
    add({ uuid, parentUuid, kind, to = null }) {
      if (count === parents.length) grow()
      note(parentUuid)
      parents[count] = resolve(kind === "head" ? to : parentUuid)
      kinds[count] = kind === undefined ? 0 : entryKinds.indexOf(kind) + 1
      last = { uuid, place: places.add(uuid) }
      count++
    },
    count: () => count,
    kindAt: (place) => entryKinds[(kinds[place] ?? 0) - 1],
    parentOf: (place) => (place < 0 || place >= count ? beginning : (parents[place] ?? beginning)),
    placeOf: places.get,
    tip: () => (count === 0 ? beginning : after(count - 1)),
  }
}

/** The places that lead to one, itself included, oldest first. `until` stops the walk at the first match. */
export function walkTo(tree: EntryTree, place: number, until: (place: number) => boolean = () => false): number[] {
  const path: number[] = []
  for (let at = place; at >= 0; at = tree.parentOf(at)) {
    path.push(at)
    if (until(at)) break
  }
  return path.toReversed()
}

const head = entryKinds.indexOf("head") + 1
