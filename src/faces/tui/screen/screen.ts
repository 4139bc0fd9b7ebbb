/** The bottom of a terminal, redrawn in place; what is finished moves up into the scrollback and is never touched again. See decision 17. */

import { type Rewrap, riseOver } from "./breaking.ts"
import { withLinks } from "./link.ts"
import { move, right } from "./moves.ts"
import { allOf, difference, type Drawn, type Stroke } from "./stroke.ts"
import { openTail } from "./tail.ts"
import { fitted, wrapped } from "./width.ts"

export interface Frame {
  /** Finished rows, written once. */
  readonly above: readonly string[]
  readonly live: readonly string[]
  /** In the live rows; undefined hides it. */
  readonly cursor: { readonly row: number; readonly column: number } | undefined
}

export interface Size {
  readonly columns: number
  readonly rows: number
}

export interface Screen {
  /** Writes only the differences, in one write. */
  readonly paint: (frame: Frame) => void
  /** Milliseconds until painting is safe, while the screen is still getting narrower; usually 0. */
  readonly settlesIn: () => number
  /** Others have written meanwhile: the next frame is drawn completely, at the cursor. */
  readonly forget: () => void
  /** The next frame is drawn completely, in place of the last. */
  readonly refresh: () => void
  /** How many live rows are below the cursor. */
  readonly rowsBelow: () => number
}

/** Shown at once, without a jumping cursor. */
const begin = "\u001b[?2026h\u001b[?25l"
const end = "\u001b[?2026l"

/** Nobody pauses this long while resizing a window. */
const settleMs = 100

/** `size` is read at every paint, so a new size needs no notice. */
export function openScreen({
  write,
  size,
  now: time,
  rewrap,
}: {
  readonly write: (text: string) => void
  readonly size: () => Size
  readonly now: () => number
  readonly rewrap: Rewrap
}): Screen {
  let drawn: Drawn = { rows: [], at: 0, pieced: new Set() }
  let column: number | undefined
  let drawnFor = size()
  let seen = { ...drawnFor, since: Number.NEGATIVE_INFINITY }
  let stale = false
  const tail = openTail(time)

  function paint(frame: Frame): void {
    const { live, cursor } = frame
    const now = size()
    const isNew = !isSame(now, drawnFor)
    // What stays is never cut: it may have been laid out a moment ago, for a wider screen.
    const above = [...(isNew ? tail.doubtful() : []), ...frame.above].flatMap((row) => wrapped(row, now.columns))
    // Spaces at the end are not written: some terminals break a row because of them when they get narrower, and some do not.
    const next = [...above, ...live].map((row) => withLinks(fitted(row, now.columns).trimEnd(), now.columns))
    const finished = above.length
    const stroke = isNew || stale ? afresh(next, now) : difference(drawn, { rows: next, finished }, now)
    const wanted = finished + (cursor?.row ?? live.length - 1)
    const stays = stroke.text === "" && wanted === drawn.at && cursor?.column === column
    tail.push(frame.above)
    stale = false
    drawnFor = now
    drawn = leftOf(stroke, next.slice(finished), wanted - finished)
    column = cursor?.column
    const place = move(stroke.at, wanted) + (cursor ? `\r${right(cursor.column)}\u001b[?25h` : "")
    if (!stays) write(begin + stroke.text + place + end)
  }

  /** After a change of width the terminal has wrapped our rows by its own rules: all are drawn again. */
  function afresh(next: readonly string[], now: Size): Stroke {
    const { rows, at } = drawn
    const rise = Math.min(riseOver(rows.slice(0, at), column ?? 0, now.columns, rewrap), now.rows - 1)
    if (rise > at) tail.doubt(rise - at)
    return allOf(next, rise, now.columns)
  }

  return {
    paint,
    settlesIn() {
      const now = size()
      if (!isSame(now, seen)) seen = { ...now, since: time() }
      return now.columns < drawnFor.columns ? Math.max(0, seen.since + settleMs - time()) : 0
    },
    refresh() {
      stale = true
    },
    rowsBelow: () => drawn.rows.length - 1 - drawn.at,
    forget() {
      drawn = { ...drawn, rows: [], at: 0 }
      column = undefined
    },
  }
}

const leftOf = ({ pieced }: Stroke, rows: readonly string[], at: number): Drawn => ({
  rows,
  at,
  pieced: new Set(rows.filter((row) => pieced.has(row))),
})

const isSame = (one: Size, other: Size): boolean => one.columns === other.columns && one.rows === other.rows
