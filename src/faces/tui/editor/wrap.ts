/** A text in rows as wide as the screen: where each begins, and the place above or below another. */

import type { Buffer } from "./buffer.ts"
import { graphemes } from "#lib/graphemes.ts"
import { forReading } from "#lib/printable.ts"

export const shownAs = (segment: string): string =>
  segment === "\n" ? "" : segment === "\t" ? "    " : forReading(segment)

const widthIn = (segment: string): number => Bun.stringWidth(shownAs(segment))

/** Undefined if there is no such row. */
export function beyondRow({ text, at }: Buffer, room: number, direction: "up" | "down"): number | undefined {
  const starts = rowStarts(text, room)
  const row = starts.findLastIndex((start) => start <= at)
  const start = starts[direction === "up" ? row - 1 : row + 1]
  if (start === undefined) return undefined
  const column = drawnWidth(text.slice(starts[row], at))
  const next = starts[direction === "up" ? row : row + 2]
  // The last place of a row belongs to the next one, unless it is a line of its own.
  const line = text.slice(start, next).replace(/\n$/, "")
  const isBroken = next !== undefined && text[next - 1] !== "\n"
  let width = 0
  let last = start
  for (const { segment, index } of graphemes(line)) {
    last = start + index
    width += widthIn(segment)
    if (width > column) return last
  }
  return isBroken ? last : start + line.length
}

/** Rows break after a space; only a word wider than a row is broken itself. */
export function rowStarts(text: string, room: number): readonly number[] {
  const starts = [0]
  let width = 0
  let space = { index: 0, width: 0 }
  const breakAt = (index: number, left: number): void => {
    starts.push(index)
    width = left
    space = { index, width: 0 }
  }
  for (const { segment, index } of graphemes(text)) {
    const own = widthIn(segment)
    const next = index + segment.length
    if (segment === "\n") {
      breakAt(next, 0)
      continue
    }
    if (width + own > room) {
      // A space that does not fit ends the row that it follows.
      if (segment === " ") {
        breakAt(next, 0)
        continue
      }
      const isWord = space.index > (starts.at(-1) ?? 0)
      breakAt(isWord ? space.index : index, isWord ? width - space.width : 0)
    }
    width += own
    if (segment === " ") space = { index: next, width }
  }
  return starts
}

export function drawnWidth(text: string): number {
  let width = 0
  for (const { segment } of graphemes(text)) width += widthIn(segment)
  return width
}
