/** A conversation laid out in full, as far as anyone looks: items become rows when they come into view. */

import type { Item } from "#faces/view/item.ts"

/** `row` counts within the item. */
export type Top = { readonly item: number; readonly row: number } | "end"

export interface Hit {
  readonly item: number
  readonly row: number
}

export interface Pages {
  readonly count: () => number
  readonly rows: (top: Top, room: number) => readonly string[]
  readonly moved: (top: Top, by: number, room: number) => Top
  /** Shows the hit a little below the top. */
  readonly around: (hit: Hit, room: number) => Top
  /** The part above, from 0 to 1. */
  readonly share: (top: Top, room: number) => number
  /** In order, in these items or all. Only items that contain the words are laid out. */
  readonly find: (words: string, among?: readonly Item[]) => readonly Hit[]
}

/** `hasMore`: there is something after the last item, so that its end is not the end. */
export function openPages(
  items: () => readonly Item[],
  draw: (item: Item) => readonly string[],
  hasMore: () => boolean = () => false,
): Pages {
  const drawn = new WeakMap<Item, readonly string[]>()

  function rowsOf(index: number): readonly string[] {
    const item = items()[index]
    return item === undefined ? [] : rowsIn(item)
  }

  function rowsIn(item: Item): readonly string[] {
    const known = drawn.get(item)
    if (known) return known
    const rows = draw(item)
    drawn.set(item, rows)
    return rows
  }

  function lastTop(room: number): { readonly item: number; readonly row: number } {
    let left = room
    for (let item = items().length - 1; item >= 0; item--) {
      const { length } = rowsOf(item)
      if (length >= left) return { item, row: length - left }
      left -= length
    }
    return { item: 0, row: 0 }
  }

  const placeOf = (top: Top, room: number): { readonly item: number; readonly row: number } => {
    const last = lastTop(room)
    return top === "end" || isAfter(top, last) ? last : top
  }

  function down(top: Top, by: number, room: number): Top {
    const last = lastTop(room)
    let { item, row } = placeOf(top, room)
    row += by
    while (item < items().length && row >= rowsOf(item).length) row -= rowsOf(item++).length
    if (!isAfter({ item, row }, last) && (item !== last.item || row !== last.row)) return { item, row }
    return hasMore() ? last : "end"
  }

  function up(top: Top, by: number, room: number): Top {
    let { item, row } = placeOf(top, room)
    row -= by
    while (row < 0 && item > 0) row += rowsOf(--item).length
    return { item, row: Math.max(0, row) }
  }

  const moved = (top: Top, by: number, room: number): Top => (by < 0 ? up(top, -by, room) : down(top, by, room))

  return {
    count: () => items().length,
    moved,
    rows(top, room) {
      const place = placeOf(top, room)
      const rows = rowsOf(place.item).slice(place.row)
      for (let item = place.item + 1; rows.length < room && item < items().length; item++) rows.push(...rowsOf(item))
      return rows.slice(0, room)
    },
    around: (hit, room) => moved(up(hit, Math.floor(room / 3), room), 0, room),
    share(top, room) {
      const { item, row } = placeOf(top, room)
      const last = lastTop(room)
      const height = Math.max(1, rowsOf(item).length)
      return last.item === 0 && last.row === 0
        ? 1
        : (item + row / height) / (last.item + last.row / Math.max(1, rowsOf(last.item).length))
    },
    find(words, among = items()) {
      const wanted = words.toLowerCase()
      return among.flatMap((item, index): readonly Hit[] => {
        if (!textOf(item).toLowerCase().includes(wanted)) return []
        const rows = rowsIn(item)
        const hits = rows.flatMap((row, at) =>
          Bun.stripANSI(row).toLowerCase().includes(wanted) ? [{ item: index, row: at }] : [],
        )
        // The words may be broken over two rows.
        return hits.length > 0 || rows.length === 0 ? hits : [{ item: index, row: 0 }]
      })
    },
  }
}

const isAfter = (one: Hit, other: Hit): boolean =>
  one.item > other.item || (one.item === other.item && one.row > other.row)

function textOf(item: Item): string {
  switch (item.kind) {
    case "prompt":
    case "thinking":
    case "notice":
      return item.text
    case "text":
      return item.piece.markdown
    case "call":
      return JSON.stringify([item.title, item.refusal, item.tail, item.result]).replaceAll("\\n", "\n")
    case "elicited":
      return JSON.stringify(item)
    case "end":
      return item.message ?? ""
  }
}
