/** Messages about undo. */

import type { SnapshotGap } from "#agent/words/entry.ts"
import { excludedWhy } from "#ground/snapshots/exclusions.ts"
import { forConsent } from "#lib/printable.ts"
import { firstLine } from "#lib/rows.ts"

export const notCovered = (list: readonly string[]): string => `Not covered by /rewind: ${listed(list)}.`

export const gapWords = (why: string): string =>
  `/rewind covers files that are edited here, but not what commands change: ${why}.`

export const notKept = (why: string): string => `What is changed now cannot be undone with /rewind: ${why}.`

export const tooLargeWords = (name: string, bytes: number): string =>
  `${forConsent(name)} is too large (${Math.ceil(bytes / 1_000_000)} MB) to be saved before it is changed`

/** For the model: the command found out when it was about to write. */
export const stoppedWords = (files: readonly string[]): string =>
  `Nobody was asked before it ran, and ${files.join(", and ")}: so the write was refused, and the file is as it was. To change it, run the command again: the user will be asked.`

/** The reason is at the end. */
export const excludedLine = (folder: string): string => `${folder} (${excludedWhy})`

export const isExcludedLine = (line: string): boolean => line.endsWith(` (${excludedWhy})`)

/** The folder of such a line. */
export const folderOfLine = (line: string): string => line.slice(0, -` (${excludedWhy})`.length)

export const gapLine = ({ call, why }: SnapshotGap): string => `${firstLine(call)} (${why})`

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
