/** What to write so that a terminal shows other rows than it does: all of them, or only what is different. */

import { unbroken } from "./breaking.ts"
import { move, right, up } from "./moves.ts"
import { eraseToEdge } from "./style.ts"
import { widthOf } from "./width.ts"

export interface Drawn {
  readonly rows: readonly string[]
  readonly at: number
  /** Rows written in parts: on a screen that shrank unseen, the parts are not in one place. */
  readonly pieced: ReadonlySet<string>
}

export interface NextFrame {
  readonly rows: readonly string[]
  /** How many of the first rows are final. */
  readonly finished: number
}

export interface Stroke {
  readonly text: string
  readonly at: number
  readonly pieced: ReadonlySet<string>
}

const eraseBelow = "\u001b[J"
const nonePieced: ReadonlySet<string> = new Set()

/** Starting `rise` rows above the cursor. */
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

/** Inserts rows above unchanged ones at the end, which then need not be written again. */
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

/** Only rows that differ, up to `until`. */
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
    } else text += cleared(row, isFinished ? undefined : (old ?? ""), columns) + unbroken(row, columns)
    at = i
  }
  if (next.rows.length < drawn.rows.length) {
    // The row after the last one is there, or there would be nothing to erase.
    text += `${move(at, next.rows.length)}\r${eraseBelow}`
    at = next.rows.length
  }
  return { text, at, pieced: grown.length === 0 ? drawn.pieced : new Set([...drawn.pieced, ...grown]) }
}

/** At the bottom of the screen everything scrolls up. */
const newRow = (at: number, i: number): string => (i === 0 ? "\r" : `${move(at, i - 1)}\r\n`)

/** Whether only the end needs to be written. An open style would be lost. */
const isContinued = (before: string, row: string): boolean =>
  before !== "" && row.startsWith(before) && !/[^ -~]/.test(row)

/**
 * Erases a longer row, or, if the row is final, an unknown one. All of it, before the new one: tmux would keep the
 * erased end of a row as spaces, and break the row there when it gets narrower.
 */
function cleared(row: string, before: string | undefined, columns: number): string {
  if (reachesEdge(row)) return ""
  const width = widthOf(row)
  const isShorter = before === undefined || reachesEdge(before) || width < widthOf(before)
  return width < columns && isShorter ? eraseToEdge : ""
}

const reachesEdge = (row: string): boolean => row.includes(eraseToEdge)

function commonEnd(before: readonly string[], next: readonly string[]): number {
  const most = Math.min(before.length, next.length)
  let count = 0
  while (count < most && before.at(-1 - count) === next.at(-1 - count)) count++
  return count
}
