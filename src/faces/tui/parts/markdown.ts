/** Markdown as rows of a terminal. */

import type { Piece } from "#faces/view/pieces.ts"
import { printable } from "#lib/printable.ts"
import { selfContained } from "#faces/tui/screen/rows.ts"
import { onlyStyles } from "#faces/tui/screen/style.ts"
import { wrapped } from "#faces/tui/screen/width.ts"

/** A piece of an answer; of a block of code that is cut into pieces, the frame is drawn only at its two ends. */
export function markdownRows({ markdown, joint, openCode }: Piece, columns: number): string[] {
  const drawn = onlyStyles(Bun.markdown.ansi(printable(markdown), { columns, hyperlinks: false }))
  const rows = trimmed(drawn.split("\n"))
  const inner = rows.slice(joint === "code" ? 1 : 0, openCode ? -1 : rows.length)
  return selfContained(inner.flatMap((row) => wrapped(row, columns)))
}

function trimmed(rows: readonly string[]): readonly string[] {
  const isBlank = (row: string): boolean => Bun.stripANSI(row).trim() === ""
  const first = rows.findIndex((row) => !isBlank(row))
  const last = rows.findLastIndex((row) => !isBlank(row))
  return first === -1 ? [] : rows.slice(first, last + 1)
}
