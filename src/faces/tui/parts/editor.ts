/** The prompt being written, as rows, with the place of the cursor. */

import type { Buffer } from "#faces/tui/editor/buffer.ts"
import { printable } from "#lib/printable.ts"
import { cyan, dim } from "#faces/tui/screen/style.ts"
import { widthOf } from "#faces/tui/screen/width.ts"

export interface Drawn {
  readonly rows: readonly string[]
  readonly cursor: { readonly row: number; readonly column: number }
}

const segments = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** At most `most` rows, those around the cursor. */
export function editorRows({ text, at }: Buffer, columns: number, most: number): Drawn {
  const room = Math.max(4, columns - 3)
  const rows: string[] = []
  let cursor = { row: 0, column: 0 }
  let row = ""
  let width = 0
  let index = 0
  const breakRow = (): void => {
    rows.push(row)
    row = ""
    width = 0
  }
  for (const { segment } of segments.segment(text)) {
    const shown = segment === "\t" ? "    " : printable(segment)
    const own = segment === "\n" ? 0 : widthOf(shown)
    if (width + own > room) breakRow()
    if (index === at) cursor = { row: rows.length, column: width }
    index += segment.length
    if (segment === "\n") breakRow()
    else {
      row += shown
      width += own
    }
  }
  if (index === at) cursor = { row: rows.length, column: width }
  rows.push(row)
  const first = Math.max(0, Math.min(cursor.row - most + 1, rows.length - most))
  const from = cursor.row < first ? cursor.row : first
  return {
    rows: rows.slice(from, from + most).map((line, i) => `${from + i === 0 ? cyan(">") : " "} ${line}`.trimEnd()),
    cursor: { row: cursor.row - from, column: cursor.column + 2 },
  }
}

/** What stands in an empty prompt. */
export const placeholder = (words: string): string => `${cyan(">")} ${dim(words)}`
