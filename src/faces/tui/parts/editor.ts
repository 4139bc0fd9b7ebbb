/** The prompt being written, as rows, with the place of the cursor. */

import type { Buffer } from "#faces/tui/editor/buffer.ts"
import type { TextSpan } from "#faces/tui/editor/vim-objects.ts"
import type { LineKind } from "#faces/tui/editor/line.ts"
import { drawnWidth, rowStarts, shownAs } from "#faces/tui/editor/wrap.ts"
import { cyan, dim, inverse, magenta, yellow } from "#faces/tui/screen/style.ts"
import { graphemes } from "#lib/graphemes.ts"

export interface Drawn {
  readonly rows: readonly string[]
  readonly cursor: { readonly row: number; readonly column: number }
}

const promptMark = cyan(">")

export const lineMarks: { readonly [kind in LineKind]: string } = {
  prompt: promptMark,
  shell: magenta("!"),
  memory: yellow("#"),
}

/** Columns left beside the mark and the cursor. */
export const promptRoom = (columns: number): number => Math.max(4, columns - 3)

/** At most `most` rows around the cursor; says how many are hidden. */
export function editorRows(
  { text, at }: Buffer,
  columns: number,
  most: number,
  mark: string = promptMark,
  selection: TextSpan = { from: 0, to: 0 },
): Drawn {
  const starts = rowStarts(text, promptRoom(columns))
  const row = starts.findLastIndex((start) => start <= at)
  const isHidden = starts.length > most
  const size = isHidden && most >= leastWithMarks ? most - 2 : most
  const from = Math.max(0, Math.min(row - size + 1, starts.length - size))
  const rows = starts.slice(from, from + size).map((start, i) => {
    const line = drawn(text.slice(start, starts[from + i + 1]), {
      from: selection.from - start,
      to: selection.to - start,
    })
    return `${from + i === 0 ? mark : " "} ${line}`.trimEnd()
  })
  const hasMarks = size < most
  const above = hasMarks && from > 0 ? [hiddenRow("↑", from)] : []
  const left = starts.length - from - size
  const below = hasMarks && left > 0 ? [hiddenRow("↓", left)] : []
  return {
    rows: [...above, ...rows, ...below],
    cursor: { row: row - from + above.length, column: drawnWidth(text.slice(starts[row], at)) + 2 },
  }
}

/** With fewer rows, the text needs them all. */
const leastWithMarks = 4

const hiddenRow = (arrow: string, count: number): string =>
  dim(`  ${arrow} ${count} more ${count === 1 ? "line" : "lines"}`)

/** Inverse; a selected line break shows as one cell. */
function drawn(text: string, { from, to }: TextSpan): string {
  const parts = { before: "", selected: "", after: "" }
  for (const { segment, index } of graphemes(text)) {
    const part = index < from ? "before" : index < to ? "selected" : "after"
    parts[part] += segment === "\n" && part === "selected" ? " " : shownAs(segment)
  }
  const { before, selected, after } = parts
  return selected === "" ? before + after : before + inverse(selected) + after
}

export const placeholder = (words: string, mark: string = promptMark): string => `${mark} ${dim(words)}`
