/** The lines of a hunk as rows: one under the other, or what went beside what came. */

import { pairs } from "#faces/view/diff-words.ts"
import type { Hunk } from "#lib/diff.ts"
import { forConsent } from "#lib/printable.ts"

export interface LineRow {
  readonly mark: " " | "-" | "+"
  /** In the file before and after the change. */
  readonly oldLine: number
  readonly newLine: number
  readonly text: string
  /** The line that it replaces, or that replaces it. */
  readonly other: string | undefined
}

export interface SplitRow {
  readonly left: LineRow | undefined
  readonly right: LineRow | undefined
}

export function lineRows({ oldStart, newStart, lines }: Hunk): readonly LineRow[] {
  const partners = pairs(lines)
  let [oldLine, newLine] = [oldStart, newStart]
  return lines.map((line, i) => {
    const mark = line.startsWith("+") ? "+" : line.startsWith("-") ? "-" : " "
    const partner = partners.get(i)
    const row: LineRow = {
      mark,
      oldLine,
      newLine,
      text: forConsent(line.slice(1)),
      other: partner === undefined ? undefined : forConsent(lines[partner]?.slice(1) ?? ""),
    }
    if (mark !== "+") oldLine++
    if (mark !== "-") newLine++
    return row
  })
}

/** A run of lines that went stands beside the run that came. */
export function splitRows(rows: readonly LineRow[]): readonly SplitRow[] {
  const split: SplitRow[] = []
  for (let i = 0; i < rows.length;) {
    const row = rows[i]
    if (row?.mark === " ") {
      split.push({ left: row, right: row })
      i++
      continue
    }
    const gone = runOf(rows, i, "-")
    const come = runOf(rows, i + gone, "+")
    for (let k = 0; k < Math.max(gone, come); k++)
      split.push({ left: k < gone ? rows[i + k] : undefined, right: k < come ? rows[i + gone + k] : undefined })
    i += Math.max(1, gone + come)
  }
  return split
}

function runOf(rows: readonly LineRow[], from: number, mark: LineRow["mark"]): number {
  let count = 0
  while (rows[from + count]?.mark === mark) count++
  return count
}

/** Where a comment on this row is. */
export const placeOf = ({
  mark,
  oldLine,
  newLine,
}: LineRow): { readonly side: "old" | "new"; readonly line: number } =>
  mark === "-" ? { side: "old", line: oldLine } : { side: "new", line: newLine }
