/** How places in the log are written: an entry's id, the place just before it, or a moment after it. */

import type { Cursor } from "#agent/words/event.ts"

export const beginning = "beginning"

/** A moment is placed after the last entry. The number tells moments apart; resuming after one gives the entries since. */
export const momentAfter = (entry: Cursor, number: number): Cursor => `${entry}+${number}`

export const beforeEntry = (entry: Cursor): Cursor => `@${entry}`

export const isBefore = (cursor: Cursor): boolean => cursor.startsWith("@")

export const entryOf = (cursor: Cursor): string => cursor.replace(/^@/, "").replace(/\+\d+$/, "")
