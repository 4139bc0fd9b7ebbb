/** The prompt being written, as rows, with the place of the cursor. */

import type { Buffer } from "#faces/tui/editor/buffer.ts"
import type { LineKind } from "#faces/tui/editor/line.ts"
import { legible } from "#lib/printable.ts"
import { cyan, dim, magenta, yellow } from "#faces/tui/screen/style.ts"
import { widthOf } from "#faces/tui/screen/width.ts"
import { graphemes } from "#lib/graphemes.ts"

export interface Drawn {
  readonly rows: readonly string[]
  readonly cursor: { readonly row: number; readonly column: number }
}

const promptMark = cyan(">")

/** What stands before the line says what it is meant for. */
export const lineMarks: { readonly [kind in LineKind]: string } = {
  prompt: promptMark,
  shell: magenta("!"),
  memory: yellow("#"),
}

/** The mark and the cursor take what is not left for the text. */
export const promptRoom = (columns: number): number => Math.max(4, columns - 3)

/** At most `most` rows, those around the cursor. */
export function editorRows({ text, at }: Buffer, columns: number, most: number, mark: string = promptMark): Drawn {
  const room = promptRoom(columns)
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
  for (const { segment } of graphemes(text)) {
    const shown = segment === "\t" ? "    " : legible(segment)
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
    rows: rows.slice(from, from + most).map((line, i) => `${from + i === 0 ? mark : " "} ${line}`.trimEnd()),
    cursor: { row: cursor.row - from, column: cursor.column + 2 },
  }
}

/** What stands in an empty prompt. */
export const placeholder = (words: string, mark: string = promptMark): string => `${mark} ${dim(words)}`
