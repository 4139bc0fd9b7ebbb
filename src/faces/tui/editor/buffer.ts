/** A text with a cursor in it, as a value: what every edit takes and gives. */

export interface Buffer {
  readonly text: string
  /** Where the cursor stands, in UTF-16 units, never inside a character. */
  readonly at: number
}

export const emptyBuffer: Buffer = { text: "", at: 0 }

export const bufferOf = (text: string): Buffer => ({ text, at: text.length })

export const insert = ({ text, at }: Buffer, added: string): Buffer => ({
  text: text.slice(0, at) + added + text.slice(at),
  at: at + added.length,
})

/** Takes away what lies between two places; the cursor stands where it was. */
export const remove = ({ text }: Buffer, from: number, to: number): Buffer => ({
  text: text.slice(0, from) + text.slice(to),
  at: from,
})

const segments = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** The place before the character to the left. */
export function leftOf({ text, at }: Buffer): number {
  if (at === 0) return 0
  // A character is short; looking at the whole of a long text at every key would not be.
  const from = Math.max(0, at - 64)
  let last = from
  for (const { index } of segments.segment(text.slice(from, at))) last = from + index
  return last
}

/** The place after the character to the right. */
export function rightOf({ text, at }: Buffer): number {
  for (const { segment } of segments.segment(text.slice(at, at + 64))) return at + segment.length
  return at
}

/** The beginning of the word to the left. */
export function wordLeft({ text, at }: Buffer): number {
  const before = text.slice(0, at).replace(/[^\p{L}\p{N}_]+$/u, "")
  return before.replace(/[\p{L}\p{N}_]+$/u, "").length
}

/** The end of the word to the right. */
export function wordRight({ text, at }: Buffer): number {
  return at + (/^[^\p{L}\p{N}_]*[\p{L}\p{N}_]*/u.exec(text.slice(at))?.[0].length ?? 0)
}

/** What Ctrl+W takes away: back to the last blank. */
export function blankLeft({ text, at }: Buffer): number {
  return text.slice(0, at).trimEnd().replace(/\S+$/, "").length
}

export const lineStart = ({ text, at }: Buffer): number => (at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1)

export function lineEnd({ text, at }: Buffer): number {
  const end = text.indexOf("\n", at)
  return end === -1 ? text.length : end
}

/** The same column one line up or down; nothing when there is no such line. */
export function vertical(buffer: Buffer, direction: "up" | "down"): number | undefined {
  const start = lineStart(buffer)
  const column = buffer.at - start
  if (direction === "up") {
    if (start === 0) return undefined
    const previous = lineStart({ text: buffer.text, at: start - 1 })
    return Math.min(previous + column, start - 1)
  }
  const end = lineEnd(buffer)
  if (end === buffer.text.length) return undefined
  return Math.min(end + 1 + column, lineEnd({ text: buffer.text, at: end + 1 }))
}
