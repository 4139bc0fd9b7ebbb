/** The bottom of a terminal, redrawn in place; what is finished moves up into the scrollback and is never touched again. */

import { type Rewrap, riseOver, unbroken } from "./breaking.ts"
import { withLinks } from "./link.ts"
import { openTail } from "./tail.ts"
import { fitted, widthOf, wrapped } from "./width.ts"

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
  /** For how long it is too early to paint, because the screen is still becoming narrower; mostly 0. */
  readonly settlesIn: () => number
  /** Someone else has written meanwhile: the next frame is drawn whole, where the cursor stands then. */
  readonly forget: () => void
  /** The next frame is drawn whole in the place of the last one. */
  readonly refresh: () => void
}

/** All at once, and without a cursor that jumps. */
const begin = "\u001b[?2026h\u001b[?25l"
const end = "\u001b[?2026l"
const up = (rows: number): string => (rows > 0 ? `\u001b[${rows}A` : "")
/** By new lines, not by a move: a screen that just became less high may have cut off the rows below, and these bring them back. */
const down = (rows: number): string => "\n".repeat(Math.max(0, rows))
const right = (columns: number): string => (columns > 0 ? `\u001b[${columns}C` : "")
const eraseBelow = "\u001b[J"

/** Whoever pulls at a window does not stop in between for so long. */
const settleMs = 100

/** `size` is asked at every paint, so that a new size needs no other word. */
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
  let rows: readonly string[] = []
  /** The row, of those above, in which the cursor stands. */
  let at = 0
  let column: number | undefined
  let drawnFor = size()
  let seen = { ...drawnFor, since: Number.NEGATIVE_INFINITY }
  let stale = false
  /** Rows that were not written whole: on a screen that has become narrower unseen, the parts are not in one place. */
  let pieced: ReadonlySet<string> = new Set()
  const tail = openTail(time)

  function paint(frame: Frame): void {
    const { live, cursor } = frame
    const now = size()
    const isNew = !isSame(now, drawnFor)
    // What stays is never cut: it may have been laid out a moment ago, for a wider screen.
    const above = [...(isNew ? tail.doubtful() : []), ...frame.above].flatMap((row) => wrapped(row, now.columns))
    // Blanks at the end are not written: some terminals break a row because of them when they get narrower, and some do not.
    const next = [...above, ...live].map((row) => withLinks(fitted(row, now.columns).trimEnd(), now.columns))
    const before = at
    const body = isNew || stale ? afresh(next, now) : changed(next, now, above.length)
    stale = false
    tail.take(frame.above)
    drawnFor = now
    rows = next.slice(above.length)
    pieced = new Set(rows.filter((row) => pieced.has(row)))
    const wanted = above.length + (cursor?.row ?? live.length - 1)
    const stays = body === "" && wanted === before && cursor?.column === column
    const place = move(at, wanted) + (cursor ? `\r${right(cursor.column)}\u001b[?25h` : "")
    at = wanted - above.length
    column = cursor?.column
    if (!stays) write(begin + body + place + end)
  }

  /** After a change of width the terminal has broken the rows anew, by its own rules: all of ours are drawn again. */
  function afresh(next: readonly string[], now: Size): string {
    const rise = Math.min(riseOver(rows.slice(0, at), column ?? 0, now.columns, rewrap), now.rows - 1)
    if (rise > at) tail.doubt(rise - at)
    const text = `\r${up(rise)}${eraseBelow}${next.map((row) => unbroken(row, now.columns)).join("\r\n")}`
    at = Math.max(0, next.length - 1)
    pieced = new Set()
    return text
  }

  function changed(next: readonly string[], now: Size, finished: number): string {
    const added = next.length - rows.length
    const same = commonEnd(rows, next)
    const makesRoom = added > 0 && same > 0 && rows.length > same && next.length < now.rows
    if (makesRoom) return inserted(next, added, same, now, finished)
    return rewritten(next, rows, next.length, now, finished)
  }

  /** Makes room for new rows above those at the end that stay the same, so that those are not written again. */
  function inserted(next: readonly string[], added: number, same: number, now: Size, finished: number): string {
    const last = rows.length - 1
    const hole = rows.length - same
    const room = `${move(at, last)}${"\n".repeat(added)}\r${up(last + added - hole)}\u001b[${added}L`
    at = hole
    const before = [...rows.slice(0, hole), ...Array.from({ length: added }, () => "")]
    return room + rewritten(next, [...before, ...rows.slice(hole)], next.length - same, now, finished)
  }

  /** Writes the rows that differ from what stands there. */
  function rewritten(
    next: readonly string[],
    before: readonly string[],
    until: number,
    now: Size,
    finished: number,
  ): string {
    let text = ""
    for (let i = 0; i < until; i++) {
      const row = next[i] ?? ""
      const old = before[i]
      // On a screen that has become narrower unseen, a row that is written may cover the next: a finished one must not be lost.
      const isDoubtful = i < finished && (text !== "" || pieced.has(row))
      if (old === row && !isDoubtful) continue
      const grows = old !== undefined && i >= finished && isContinued(old, row)
      const whole = unbroken(row, now.columns)
      if (grows) pieced = new Set([...pieced, row])
      text += old === undefined ? newRow(i) : `${move(at, i)}\r`
      text += grows
        ? right(old.length) + row.slice(old.length)
        : whole + cleared(row, i < finished ? undefined : (old ?? ""), now)
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
    settlesIn() {
      const now = size()
      if (!isSame(now, seen)) seen = { ...now, since: time() }
      return now.columns < drawnFor.columns ? Math.max(0, seen.since + settleMs - time()) : 0
    },
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

const isSame = (one: Size, other: Size): boolean => one.columns === other.columns && one.rows === other.rows

/** Whether only the end needs to be written. A style that goes on would be lost. */
const isContinued = (before: string, row: string): boolean =>
  // oxlint-disable-next-line no-control-regex -- styles are control sequences.
  before !== "" && row.startsWith(before) && !/\u001b|[^\u0020-\u007e]/.test(row)

/** So that nothing is left of a longer row that stood there; nor, where it stays for good, of one we know nothing of. */
function cleared(row: string, before: string | undefined, { columns }: Size): string {
  const width = widthOf(row)
  return width < columns && (before === undefined || width < widthOf(before)) ? "\u001b[K" : ""
}

function commonEnd(before: readonly string[], next: readonly string[]): number {
  const most = Math.min(before.length, next.length)
  let count = 0
  while (count < most && before.at(-1 - count) === next.at(-1 - count)) count++
  return count
}
