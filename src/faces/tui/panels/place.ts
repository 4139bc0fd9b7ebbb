/** Where one is in a text that may be longer than the screen. */

import type { Size } from "#faces/tui/screen/screen.ts"

/** The first row that is seen; or the end, wherever that is by now. */
export type ScrollPosition = number | "end"

/** How many rows there are, and how many can be seen. */
export interface Fit {
  readonly count: number
  readonly room: number
}

/** What a panel may take of the screen: beside its bar, and above the keys. */
export const panelSize = ({ columns, rows }: Size): Size => ({ columns: columns - 2, rows: Math.max(4, rows - 5) })

/** Below the title, perhaps a row about it, and one that is left free. */
export const roomIn = (height: number, about: string | undefined): number =>
  Math.max(1, height - (about === undefined ? 2 : 3))

const lastFirst = ({ count, room }: Fit): number => Math.max(0, count - room)

export const firstRow = (place: ScrollPosition, fit: Fit): number =>
  place === "end" ? lastFirst(fit) : Math.max(0, Math.min(place, lastFirst(fit)))

/** Whoever comes to the end of what grows stays there. */
export function moved(place: ScrollPosition, by: number, fit: Fit, end: "grows" | "stays"): ScrollPosition {
  const last = lastFirst(fit)
  const next = Math.max(0, Math.min(last, firstRow(place, fit) + by))
  return next === last && end === "grows" ? "end" : next
}

/** Draws once for a width: what is read is drawn again with every frame. */
export function drawnOnce(draw: (columns: number) => readonly string[]): (columns: number) => readonly string[] {
  let last: { readonly columns: number; readonly rows: readonly string[] } | undefined
  return (columns) => {
    if (last?.columns !== columns) last = { columns, rows: draw(columns) }
    return last.rows
  }
}
