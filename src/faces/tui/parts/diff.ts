/** A difference as rows: line numbers, what went, what came, and which words of a line changed. */

import type { FileDiff } from "#agent/words/display.ts"
import type { Hunk } from "#lib/diff.ts"
import { forReview } from "#lib/printable.ts"
import { bold, dim, green, inverse, red } from "#faces/tui/screen/style.ts"
import { wrapped } from "#faces/tui/screen/width.ts"
import { coloured } from "#faces/tui/syntax/colours.ts"
import { languageOfFile } from "#faces/view/syntax/languages.ts"
import { type ChangedSpan, changeIn, pairs } from "#faces/view/diff-words.ts"
import { type OpenToken, openScan, type Scan, type Token } from "#faces/view/syntax/scan.ts"

/** At most `most` changed lines, and how many were left out. */
export function diffRows(
  { hunks, path }: FileDiff,
  columns: number,
  most: number,
): { readonly rows: readonly string[]; readonly hidden: number } {
  const all = hunks.reduce((sum, { lines }) => sum + lines.length, 0)
  const digits = String(
    Math.max(1, ...hunks.map(({ oldStart, newStart, lines }) => Math.max(oldStart, newStart) + lines.length)),
  ).length
  const language = languageOfFile(path)
  const rows: string[] = []
  // A row that says that one line is left out takes as much room as the line.
  let room = all === most + 1 ? all : most
  const hidden = Math.max(0, all - room)
  for (const [i, hunk] of hunks.entries()) {
    if (room <= 0) break
    if (i > 0) rows.push(dim(`${" ".repeat(digits)} ⋮`))
    const lines = hunk.lines.slice(0, room)
    room -= lines.length
    rows.push(...hunkRows({ ...hunk, lines }, digits, columns, language && openScan(language)))
  }
  return { rows, hidden }
}

/** How many lines came and went: `+12 -3`. */
export function changedLines(files: readonly Pick<FileDiff, "hunks">[]): string {
  const count = (mark: string): number =>
    files.reduce(
      (sum, { hunks }) => hunks.reduce((own, { lines }) => own + lines.filter((line) => line[0] === mark).length, sum),
      0,
    )
  return [count("+"), count("-")]
    .flatMap((number, i) => (number === 0 ? [] : [i === 0 ? green(`+${number}`) : red(`-${number}`)]))
    .join(" ")
}

function hunkRows(
  { oldStart, newStart, lines }: Hunk,
  digits: number,
  columns: number,
  scan: Scan | undefined,
): string[] {
  const partners = pairs(lines)
  let oldLine = oldStart
  let newLine = newStart
  const open: { old: OpenToken; new: OpenToken } = { old: undefined, new: undefined }
  return lines.flatMap((line, i) => {
    const mark = line[0] ?? " "
    const number = mark === "-" ? oldLine : newLine
    if (mark !== "+") oldLine++
    if (mark !== "-") newLine++
    const text = forReview(line.slice(1))
    const side = mark === "-" ? "old" : "new"
    const scanned = scan?.(text, open[side])
    open[side] = scanned?.open
    if (mark === " ") open.old = scanned?.open
    const tokens = scanned?.tokens ?? [{ text, role: "plain" as const }]
    const partner = partners.get(i)
    const other = partner === undefined ? undefined : forReview(lines[partner]?.slice(1) ?? "")
    const colour = mark === "-" ? red : mark === "+" ? green : scan ? String : dim
    const drawn = mark === " " ? coloured(tokens) : marked(tokens, changeIn(text, other))
    const room = Math.max(8, columns - digits - 3)
    return wrapped(drawn, room).map((row, k) => {
      const gutter = dim((k === 0 ? String(number) : "").padStart(digits))
      return `${gutter} ${colour(`${k === 0 ? mark : " "} ${row}`)}`
    })
  })
}

/** Added and removed lines have one colour; of the syntax only weights remain. */
function marked(tokens: readonly Token[], change: ChangedSpan | undefined): string {
  let at = 0
  return tokens
    .map(({ text, role }) => {
      const weight = role === "keyword" ? bold : String
      const cut = (place: number): number => Math.max(0, Math.min(text.length, place - at))
      const [from, to] = change ? [cut(change.from), cut(change.to)] : [0, 0]
      at += text.length
      return weight(text.slice(0, from)) + weight(inverse(text.slice(from, to))) + weight(text.slice(to))
    })
    .join("")
}
