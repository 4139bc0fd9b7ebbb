/** What the keys do, for the person who presses `?`. */

import { bold, dim } from "#faces/tui/screen/style.ts"
import { fitted, widthOf, wrapped } from "#faces/tui/screen/width.ts"

const keys: readonly (readonly [key: string, does: string])[] = [
  ["enter", "send; while it works, say it as soon as it can be heard"],
  ["\\ enter, ctrl+j", "new line; shift+enter too, where the terminal tells it"],
  ["esc", "interrupt; close this"],
  ["ctrl+c", "clear the line; twice leaves"],
  ["ctrl+d", "leave, when the line is empty"],
  ["shift+tab", "next permission mode"],
  ["ctrl+o", "show in full what was folded last"],
  ["ctrl+t", "show or hide the list of work"],
  ["up, down", "what was said before"],
  ["ctrl+r", "search what was said before"],
  ["ctrl+w, u, k, y", "cut a word, the line before, the line after; bring back"],
  ["ctrl+_, alt+_", "undo, redo"],
  ["/", "commands"],
  ["@", "files"],
]

export function helpRows(columns: number): string[] {
  const widest = Math.max(...keys.map(([key]) => widthOf(key)))
  return keys.flatMap(([key, does]) =>
    wrapped(does, Math.max(10, columns - widest - 4)).map((row, i) =>
      fitted(`  ${bold((i === 0 ? key : "").padEnd(widest))}  ${dim(row)}`, columns),
    ),
  )
}
