/** The log as a tree of places: where each entry stands, and after which other it goes on. Grows as the log does. */

import type { Entry } from "#agent/words/entry.ts"
import { entryKinds } from "./line.ts"
import { openPlaces } from "./places.ts"

/** A place is a number in the order of the log. Before the first is the beginning. */
export const beginning = -1

export interface Tree {
  readonly count: () => number
  /** Nothing for a line that is no entry of ours. */
  readonly kindAt: (place: number) => Entry["kind"] | undefined
  /** The place that the conversation was at before; for a head, the one that it sends to. */
  readonly parentOf: (place: number) => number
  readonly placeOf: (uuid: string) => number | undefined
  /** Where the conversation stands. */
  readonly tip: () => number
}

/** What the tree needs to know of a line. */
export interface Link {
  readonly uuid: string
  readonly parentUuid: string | null
  readonly kind: Entry["kind"] | undefined
  /** Where a head sends to. */
  readonly to?: string | null
}

export interface GrowingTree extends Tree {
  readonly add: (link: Link) => void
}

/**
 * Only what is further up counts as there, so that no chain can turn in a circle. What names an entry that is missing goes
 * on after the line before the first that named it, which was written right after the missing one.
 */
export function openTree(): GrowingTree {
  const places = openPlaces()
  /** For what is missing: the first place that names it. */
  const missing = new Map<string, number>()
  let parents = new Int32Array(64)
  let kinds = new Uint8Array(64)
  let count = 0

  /** A head is no part of any path: after it the conversation is where it sends. */
  const after = (place: number): number => (kinds[place] === head ? (parents[place] ?? beginning) : place)

  function resolve(uuid: string | null): number {
    if (uuid === null) return beginning
    const place = places.get(uuid)
    if (place !== undefined) return after(place)
    const before = (missing.get(uuid) ?? count) - 1
    return before < 0 ? beginning : after(before)
  }

  function note(uuid: string | null): void {
    if (uuid !== null && places.get(uuid) === undefined && !missing.has(uuid)) missing.set(uuid, count)
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
      kinds[count] = kind === undefined ? 0 : (codes.get(kind) ?? 0)
      places.add(uuid)
      count++
    },
    count: () => count,
    kindAt: (place) => entryKinds[(kinds[place] ?? 0) - 1],
    parentOf: (place) => (place < 0 || place >= count ? beginning : (parents[place] ?? beginning)),
    placeOf: places.get,
    tip: () => (count === 0 ? beginning : after(count - 1)),
  }
}

/** The places that lead to one, itself included, oldest first. `until` ends the walk with the first place that fits. */
export function walkTo(tree: Tree, place: number, until: (place: number) => boolean = () => false): number[] {
  const path: number[] = []
  for (let at = place; at >= 0; at = tree.parentOf(at)) {
    path.push(at)
    if (until(at)) break
  }
  return path.toReversed()
}

const codes: ReadonlyMap<string, number> = new Map(entryKinds.map((kind, index) => [kind, index + 1]))
const head = codes.get("head")
