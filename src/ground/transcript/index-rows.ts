/** The index of a log: the tree of its entries, and the offset of each. About sixty bytes per entry of any size. */

import { type Link, openTree, type EntryTree } from "./tree.ts"

export interface Range {
  readonly at: number
  readonly bytes: number
}

export interface IndexRows extends EntryTree {
  readonly rangeOf: (place: number) => Range
}

export interface GrowingRows extends IndexRows {
  /** A second copy of an entry changes nothing. */
  readonly add: (link: Link, range: Range) => void
}

export function openRows(): GrowingRows {
  const tree = openTree()
  let starts = new Float64Array(64)
  let lengths = new Uint32Array(64)

  function grow(): void {
    const [startsBefore, lengthsBefore] = [starts, lengths]
    starts = new Float64Array(startsBefore.length * 2)
    starts.set(startsBefore)
    lengths = new Uint32Array(lengthsBefore.length * 2)
    lengths.set(lengthsBefore)
  }

  return {
    ...tree,
    add(link, { at, bytes }) {
      if (tree.placeOf(link.uuid) !== undefined) return
      const place = tree.count()
      if (place === starts.length) grow()
      starts[place] = at
      lengths[place] = bytes
      tree.add(link)
    },
    rangeOf: (place) => ({ at: starts[place] ?? 0, bytes: lengths[place] ?? 0 }),
  }
}
