/** Markdown as rows of a terminal. */

import { grow, nothing, type MarkdownPiece } from "#faces/view/pieces.ts"
import { stripControls, markHidden } from "#lib/printable.ts"
import { selfContained } from "#faces/tui/screen/rows.ts"
import { codeLines } from "#faces/tui/syntax/colours.ts"
import { onlyStyles } from "#faces/tui/screen/style.ts"
import { wrapped } from "#faces/tui/screen/width.ts"

/** Code blocks have no frame, so that they can be copied. */
export function markdownRows({ markdown, before }: MarkdownPiece, columns: number): string[] {
  const { code, name, rest } = blockIn(markdown)
  const block = code && codeLines(code, name, before).flatMap((line) => wrapped(line, columns - codeIndent.length))
  const rows =
    rest.trim() === "" ? [] : trimmed(drawn(rest, columns).split("\n")).flatMap((row) => wrapped(row, columns))
  return selfContained([...(block ?? []).map((row) => (row === "" ? "" : codeIndent + row)), ...rows])
}

const codeIndent = "  "
const fence = /^(`{3,}|~{3,})[ \t]*([^\s`]*)[^\n]*(?:\n|$)/

function blockIn(markdown: string): {
  readonly code?: readonly string[]
  readonly name: string
  readonly rest: string
} {
  const [opener, mark, name = ""] = fence.exec(markdown) ?? []
  if (opener === undefined || mark === undefined) return { name: "", rest: markdown }
  const lines = markdown.slice(opener.length).split("\n")
  const end = lines.findIndex(
    (line) => line.trim().startsWith(mark) && line.trim().replaceAll(mark[0] ?? "", "") === "",
  )
  if (end !== -1) return { code: lines.slice(0, end), name, rest: lines.slice(end + 1).join("\n") }
  return { code: lines.at(-1) === "" ? lines.slice(0, -1) : lines, name, rest: "" }
}

// oxlint-disable-next-line no-control-regex -- links are control sequences.
const link = /\u001b\]8;;[^\u001b]*\u001b\\/g

/**
 * A link's address is shown after its text, so that nobody has to guess. The renderer would show bare addresses
 * twice: without other links it is told that they can be opened, so they are drawn once.
 */
function drawn(markdown: string, columns: number): string {
  const hyperlinks = !/\]\s*[[(:]/.test(markdown)
  // What hides is looked for afterwards: Markdown can spell every character in numbers.
  const ansi = Bun.markdown.ansi(stripControls(markdown), { columns, hyperlinks }).replaceAll(link, "")
  // One glyph for what is done, here and in the list of work.
  return markHidden(onlyStyles(ansi)).replaceAll("☒", "☑")
}

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
