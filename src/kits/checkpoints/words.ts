/** Messages about undo. */

import type { SnapshotGap } from "#agent/words/entry.ts"
import { firstLine } from "#lib/rows.ts"

export const notCovered = (list: readonly string[]): string => `Not covered by /rewind: ${listed(list)}.`

export const gapWords = (why: string): string =>
  `/rewind covers files that are edited here, but not what commands change: ${why}.`

export const notKept = (why: string): string => `What is changed now cannot be undone with /rewind: ${why}.`

export const gapLine = ({ call, why }: SnapshotGap): string => `${firstLine(call)} (${why})`

/** To the model: nothing happened, and trying again asks the user. */
export const notRunWords = (why: string): string =>
  `Not run: the files could not be kept for undo (${why}). Nothing was changed. Run it again if it is needed; the user will be asked.`

function listed(list: readonly string[]): string {
  const shown = list.slice(0, mostShown).join(", ")
  return list.length > mostShown ? `${shown} and ${list.length - mostShown} more` : shown
}

const mostShown = 8

/** `3 files created, 2 modified`; empty when nothing changed. */
export function summaryText(counts: {
  readonly created: number
  readonly modified: number
  readonly removed: number
}): string {
  const parts = Object.entries(counts).filter(([, count]) => count > 0)
  return parts
    .map(([what, count], i) => `${count}${i === 0 ? (count === 1 ? " file" : " files") : ""} ${what}`)
    .join(", ")
}
