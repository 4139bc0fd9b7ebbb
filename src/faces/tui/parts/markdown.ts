/** Markdown as rows of a terminal. */

import { grow, nothing, type Piece } from "#faces/view/pieces.ts"
import { printable, unhidden } from "#lib/printable.ts"
import { selfContained } from "#faces/tui/screen/rows.ts"
import { onlyStyles } from "#faces/tui/screen/style.ts"
import { wrapped } from "#faces/tui/screen/width.ts"

/** A piece of an answer; of a block of code that is cut into pieces, the frame is drawn only at its two ends. */
export function markdownRows({ markdown, joint, openCode }: Piece, columns: number): string[] {
  const rows = trimmed(drawn(markdown, columns).split("\n"))
  const inner = rows.slice(joint === "code" ? 1 : 0, openCode ? -1 : rows.length)
  return selfContained(inner.flatMap((row) => wrapped(row, columns)))
}

// oxlint-disable-next-line no-control-regex -- links are control sequences.
const link = /\u001b\]8;;[^\u001b]*\u001b\\/g

/**
 * Where a link leads is shown behind its text, so that nobody has to guess. Of addresses that stand for themselves the
 * renderer would show both, too: without other links, it is told that they can be opened, and they are drawn once.
 */
function drawn(markdown: string, columns: number): string {
  const hyperlinks = !/\]\s*[[(:]/.test(markdown)
  // What hides is looked for afterwards: Markdown can spell every character in numbers.
  return unhidden(onlyStyles(Bun.markdown.ansi(printable(markdown), { columns, hyperlinks }).replaceAll(link, "")))
}

/** A whole text, drawn as an answer would be. */
export function documentRows(markdown: string, columns: number): string[] {
  const { settled, open } = grow(nothing, markdown)
  const rows = [...settled, open].flatMap((piece) => {
    const own = markdownRows(piece, columns)
    return own.length > 0 && piece.joint === "apart" ? ["", ...own] : own
  })
  return rows[0] === "" ? rows.slice(1) : rows
}

function trimmed(rows: readonly string[]): readonly string[] {
  const isBlank = (row: string): boolean => Bun.stripANSI(row).trim() === ""
  const first = rows.findIndex((row) => !isBlank(row))
  const last = rows.findLastIndex((row) => !isBlank(row))
  return first === -1 ? [] : rows.slice(first, last + 1)
}
