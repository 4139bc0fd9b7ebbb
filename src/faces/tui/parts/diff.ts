/** A difference as rows: line numbers, what went, what came, and which words of a line changed. */

import type { FileDiff } from "#agent/words/display.ts"
import type { Hunk } from "#lib/diff.ts"
import { revealed } from "#lib/printable.ts"
import { dim, green, inverse, red } from "#faces/tui/screen/style.ts"
import { wrapped } from "#faces/tui/screen/width.ts"

/** The rows of at most `most` changed lines, and how many lines were left out. */
export function diffRows(
  { hunks }: FileDiff,
  columns: number,
  most: number,
): { readonly rows: readonly string[]; readonly hidden: number } {
  const all = hunks.reduce((sum, { lines }) => sum + lines.length, 0)
  const digits = String(
    Math.max(1, ...hunks.map(({ oldStart, newStart, lines }) => Math.max(oldStart, newStart) + lines.length)),
  ).length
  const rows: string[] = []
  let room = most
  for (const [i, hunk] of hunks.entries()) {
    if (room <= 0) break
    if (i > 0) rows.push(dim(`${" ".repeat(digits)} ⋮`))
    const lines = hunk.lines.slice(0, room)
    room -= lines.length
    rows.push(...hunkRows({ ...hunk, lines }, digits, columns))
  }
  return { rows, hidden: Math.max(0, all - most) }
}

function hunkRows({ oldStart, newStart, lines }: Hunk, digits: number, columns: number): string[] {
  const partners = pairs(lines)
  let oldLine = oldStart
  let newLine = newStart
  return lines.flatMap((line, i) => {
    const mark = line[0] ?? " "
    const number = mark === "-" ? oldLine : newLine
    if (mark !== "+") oldLine++
    if (mark !== "-") newLine++
    const partner = partners.get(i)
    const text = highlighted(line.slice(1), partner === undefined ? undefined : lines[partner]?.slice(1))
    const colour = mark === "-" ? red : mark === "+" ? green : dim
    const room = Math.max(8, columns - digits - 3)
    return wrapped(text, room).map((row, k) => {
      const gutter = dim((k === 0 ? String(number) : "").padStart(digits))
      return `${gutter} ${colour(`${k === 0 ? mark : " "} ${row}`)}`
    })
  })
}

/** Lines that were replaced one by one: equally many went and came. */
function pairs(lines: readonly string[]): Map<number, number> {
  const found = new Map<number, number>()
  for (let i = 0; i < lines.length;) {
    const gone = runOf(lines, i, "-")
    const come = runOf(lines, i + gone, "+")
    if (gone === come)
      for (let k = 0; k < gone; k++) {
        found.set(i + k, i + gone + k)
        found.set(i + gone + k, i + k)
      }
    i += Math.max(1, gone + come)
  }
  return found
}

function runOf(lines: readonly string[], from: number, mark: string): number {
  let count = 0
  while (lines[from + count]?.[0] === mark) count++
  return count
}

const words = /[\p{L}\p{N}_]+|\s+|./gu

/** The words between what both lines begin with and what both end with. */
function highlighted(line: string, other: string | undefined): string {
  if (other === undefined || line.length > 1000) return revealed(line)
  const own = line.match(words) ?? []
  const its = other.match(words) ?? []
  const most = Math.min(own.length, its.length)
  let start = 0
  while (start < most && own[start] === its[start]) start++
  let end = 0
  while (end < most - start && own.at(-1 - end) === its.at(-1 - end)) end++
  // When nearly everything differs, marking everything says nothing.
  if (start + end === 0) return revealed(line)
  const part = (from: number, to: number): string => revealed(own.slice(from, to).join(""))
  return part(0, start) + inverse(part(start, own.length - end)) + part(own.length - end, own.length)
}
