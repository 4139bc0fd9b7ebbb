/** Finds the text an edit names and replaces it, without touching any byte that need not change. */

import { dominantEnding, withLf } from "#ground/workspace/text.ts"

export type EditPlan =
  | { readonly kind: "edit"; readonly text: string; readonly regions: readonly Region[]; readonly how: MatchKind }
  | { readonly kind: "none" }
  /** Where each match begins, as offsets into the text. */
  | { readonly kind: "many"; readonly offsets: readonly number[] }

export interface Region {
  readonly start: number
  readonly end: number
}

export type MatchKind = "exact" | "tolerant"

export interface Replacement {
  readonly from: string
  readonly to: string
  readonly which: "only" | "all"
}

/** Plans an edit of a file's text. Line endings in `from` match either kind in the text. */
export function planEdit(text: string, { from, to, which }: Replacement): EditPlan {
  const view = text.includes("\r\n") ? plainEnds(text) : same(text)
  const wanted = withLf(from)
  const found = preferExact(occurrences(view.text, wanted), view, text, from)
  if (found.length > 1 && which === "only") return { kind: "many", offsets: found.map(view.edge) }
  if (found.length > 0) return { kind: "edit", how: "exact", ...splice(text, view, found, wanted, withLf(to)) }

  const loose = tolerantView(text)
  const at = tolerantPlace(loose.text, wanted)
  if (at === undefined) return { kind: "none" }
  // Trailing spaces were ignored in the search, so they are not inserted either.
  const clean = hasTrailingSpace(wanted) ? withoutTrailingSpace(withLf(to)) : withLf(to)
  return { kind: "edit", how: "tolerant", ...splice(text, loose, [at], withoutTrailingSpace(wanted), clean) }
}

/** A view of a text in which some characters are skipped. */
interface TextView {
  readonly text: string
  /** The offset in the original: right behind the previous character, so that skipped characters go with what follows. */
  readonly edge: (offset: number) => number
}

const same = (text: string): TextView => ({ text, edge: (offset) => offset })

function plainEnds(text: string): TextView {
  return viewOf(text, (code, at) => (code === 13 && text.charCodeAt(at + 1) === 10 ? undefined : code))
}

/** The text with plain line endings, straight quotes, and no trailing spaces. */
function tolerantView(text: string): TextView {
  const isTrailingSpace = trailingSpace(text)
  return viewOf(text, (code, at) => {
    if (isTrailingSpace(at) || (code === 13 && text.charCodeAt(at + 1) === 10)) return undefined
    return straight(code)
  })
}

function viewOf(text: string, read: (code: number, at: number) => number | undefined): TextView {
  const codes = new Uint16Array(text.length)
  const ends = new Uint32Array(text.length)
  let length = 0
  for (let at = 0; at < text.length; at++) {
    const code = read(text.charCodeAt(at), at)
    if (code === undefined) continue
    codes[length] = code
    ends[length++] = at + 1
  }
  const view = Buffer.from(codes.buffer, 0, length * 2).toString("utf16le")
  return { text: view, edge: (offset) => (offset === 0 ? 0 : (ends[offset - 1] ?? text.length)) }
}

/** Whether only spaces follow in the line. Must be called in order, so that it looks ahead only once. */
function trailingSpace(text: string): (at: number) => boolean {
  let end = -1
  let isTail = false
  return (at) => {
    if (at >= end) {
      end = at
      while (isSpace(text.charCodeAt(end))) end++
      const next = text.charCodeAt(end)
      isTail = end > at && (end === text.length || next === 10 || (next === 13 && text.charCodeAt(end + 1) === 10))
      if (end === at) end++
    }
    return isTail
  }
}

const isSpace = (code: number): boolean => code === 32 || code === 9

function straight(code: number): number {
  if (code >= 0x2018 && code <= 0x201b) return 39
  return code >= 0x201c && code <= 0x201f ? 34 : code
}

const straightText = (text: string): string => text.replace(/[\u2018-\u201b]/g, "'").replace(/[\u201c-\u201f]/g, '"')

function occurrences(text: string, wanted: string): number[] {
  const found: number[] = []
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) found.push(at)
  return found
}

/** With mixed line endings, an exact match wins over one that differs in line endings. */
function preferExact(found: readonly number[], view: TextView, text: string, from: string): readonly number[] {
  if (found.length < 2 || view.text === text) return found
  const exact = new Set(occurrences(text, from))
  const kept = found.filter((at) => exact.has(view.edge(at)))
  return kept.length > 0 ? kept : found
}

/** The one match when quotes and trailing spaces are ignored. */
function tolerantPlace(view: string, wanted: string): number | undefined {
  const sought = straightText(withoutTrailingSpace(wanted))
  if (sought.trim() === "") return undefined
  // Trailing spaces in the search text ended a line, so the match must end a line, too.
  const endsLine = /[ \t]$/.test(wanted)
  const found = occurrences(view, sought).filter((at) => {
    const next = view[at + sought.length]
    return !endsLine || next === undefined || next === "\n"
  })
  return found.length === 1 ? found[0] : undefined
}

const hasTrailingSpace = (text: string): boolean => /[ \t](?:\n|$)/.test(text)
const withoutTrailingSpace = (text: string): string => text.replace(/[ \t]+(?=\n|$)/g, "")

/**
 * Replaces `from` with `to` at every match. Common beginnings and ends were not meant to change, so they stay as in the file, including quotes, spaces
 * and line endings.
 */
function splice(
  text: string,
  view: TextView,
  found: readonly number[],
  from: string,
  to: string,
): { text: string; regions: Region[] } {
  const before = commonStart(from, to)
  const after = commonEnd(from.slice(before), to.slice(before))
  const inserted = to.slice(before, to.length - after)
  const parts: string[] = []
  const regions: Region[] = []
  let taken = 0
  let length = 0
  const put = (part: string): void => {
    parts.push(part)
    length += part.length
  }
  for (const at of found) {
    const start = view.edge(at + before)
    const end = view.edge(at + from.length - after)
    const regionStart = length + (view.edge(at) - taken)
    put(text.slice(taken, start))
    put(withEndsOf(text, start, end, inserted))
    taken = end
    regions.push({ start: regionStart, end: length + (view.edge(at + from.length) - end) })
  }
  put(text.slice(taken))
  return { text: parts.join(""), regions }
}

function commonStart(a: string, b: string): number {
  const most = Math.min(a.length, b.length)
  let count = 0
  while (count < most && a.charCodeAt(count) === b.charCodeAt(count)) count++
  return count
}

function commonEnd(a: string, b: string): number {
  const most = Math.min(a.length, b.length)
  let count = 0
  while (count < most && a.charCodeAt(a.length - 1 - count) === b.charCodeAt(b.length - 1 - count)) count++
  return count
}

/** The new lines with the line endings of those they replace; additional ones end like their neighbours. */
function withEndsOf(text: string, from: number, until: number, lines: string): string {
  if (!lines.includes("\n") || !text.includes("\r\n")) return lines
  const replaced = text.slice(from, until).match(/\r?\n/g) ?? []
  const neighbour = /\r?\n/.exec(text.slice(until))?.[0] ?? dominantEnding(text)
  let line = 0
  return lines.replaceAll("\n", () => replaced[line++] ?? replaced.at(-1) ?? neighbour)
}
