/** The changed lines as they are now, with a few around them. */

import type { Hunk } from "#lib/diff.ts"
import { counted } from "./counted.ts"
import type { Region } from "./match.ts"
import { linesOf, numbered } from "./numbered.ts"

const mostPlaces = 3
const around = 3
const longestPlace = 60

/** Shows the first few regions of a text with line numbers; neighbouring ones together. */
export function showRegions(text: string, regions: readonly Region[]): string {
  const spans: LineSpan[] = []
  let seen = 0
  for (const { start, end } of regions) {
    const first = Math.max(1, lineAt(text, start) - around)
    const last = lineAt(text, Math.max(start, end - 1)) + around
    const before = spans.at(-1)
    const isBeside = before !== undefined && first <= before.last + 1
    // No more is shown of a place that is already too long, and there may be very many regions.
    if (isBeside ? before.last - before.first > longestPlace : spans.length === mostPlaces) break
    if (isBeside) spans.splice(-1, 1, { first: before.first, last })
    else spans.push({ first, last })
    seen++
  }
  return showSpans(text, spans, regions.length - seen)
}

/** Shows the result of the first few hunks; they already include their surroundings. */
export function showHunks(text: string, hunks: readonly Hunk[]): string {
  const left = hunks.filter(({ newLines }) => newLines > 0)
  const spans = left
    .slice(0, mostPlaces)
    .map(({ newStart, newLines }) => ({ first: newStart, last: newStart + newLines - 1 }))
  return showSpans(text, spans, left.length - spans.length)
}

export function lineAt(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line++
  return line
}

/** First and last line, inclusive, counted from 1. */
interface LineSpan {
  readonly first: number
  readonly last: number
}

function showSpans(text: string, spans: readonly LineSpan[], rest: number): string {
  const lines = linesOf(text)
  const shown = spans.map(({ first, last }) => {
    const span = lines.slice(first - 1, last)
    if (span.length <= longestPlace) return numbered(span, first)
    return `${numbered(span.slice(0, longestPlace), first)}\n…`
  })
  return [...shown, ...(rest > 0 ? [`… and ${counted(rest, "more place")}`] : [])].join("\n…\n")
}
