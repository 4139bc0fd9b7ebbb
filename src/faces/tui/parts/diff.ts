/** A difference as rows: line numbers, what went, what came, and which words of a line changed. */

import type { FileDiff } from "#agent/words/display.ts"
import type { Hunk } from "#lib/diff.ts"
import { revealed } from "#lib/printable.ts"
import { bold, dim, green, inverse, red } from "#faces/tui/screen/style.ts"
import { wrapped } from "#faces/tui/screen/width.ts"
import { coloured } from "#faces/tui/syntax/colours.ts"
import { languageOfFile } from "#faces/tui/syntax/languages.ts"
import { type OpenToken, openScan, type Scan, type Token } from "#faces/tui/syntax/scan.ts"

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
    const text = revealed(line.slice(1))
    const side = mark === "-" ? "old" : "new"
    const scanned = scan?.(text, open[side])
    open[side] = scanned?.open
    if (mark === " ") open.old = scanned?.open
    const tokens = scanned?.tokens ?? [{ text, role: "plain" as const }]
    const partner = partners.get(i)
    const other = partner === undefined ? undefined : revealed(lines[partner]?.slice(1) ?? "")
    const colour = mark === "-" ? red : mark === "+" ? green : scan ? String : dim
    const drawn = mark === " " ? coloured(tokens) : marked(tokens, changeIn(text, other))
    const room = Math.max(8, columns - digits - 3)
    return wrapped(drawn, room).map((row, k) => {
      const gutter = dim((k === 0 ? String(number) : "").padStart(digits))
      return `${gutter} ${colour(`${k === 0 ? mark : " "} ${row}`)}`
    })
  })
}

/** Pairs removed and added lines of one place by similarity, in order. */
function pairs(lines: readonly string[]): Map<number, number> {
  const found = new Map<number, number>()
  for (let i = 0; i < lines.length;) {
    const gone = runOf(lines, i, "-")
    const come = runOf(lines, i + gone, "+")
    for (const [from, to] of alike(lines, i, gone, come)) {
      found.set(from, to)
      found.set(to, from)
    }
    i += Math.max(1, gone + come)
  }
  return found
}

/** Longer runs are another text, not another version of it. */
const mostAlike = 60

function alike(
  lines: readonly string[],
  start: number,
  gone: number,
  come: number,
): readonly (readonly [number, number])[] {
  if (gone === come) return Array.from({ length: gone }, (_, k) => [start + k, start + gone + k] as const)
  if (gone === 0 || come === 0 || gone > mostAlike || come > mostAlike) return []
  const found: (readonly [number, number])[] = []
  let next = start + gone
  for (let from = start; from < start + gone; from++) {
    let best = 0.5
    let partner: number | undefined
    for (let to = next; to < start + gone + come; to++) {
      const share = inCommon(lines[from]?.slice(1) ?? "", lines[to]?.slice(1) ?? "")
      if (share <= best) continue
      best = share
      partner = to
    }
    if (partner === undefined) continue
    found.push([from, partner])
    next = partner + 1
  }
  return found
}

/** The share of their common beginning and end. */
function inCommon(one: string, other: string): number {
  const own = one.trim()
  const its = other.trim()
  const most = Math.min(own.length, its.length)
  if (most === 0) return 0
  let start = 0
  while (start < most && own[start] === its[start]) start++
  let end = 0
  while (end < most - start && own.at(-1 - end) === its.at(-1 - end)) end++
  return (start + end) / Math.max(own.length, its.length)
}

function runOf(lines: readonly string[], from: number, mark: string): number {
  let count = 0
  while (lines[from + count]?.[0] === mark) count++
  return count
}

const words = /[\p{L}\p{N}_]+|\s+|./gu

interface ChangedSpan {
  readonly from: number
  readonly to: number
}

/** Between the common beginning and the common end. */
function changeIn(line: string, other: string | undefined): ChangedSpan | undefined {
  if (other === undefined || line.length > 1000) return undefined
  const own = line.match(words) ?? []
  const its = other.match(words) ?? []
  const most = Math.min(own.length, its.length)
  let start = 0
  while (start < most && own[start] === its[start]) start++
  let end = 0
  while (end < most - start && own.at(-1 - end) === its.at(-1 - end)) end++
  // When nearly everything differs, marking everything says nothing.
  if (start + end === 0) return undefined
  const from = own.slice(0, start).join("").length
  return { from, to: line.length - own.slice(own.length - end).join("").length }
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
