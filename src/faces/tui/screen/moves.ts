/** How the cursor is moved over rows that are there. */

export const up = (rows: number): string => (rows > 0 ? `\u001b[${rows}A` : "")
/**
 * By line feeds, not by a move: a screen that just lost height may have cut off rows below, and these bring them
 * back.
 */
const down = (rows: number): string => "\n".repeat(Math.max(0, rows))
export const right = (columns: number): string => (columns > 0 ? `\u001b[${columns}C` : "")
export const move = (from: number, to: number): string => (to < from ? up(from - to) : down(to - from))
