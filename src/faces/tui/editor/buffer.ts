/** A text with a cursor in it, as a value: what every edit takes and gives. */

import { graphemes } from "#lib/graphemes.ts"

export interface Buffer {
  readonly text: string
  /** In UTF-16 units, never inside a character. */
  readonly at: number
}

export const emptyBuffer: Buffer = { text: "", at: 0 }

export const bufferOf = (text: string): Buffer => ({ text, at: text.length })

export const insert = ({ text, at }: Buffer, added: string): Buffer => ({
  text: text.slice(0, at) + added + text.slice(at),
  at: at + added.length,
})

/** Puts the cursor where the text was. */
export const remove = ({ text }: Buffer, from: number, to: number): Buffer => ({
  text: text.slice(0, from) + text.slice(to),
  at: from,
})

/** A character is short; scanning the whole of a long text at every key would be slow. */
const longest = 64

export function leftOf({ text, at }: Buffer): number {
  if (at === 0) return 0
  const from = Math.max(0, at - longest)
  let last = from
  for (const { index } of graphemes(text.slice(from, at))) last = from + index
  return last
}

export function rightOf({ text, at }: Buffer): number {
  for (const { segment } of graphemes(text.slice(at, at + longest))) return at + segment.length
  return at
}

/** Moves a position inside a character to its start. */
export function onEdge(text: string, at: number): number {
  if (at <= 0) return 0
  if (at >= text.length) return text.length
  // Characters never span lines, so a line's beginning is an edge to count from; so, nearly always, is a place far back.
  const from = Math.max(text.lastIndexOf("\n", at - 1) + 1, at - longest)
  let edge = from
  for (const { index } of graphemes(text.slice(from, at + longest))) {
    if (from + index > at) break
    edge = from + index
  }
  return edge
}

export function wordLeft({ text, at }: Buffer): number {
  const before = text.slice(0, at).replace(/[^\p{L}\p{N}\p{M}_]+$/u, "")
  return before.replace(/[\p{L}\p{N}\p{M}_]+$/u, "").length
}

export function wordRight({ text, at }: Buffer): number {
  return at + (/^[^\p{L}\p{N}\p{M}_]*[\p{L}\p{N}\p{M}_]*/u.exec(text.slice(at))?.[0].length ?? 0)
}

/** For Ctrl+W: back to the previous space. */
export function spaceLeft({ text, at }: Buffer): number {
  return text.slice(0, at).trimEnd().replace(/\S+$/, "").length
}

export const lineStart = ({ text, at }: Buffer): number => (at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1)

export function lineEnd({ text, at }: Buffer): number {
  const end = text.indexOf("\n", at)
  return end === -1 ? text.length : end
}

/** The same column one line up or down; undefined if there is no such line. */
export function vertical(buffer: Buffer, direction: "up" | "down"): number | undefined {
  const start = lineStart(buffer)
  const column = Bun.stringWidth(buffer.text.slice(start, buffer.at))
  if (direction === "up")
    return start === 0 ? undefined : atColumn(buffer.text, lineStart({ text: buffer.text, at: start - 1 }), column)
  const end = lineEnd(buffer)
  return end === buffer.text.length ? undefined : atColumn(buffer.text, end + 1, column)
}

/** `column` columns into the line that starts at `start`, or as close before that as a character allows. */
function atColumn(text: string, start: number, column: number): number {
  const line = text.slice(start, lineEnd({ text, at: start }))
  let width = 0
  for (const { segment, index } of graphemes(line)) {
    width += Bun.stringWidth(segment)
    if (width > column) return start + index
  }
  return start + line.length
}
