/** Rows that stand out at the bottom of the screen: a bar at their left, the keys below. */

import { cyan, dim } from "./screen/style.ts"
import { fitted } from "./screen/width.ts"

export function framed(rows: readonly string[], hint: string, columns: number, most: number): readonly string[] {
  const bar = cyan("▌")
  const barred = (shown: readonly string[]): readonly string[] =>
    shown.map((row) => (row === "" ? bar : `${bar} ${row}`))
  // Nobody may have to answer what they cannot see: without room, the keys go before the question does.
  if (most < leastWithHints) return barred(around(rows, Math.max(2, most)))
  const hints = hintRows(hint, columns)
  return ["", ...barred(around(rows, Math.max(1, most - 2 - hints.length))), "", ...hints]
}

const leastWithHints = 9

const mostHints = 2

/** Breaks between hints, never inside one. */
function hintRows(hint: string, columns: number): readonly string[] {
  const rows: string[] = []
  for (const part of hint.split(" · ")) {
    const longer = rows.length === 0 ? part : `${rows.at(-1)} · ${part}`
    if (rows.length === 0 || longer.length + 2 > columns) rows.push(part)
    else rows[rows.length - 1] = longer
  }
  return rows.slice(0, mostHints).map((row) => fitted(dim(`  ${row}`), columns))
}

export function framedRoom(hint: string, columns: number, most: number): number {
  return most < leastWithHints ? Math.max(2, most) : Math.max(1, most - 2 - hintRows(hint, columns).length)
}

/** If not all fit: the first, which is the title, and the last ones or those around the selected one. */
function around([first = "", ...rows]: readonly string[], most: number): readonly string[] {
  if (rows.length < most) return [first, ...rows]
  const pointed = rows.findLastIndex((row) => row.includes("❯"))
  const last = rows.length - most + 1
  const from = Math.max(0, pointed === -1 ? last : Math.min(rows[pointed - 1] === "" ? pointed : pointed - 1, last))
  return [first, ...rows.slice(from, from + most - 1)]
}
