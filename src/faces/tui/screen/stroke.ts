/** What to write so that a terminal shows other rows than it does: all of them, or only what is different. */

import { unbroken } from "./breaking.ts"
import { move, right, up } from "./moves.ts"
import { widthOf } from "./width.ts"

/** What stands on the screen and may change. */
export interface Drawn {
  readonly rows: readonly string[]
  /** The row, of those, in which the cursor stands. */
  readonly at: number
  /** Rows that were not written whole: on a screen that has become narrower unseen, the parts are not in one place. */
  readonly pieced: ReadonlySet<string>
}

export interface NextFrame {
  readonly rows: readonly string[]
  /** How many of them, from the first, are written for good. */
  readonly finished: number
}

export interface Stroke {
  readonly text: string
  /** The row, of the next ones, in which the cursor stands then. */
  readonly at: number
  readonly pieced: ReadonlySet<string>
}

const eraseBelow = "\u001b[J"
const nonePieced: ReadonlySet<string> = new Set()

/** All rows, from so many above the cursor on. */
export function allOf(next: readonly string[], rise: number, columns: number): Stroke {
  const text = `\r${up(rise)}${eraseBelow}${next.map((row) => unbroken(row, columns)).join("\r\n")}`
  return { text, at: Math.max(0, next.length - 1), pieced: nonePieced }
}

export function difference(
  drawn: Drawn,
  next: NextFrame,
  screen: { readonly columns: number; readonly rows: number },
): Stroke {
  const added = next.rows.length - drawn.rows.length
  const same = commonEnd(drawn.rows, next.rows)
  const makesRoom = added > 0 && same > 0 && drawn.rows.length > same && next.rows.length < screen.rows
  return makesRoom
    ? inserted(drawn, next, { added, same }, screen.columns)
    : rewritten(drawn, next, next.rows.length, screen.columns)
}

/** Makes room for new rows above those at the end that stay the same, so that those are not written again. */
function inserted(
  { rows, at, pieced }: Drawn,
  next: NextFrame,
  { added, same }: { readonly added: number; readonly same: number },
  columns: number,
): Stroke {
  const last = rows.length - 1
  const hole = rows.length - same
  const room = `${move(at, last)}${"\n".repeat(added)}\r${up(last + added - hole)}\u001b[${added}L`
  const fresh = Array.from({ length: added }, () => "")
  const opened = { rows: [...rows.slice(0, hole), ...fresh, ...rows.slice(hole)], at: hole, pieced }
  const rest = rewritten(opened, next, next.rows.length - same, columns)
  return { ...rest, text: room + rest.text }
}

/** The rows that differ from what stands there, of so many from the first. */
function rewritten(drawn: Drawn, next: NextFrame, until: number, columns: number): Stroke {
  const grown: string[] = []
  let { at } = drawn
  let text = ""
  for (let i = 0; i < until; i++) {
    const row = next.rows[i] ?? ""
    const old = drawn.rows[i]
    const isFinished = i < next.finished
    // On a screen that has become narrower unseen, a row that is written may cover the next: a finished one must not be lost.
    const isDoubtful = isFinished && (text !== "" || drawn.pieced.has(row))
    if (old === row && !isDoubtful) continue
    text += old === undefined ? newRow(at, i) : `${move(at, i)}\r`
    if (old !== undefined && !isFinished && isContinued(old, row)) {
      grown.push(row)
      text += right(old.length) + row.slice(old.length)
    } else text += unbroken(row, columns) + cleared(row, isFinished ? undefined : (old ?? ""), columns)
    at = i
  }
  if (next.rows.length < drawn.rows.length) {
    // The row after the last one is there, or there would be nothing to erase.
    text += `${move(at, next.rows.length)}\r${eraseBelow}`
    at = next.rows.length
  }
  return { text, at, pieced: grown.length === 0 ? drawn.pieced : new Set([...drawn.pieced, ...grown]) }
}

/** From the last row that is there to the next one; below the end of the screen everything moves up. */
const newRow = (at: number, i: number): string => (i === 0 ? "\r" : `${move(at, i - 1)}\r\n`)

/** Whether only the end needs to be written. A style that goes on would be lost. */
const isContinued = (before: string, row: string): boolean =>
  before !== "" && row.startsWith(before) && !/[^ -~]/.test(row)

/** So that nothing is left of a longer row that stood there; nor, where it stays for good, of one we know nothing of. */
function cleared(row: string, before: string | undefined, columns: number): string {
  const width = widthOf(row)
  return width < columns && (before === undefined || width < widthOf(before)) ? "\u001b[K" : ""
}

function commonEnd(before: readonly string[], next: readonly string[]): number {
  const most = Math.min(before.length, next.length)
  let count = 0
  while (count < most && before.at(-1 - count) === next.at(-1 - count)) count++
  return count
}
