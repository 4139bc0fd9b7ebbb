/** The bottom of a terminal, redrawn in place; what is finished moves up into the scrollback and is never touched again. */

import { withLinks } from "./link.ts"
import { fitted, widthOf } from "./width.ts"

/** What the terminal shows below the scrollback. */
export interface Frame {
  /** Rows that are finished: they are written once. */
  readonly above: readonly string[]
  /** Rows that may change. */
  readonly live: readonly string[]
  /** Where the cursor stands in the live rows; it is hidden when there is no place for it. */
  readonly cursor: { readonly row: number; readonly column: number } | undefined
}

export interface Size {
  readonly columns: number
  readonly rows: number
}

export interface Screen {
  /** Writes what is different, as one text. */
  readonly paint: (frame: Frame) => void
  /** Someone else has written meanwhile: the next frame is drawn whole, where the cursor stands then. */
  readonly forget: () => void
  /** The next frame is drawn whole in the place of the last one. */
  readonly refresh: () => void
}

/** All at once, without a cursor that jumps, and without breaking rows: terminals do not agree on how wide every character is. */
const begin = "\u001b[?2026h\u001b[?25l\u001b[?7l"
const end = "\u001b[?7h\u001b[?2026l"
const up = (rows: number): string => (rows > 0 ? `\u001b[${rows}A` : "")
/** By new lines, not by a move: a screen that just became less high may have cut off the rows below, and these bring them back. */
const down = (rows: number): string => "\n".repeat(Math.max(0, rows))
const right = (columns: number): string => (columns > 0 ? `\u001b[${columns}C` : "")
const eraseBelow = "\u001b[J"

/** `size` is asked at every paint, so that a new size needs no other word. */
export function openScreen({
  write,
  size,
}: {
  readonly write: (text: string) => void
  readonly size: () => Size
}): Screen {
  let rows: readonly string[] = []
  /** The row, of those above, in which the cursor stands. */
  let at = 0
  let column: number | undefined
  let drawnFor = size()
  let stale = false

  function paint({ above, live, cursor }: Frame): void {
    const now = size()
    const next = [...above, ...live].map((row) => withLinks(fitted(row, now.columns), now.columns))
    const resized = stale || now.columns !== drawnFor.columns || now.rows !== drawnFor.rows
    stale = false
    const before = at
    const body = resized ? afresh(next, now) : changed(next, now)
    drawnFor = now
    rows = next.slice(above.length)
    const wanted = above.length + (cursor?.row ?? live.length - 1)
    const stays = body === "" && wanted === before && cursor?.column === column
    const place = move(at, wanted) + (cursor ? `\r${right(cursor.column)}\u001b[?25h` : "")
    at = wanted - above.length
    column = cursor?.column
    if (!stays) write(begin + body + place + end)
  }

  /** After a change of width the terminal has broken the rows anew, by its own rules: all of ours are drawn again. */
  function afresh(next: readonly string[], now: Size): string {
    const above = rows.slice(0, at).reduce((sum, row) => sum + heightOf(row, now.columns), 0)
    const own = Math.floor((column ?? 0) / now.columns)
    const text = `\r${up(Math.min(above + own, now.rows - 1))}${eraseBelow}${next.join("\r\n")}`
    at = Math.max(0, next.length - 1)
    return text
  }

  function changed(next: readonly string[], now: Size): string {
    const added = next.length - rows.length
    const same = commonEnd(rows, next)
    const makesRoom = added > 0 && same > 0 && rows.length > same && next.length < now.rows
    if (makesRoom) return inserted(next, added, same, now)
    return rewritten(next, rows, next.length, now)
  }

  /** Makes room for new rows above those at the end that stay the same, so that those are not written again. */
  function inserted(next: readonly string[], added: number, same: number, now: Size): string {
    const last = rows.length - 1
    const hole = rows.length - same
    const room = `${move(at, last)}${"\n".repeat(added)}\r${up(last + added - hole)}\u001b[${added}L`
    at = hole
    const before = [...rows.slice(0, hole), ...Array.from({ length: added }, () => "")]
    return room + rewritten(next, [...before, ...rows.slice(hole)], next.length - same, now)
  }

  /** Writes the rows that differ from what stands there. */
  function rewritten(next: readonly string[], before: readonly string[], until: number, now: Size): string {
    let text = ""
    for (let i = 0; i < until; i++) {
      const row = next[i] ?? ""
      if (i < before.length && before[i] === row) continue
      text += i < before.length ? `${move(at, i)}\r${updated(row, before[i] ?? "", now)}` : `${newRow(i)}${row}`
      at = i
    }
    if (next.length < before.length) {
      // The row after the last one is there, or there would be nothing to erase.
      text += `${move(at, next.length)}\r${eraseBelow}`
      at = next.length
    }
    return text
  }

  /** From the last row that is there to the next one; below the end of the screen everything moves up. */
  function newRow(i: number): string {
    return i === 0 ? "\r" : `${move(at, i - 1)}\r\n`
  }

  return {
    paint,
    refresh() {
      stale = true
    },
    forget() {
      rows = []
      at = 0
      column = undefined
    },
  }
}

const move = (from: number, to: number): string => (to < from ? up(from - to) : down(to - from))

const heightOf = (row: string, columns: number): number => Math.max(1, Math.ceil(widthOf(row) / columns))

/** A row over an older one: only its end when it begins with the old one, and nothing of the old one left behind. */
function updated(row: string, before: string, { columns }: Size): string {
  // oxlint-disable-next-line no-control-regex -- a style that goes on would be lost by writing only the end.
  if (before !== "" && row.startsWith(before) && !/\u001b|[^\u0020-\u007e]/.test(row))
    return right(before.length) + row.slice(before.length)
  const width = widthOf(row)
  return row + (width < columns && width < widthOf(before) ? "\u001b[K" : "")
}

function commonEnd(before: readonly string[], next: readonly string[]): number {
  const most = Math.min(before.length, next.length)
  let count = 0
  while (count < most && before.at(-1 - count) === next.at(-1 - count)) count++
  return count
}
