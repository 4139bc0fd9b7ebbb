/** How terminals break rows: those that no longer fit when it gets narrower, and those of which nobody knows how wide they are. */

import { widthOf } from "./width.ts"

/** What a terminal does with its rows when it gets narrower: breaks them all, all but the one with the cursor, or cuts them off. */
export type Rewrap = "all" | "all but the cursor's" | "none"

/**
 * How many rows lie between the cursor and the first of the rows above it, now that the terminal is so wide. Rather too
 * few than too many: what is left standing is a blemish, what is erased above is lost.
 */
export function riseOver(above: readonly string[], column: number, columns: number, rewrap: Rewrap): number {
  if (rewrap === "none") return above.length
  const own = rewrap === "all" ? Math.floor(column / columns) : 0
  return above.reduce((sum, row) => sum + heightOf(row, columns), own)
}

/** Of spaces at the end, which only a colour behind them brings here, not every terminal takes notice. */
const heightOf = (row: string, columns: number): number =>
  Math.max(1, Math.ceil(widthOf(Bun.stripANSI(row).trimEnd()) / columns))

/**
 * A row that the terminal must not break where it thinks it too wide. Only where the two of us may disagree: on a screen
 * that became narrower before we knew, a row that is not broken loses its end.
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
