/** Where one is in a text that may be longer than the screen. */

import type { Size } from "#faces/tui/screen/screen.ts"

/** The first visible row, or the end, wherever that is now. */
export type ScrollPosition = number | "end"

export interface Fit {
  readonly count: number
  readonly room: number
}

export const panelSize = ({ columns, rows }: Size): Size => ({ columns: columns - 2, rows: Math.max(4, rows - 5) })

/** Below the title, the row about it if there is one, and an empty row. */
export const roomIn = (height: number, about: string | undefined): number =>
  Math.max(1, height - (about === undefined ? 2 : 3))

const lastFirst = ({ count, room }: Fit): number => Math.max(0, count - room)

export const firstRow = (place: ScrollPosition, fit: Fit): number =>
  place === "end" ? lastFirst(fit) : Math.max(0, Math.min(place, lastFirst(fit)))

/** At the end of growing text, the position follows the end. */
export function moved(place: ScrollPosition, by: number, fit: Fit, end: "grows" | "stays"): ScrollPosition {
  const last = lastFirst(fit)
  const next = Math.max(0, Math.min(last, firstRow(place, fit) + by))
  return next === last && end === "grows" ? "end" : next
}

/** Once per width: panels are drawn again with every frame. */
export function drawnOnce(draw: (columns: number) => readonly string[]): (columns: number) => readonly string[] {
  let last: { readonly columns: number; readonly rows: readonly string[] } | undefined
  return (columns) => {
    if (last?.columns !== columns) last = { columns, rows: draw(columns) }
    return last.rows
  }
}
