/** A text as the characters that one sees, and what kind each is. */

import { graphemes } from "#lib/graphemes.ts"

export interface Cells {
  readonly cells: readonly string[]
  /** One more than there are cells, for the end. */
  readonly starts: readonly number[]
}

export type CellKind = "word" | "sign" | "space" | "break"

export function cellsOf(text: string): Cells {
  const cells: string[] = []
  const starts: number[] = []
  for (const { segment, index } of graphemes(text)) {
    cells.push(segment)
    starts.push(index)
  }
  starts.push(text.length)
  return { cells, starts }
}

export function cellAt({ starts }: Cells, at: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((starts[middle] ?? 0) <= at) low = middle
    else high = middle - 1
  }
  return low
}

/** With `big`, all non-spaces are one kind. */
export function kindOf(cell: string | undefined, big: boolean): CellKind {
  if (cell === undefined || cell === "\n" || cell === "\r\n") return "break"
  if (/^\s/.test(cell)) return "space"
  return big || /^[\p{L}\p{N}\p{M}_]/u.test(cell) ? "word" : "sign"
}
