/**
 * A line of JSON that comes in pieces. A very long string in it goes to a file as it arrives, and the line has its
 * beginning, its end, and where the file is: a message of fifty megabytes takes no more memory than a small one.
 */

/** Takes a text in pieces; the result of `close` says where it is, for the model. */
export interface LongText {
  readonly add: (text: string) => void
  readonly close: () => string
}

/** Undefined where none can be kept; then the string stays in the line. */
export type OpenLongText = () => LongText | undefined

/** Longer than any picture that providers accept. */
export const longestString: number = 6 * 1024 * 1024
const shownCharacters = 40_000

const quote = 0x22
const backslash = 0x5c

export interface LongLine {
  readonly push: (bytes: Uint8Array) => void
  /** The line, with what is left of its long strings. */
  readonly end: () => string
}

export function openLongLine(open: OpenLongText, longest: number = longestString): LongLine {
  const kept: Buffer[] = []
  /** The end of the last piece, if it is the beginning of an escape or of a character. */
  let rest: Buffer = Buffer.alloc(0)
  let string: JsonString | undefined

  function push(bytes: Uint8Array): void {
    const piece =
      rest.length === 0 ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) : Buffer.concat([rest, bytes])
    rest = Buffer.alloc(0)
    for (let at = 0; at < piece.length;) {
      if (!string) {
        const begin = piece.indexOf(quote, at)
        const end = begin < 0 ? piece.length : begin + 1
        kept.push(piece.subarray(at, end))
        at = end
        if (begin >= 0) string = openString(open, longest)
        continue
      }
      const { end, isOver } = wholePart(piece, at)
      string.add(piece.subarray(at, end))
      if (!isOver) {
        rest = piece.subarray(end)
        return
      }
      kept.push(...string.end(), piece.subarray(end, end + 1))
      string = undefined
      at = end + 1
    }
  }

  return {
    push,
    end() {
      if (string) kept.push(...string.end())
      kept.push(rest)
      return Buffer.concat(kept).toString("utf8")
    },
  }
}

interface JsonString {
  readonly add: (raw: Buffer) => void
  readonly end: () => readonly Buffer[]
}

function openString(open: OpenLongText, longest: number): JsonString {
  let parts: Buffer[] = []
  let length = 0
  let file: LongText | undefined
  let cannot = false
  let head = ""
  /** The last pieces, which have at least what is shown of them. */
  let last: string[] = []
  let lastLength = 0

  function write(text: string): void {
    file?.add(text)
    if (head.length < shownCharacters) head += text.slice(0, shownCharacters - head.length)
    last.push(text)
    lastLength += text.length
    for (let [first = ""] = last; lastLength - first.length >= shownCharacters; [first = ""] = last) {
      last = last.slice(1)
      lastLength -= first.length
    }
  }

  return {
    add(raw) {
      if (raw.length === 0) return
      length += raw.length
      if (file) return write(unescaped(raw))
      parts.push(raw)
      if (length <= longest || cannot) return
      file = open()
      cannot = file === undefined
      if (!file) return
      for (const part of parts) write(unescaped(part))
      parts = []
    },
    end() {
      if (!file) return parts
      const tail = last.join("").slice(-shownCharacters)
      const text = `${head.toWellFormed()}\n${file.close()}\n${tail.toWellFormed()}`
      return [Buffer.from(JSON.stringify(text).slice(1, -1))]
    },
  }
}

/** Up to the end of the string, or as far as nothing is cut in two. */
function wholePart(piece: Buffer, from: number): { readonly end: number; readonly isOver: boolean } {
  let close = piece.indexOf(quote, from)
  for (let at = from; ;) {
    // The one that was found is part of an escape.
    if (close >= 0 && close < at) close = piece.indexOf(quote, at)
    const escape = piece.indexOf(backslash, at)
    if (close >= 0 && (escape < 0 || close < escape)) return { end: close, isOver: true }
    if (escape < 0) return { end: wholeCharacters(piece), isOver: false }
    const end = escapeEnd(piece, escape)
    if (end === undefined) return { end: escape, isOver: false }
    at = end
  }
}

/** Undefined where the piece ends before it. Two halves of one character stay together. */
function escapeEnd(piece: Buffer, at: number): number | undefined {
  const length = piece[at + 1] === letterU ? 6 : 2
  const end = at + length
  if (at + 1 >= piece.length || end > piece.length) return undefined
  const isHalf = length === 6 && /^d[89ab]/i.test(piece.toString("latin1", at + 2, end))
  if (!isHalf) return end
  if (end + 1 >= piece.length) return undefined
  if (piece[end] !== backslash || piece[end + 1] !== letterU) return end
  return end + 6 > piece.length ? undefined : end + 6
}

const letterU = 0x75

/** Without the beginning of a character whose end is still to come. */
function wholeCharacters(piece: Buffer): number {
  for (let back = 1; back <= Math.min(4, piece.length); back++) {
    const byte = piece[piece.length - back] ?? 0
    if ((byte & 0xc0) === 0x80) continue
    const length = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
    return length > back ? piece.length - back : piece.length
  }
  return piece.length
}

function unescaped(raw: Buffer): string {
  const text = raw.toString("utf8")
  try {
    return String(JSON.parse(`"${text}"`))
  } catch {
    return text
  }
}
