/** A text in rows as wide as the screen: where each begins, and the place above or below another. */

import type { Buffer } from "./buffer.ts"
import { graphemes } from "#lib/graphemes.ts"

/** How wide a character is drawn in the prompt. */
const widthIn = (segment: string): number => (segment === "\t" ? 4 : segment === "\n" ? 0 : Bun.stringWidth(segment))

/** The same column one row up or down; nothing when there is no such row. */
export function beyondRow({ text, at }: Buffer, room: number, direction: "up" | "down"): number | undefined {
  const starts = rowStarts(text, room)
  const row = starts.findLastIndex((start) => start <= at)
  const start = starts[direction === "up" ? row - 1 : row + 1]
  if (start === undefined) return undefined
  const column = widthOf(text.slice(starts[row], at))
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

function rowStarts(text: string, room: number): readonly number[] {
  const starts = [0]
  let width = 0
  for (const { segment, index } of graphemes(text)) {
    const own = widthIn(segment)
    if (width + own > room) {
      starts.push(index)
      width = 0
    }
    width += own
    if (segment === "\n") {
      starts.push(index + 1)
      width = 0
    }
  }
  return starts
}

function widthOf(text: string): number {
  let width = 0
  for (const { segment } of graphemes(text)) width += widthIn(segment)
  return width
}
