/** How places in the log are written: the entry's id, the place just before it, or a moment after it. */

import type { Cursor } from "#agent/words/event.ts"

export const beginning = "beginning"

/** A moment is placed after the last entry. The number tells moments apart; whoever comes back after one gets the entries since. */
export const momentAfter = (entry: Cursor, number: number): Cursor => `${entry}+${number}`

export const beforeEntry = (entry: Cursor): Cursor => `@${entry}`

export const isBefore = (cursor: Cursor): boolean => cursor.startsWith("@")

/** The entry that a place is counted from. */
export const entryOf = (cursor: Cursor): string => cursor.replace(/^@/, "").replace(/\+\d+$/, "")
