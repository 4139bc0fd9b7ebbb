/** A difference as rows: line numbers, what went, what came, and which words of a line changed; side by side where there is room. */

import type { FileDiff } from "#agent/words/display.ts"
import type { Hunk } from "#lib/diff.ts"
import { forReview } from "#lib/printable.ts"
import {
  addedTint,
  dim,
  green,
  red,
  removedTint,
  type Tint,
  tinted,
  tintedRow,
  tintedWord,
} from "#faces/tui/screen/style.ts"
import { widthOf, wrapped } from "#faces/tui/screen/width.ts"
import { coloured } from "#faces/tui/syntax/colours.ts"
import { languageOfFile } from "#faces/view/syntax/languages.ts"
import { type ChangedSpan, changeIn, pairs } from "#faces/view/diff-words.ts"
import { type OpenToken, openScan, type Scan, type Token } from "#faces/view/syntax/scan.ts"

/** A terminal of 140 columns, without what stands to the left of a diff. */
const sideBySideFrom = 130
const between = " │ "

interface DiffLine {
  readonly mark: " " | "+" | "-"
  readonly numbers: { readonly old: number; readonly new: number }
  /** In its colours, and its changed words marked. */
  readonly drawn: string
  /** The line that it became or was, in the same hunk. */
  readonly partner: number | undefined
}

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
  const layOut = columns >= sideBySideFrom && hasBothSides(hunks) ? sideBySide : below
  const rows: string[] = []
  // A row that says that one line is left out takes as much room as the line.
  let room = all === most + 1 ? all : most
  const hidden = Math.max(0, all - room)
  for (const [i, hunk] of hunks.entries()) {
    if (room <= 0) break
    if (i > 0) rows.push(dim(`${" ".repeat(digits)} ⋮`))
    const lines = hunk.lines.slice(0, room)
    room -= lines.length
    rows.push(...layOut(linesOf({ ...hunk, lines }, language && openScan(language)), digits, columns))
  }
  return { rows, hidden }
}

/** `+12 -3`. */
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

/** Otherwise one column would be empty. */
const hasBothSides = (hunks: readonly Hunk[]): boolean =>
  ["+", "-"].every((mark) => hunks.some(({ lines }) => lines.some((line) => line[0] === mark)))

function linesOf({ oldStart, newStart, lines }: Hunk, scan: Scan | undefined): readonly DiffLine[] {
  const partners = pairs(lines)
  let oldLine = oldStart
  let newLine = newStart
  const open: { old: OpenToken; new: OpenToken } = { old: undefined, new: undefined }
  return lines.map((line, i) => {
    const mark = line[0] === "-" || line[0] === "+" ? line[0] : " "
    const numbers = { old: oldLine, new: newLine }
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
    const tint = tintOf(mark)
    const plain = scan ? coloured(tokens) : dim(text)
    return { mark, numbers, partner, drawn: tint ? marked(tokens, changeIn(text, other), tint) : plain }
  })
}

const tintOf = (mark: DiffLine["mark"]): Tint | undefined =>
  mark === "+" ? addedTint : mark === "-" ? removedTint : undefined

/** The syntax keeps its colours; words that changed have a stronger background than their line. */
function marked(tokens: readonly Token[], change: ChangedSpan | undefined, tint: Tint): string {
  let at = 0
  return tokens
    .map(({ text, role }) => {
      const cut = (place: number): number => Math.max(0, Math.min(text.length, place - at))
      const [from, to] = change ? [cut(change.from), cut(change.to)] : [0, 0]
      at += text.length
      const part = (start: number, end: number): string => coloured([{ text: text.slice(start, end), role }])
      return part(0, from) + tintedWord(part(from, to), tint) + part(to, text.length)
    })
    .join("")
}

/** What came below what went. */
function below(lines: readonly DiffLine[], digits: number, columns: number): readonly string[] {
  return lines.flatMap((line) => {
    const tint = tintOf(line.mark)
    return cellRows(line, line.mark === "-" ? "old" : "new", digits, columns).map((row) =>
      tint ? tintedRow(row, tint) : row,
    )
  })
}

/** What went at the left, what came at the right. */
function sideBySide(lines: readonly DiffLine[], digits: number, columns: number): readonly string[] {
  const width = Math.floor((columns - between.length) / 2)
  return besideEachOther(lines).flatMap(([left, right]) => {
    const went = left ? cellRows(left, "old", digits, width) : []
    const came = right ? cellRows(right, "new", digits, width) : []
    return Array.from({ length: Math.max(went.length, came.length) }, (_, i) => {
      const [row = "", other = ""] = [went[i], came[i]]
      const padded = row + " ".repeat(Math.max(0, width - widthOf(row)))
      const [leftTint, rightTint] = [left && tintOf(left.mark), right && tintOf(right.mark)]
      return `${leftTint ? tinted(padded, leftTint) : padded}${dim(between)}${rightTint ? tintedRow(other, rightTint) : other}`
    })
  })
}

type SideBySideLines = readonly [left: DiffLine | undefined, right: DiffLine | undefined]

/** A line stands beside the one that it became; what is left over between two such pairs stands side by side in its order. */
function besideEachOther(lines: readonly DiffLine[]): readonly SideBySideLines[] {
  const rows: SideBySideLines[] = []
  let went: DiffLine[] = []
  let came: DiffLine[] = []
  const flush = (): void => {
    for (let i = 0; i < Math.max(went.length, came.length); i++) rows.push([went[i], came[i]])
    went = []
    came = []
  }
  for (let i = 0; i < lines.length;) {
    const [start, line] = [i, lines[i]]
    if (line?.mark === " ") {
      flush()
      rows.push([line, line])
      i++
      continue
    }
    while (lines[i]?.mark === "-") i++
    const gone = lines.slice(start, i)
    let next = i
    while (lines[i]?.mark === "+") i++
    for (const one of gone) {
      if (one.partner !== undefined) {
        came.push(...lines.slice(next, one.partner))
        flush()
        rows.push([one, lines[one.partner]])
        next = one.partner + 1
      } else went.push(one)
    }
    came.push(...lines.slice(next, i))
    flush()
  }
  return rows
}

/** A line with its number and mark; what does not fit goes below. */
function cellRows(
  { mark, numbers, drawn }: DiffLine,
  side: "old" | "new",
  digits: number,
  columns: number,
): readonly string[] {
  const colour = mark === "-" ? red : mark === "+" ? green : dim
  return wrapped(drawn, Math.max(8, columns - digits - 3)).map((row, i) => {
    const gutter = colour((i === 0 ? String(numbers[side]) : "").padStart(digits))
    return `${gutter} ${colour(i === 0 ? mark : " ")} ${row}`
  })
}
