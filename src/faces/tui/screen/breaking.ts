/** How terminals break rows: those that no longer fit when it gets narrower, and those of which nobody knows how wide they are. */

import { widthOf } from "./width.ts"

/** What a terminal does with its rows when it gets narrower. */
export type Rewrap = "all" | "all but the cursor's" | "none"

/**
 * How many rows are between the cursor and the first row above it at this width. Errs on the low side: leftovers are
 * a blemish, but rows erased above are lost.
 */
export function riseOver(above: readonly string[], column: number, columns: number, rewrap: Rewrap): number {
  if (rewrap === "none") return above.length
  const own = rewrap === "all" ? Math.floor(column / columns) : 0
  return above.reduce((sum, row) => sum + heightOf(row, columns), own)
}

/** Not every terminal wraps trailing spaces, which only appear with a background colour. */
const heightOf = (row: string, columns: number): number =>
  Math.max(1, Math.ceil(widthOf(Bun.stripANSI(row).trimEnd()) / columns))

/**
 * Keeps the terminal from wrapping a row it believes too wide. Only where we may disagree: on a screen that shrank
 * before we knew, such a row loses its end.
 */
export function unbroken(row: string, columns: number): string {
  return isSurelyNarrow(row, columns) ? row : `\u001b[?7l${row}\u001b[?7h`
}

function isSurelyNarrow(row: string, columns: number): boolean {
  let most = 0
  // Whatever a terminal makes of them, none takes more than two columns for a code point.
  for (const point of Bun.stripANSI(row)) most += point < "\u007f" ? 1 : 2
  return most <= columns
}
