/** Bytes as text and back, byte for byte: the encoding, the byte order mark and every line ending survive. */

import { isUtf8 } from "node:buffer"
import { failed, ok, type Result } from "#lib/result.ts"

export type Encoding = "utf8" | "utf16le" | "utf16be" | "latin1"

export interface TextShape {
  readonly encoding: Encoding
  /** Whether the file starts with a byte order mark, which is not part of the text. */
  readonly bom: boolean
}

export interface DecodedText extends TextShape {
  readonly text: string
}

export type LineEnding = "\n" | "\r\n"

export const plainShape: TextShape = { encoding: "utf8", bom: false }

export const encodingNames: Readonly<Record<Encoding, string>> = {
  utf8: "UTF-8",
  utf16le: "UTF-16 LE",
  utf16be: "UTF-16 BE",
  latin1: "Latin-1",
}

/** Fails when they are not text in any known encoding. */
export function decode(bytes: Buffer): Result<DecodedText, "binary"> {
  const shape = shapeOf(bytes)
  if (shape === undefined) return failed("binary")
  const body = bytes.subarray(shape.bom ? markLength(shape.encoding) : 0)
  return ok({ ...shape, text: textOf(body, shape.encoding) })
}

/** Fails with the first character the encoding lacks. */
export function encode(text: string, { encoding, bom }: TextShape): Result<Buffer, string> {
  if (encoding === "latin1") {
    const foreign = /[\u0100-\u{10ffff}]/u.exec(text)
    if (foreign !== null) return failed(foreign[0])
  }
  const body = encoding === "utf16be" ? Buffer.from(text, "utf16le").swap16() : Buffer.from(text, encoding)
  return ok(bom ? Buffer.concat([marks[encoding], body]) : body)
}

/** The most frequent line ending; `\n` if there is none. */
export function dominantEnding(text: string): LineEnding {
  let crlf = 0
  let lf = 0
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    if (text.charCodeAt(at - 1) === 13) crlf++
    else lf++
  }
  return crlf > lf ? "\r\n" : "\n"
}

/** Whether every line ends in `\r\n`, and there is at least one. */
export function endsAllInCrlf(text: string): boolean {
  return text.includes("\r\n") && !/(?:^|[^\r])\n/.test(text)
}

export function withLf(text: string): string {
  return text.includes("\r") ? text.replaceAll("\r\n", "\n") : text
}

const marks: Readonly<Record<Encoding, Buffer>> = {
  utf8: Buffer.from([0xef, 0xbb, 0xbf]),
  utf16le: Buffer.from([0xff, 0xfe]),
  utf16be: Buffer.from([0xfe, 0xff]),
  latin1: Buffer.alloc(0),
}

const markLength = (encoding: Encoding): number => marks[encoding].length

/** Enough to tell text from anything else; the rest of a file is not inspected for it. */
const sampleBytes = 8192

/** Judged by the first bytes (all of them for UTF-8); undefined when the file is binary. */
export function shapeOf(bytes: Buffer, whole = true): TextShape | undefined {
  const evenly = !whole || bytes.length % 2 === 0
  if (startsWith(bytes, marks.utf8) && isUtf8(complete(bytes, whole))) return { encoding: "utf8", bom: true }
  if (startsWith(bytes, marks.utf16le) && evenly) return { encoding: "utf16le", bom: true }
  if (startsWith(bytes, marks.utf16be) && evenly) return { encoding: "utf16be", bom: true }
  const sample = bytes.subarray(0, sampleBytes)
  if (sample.includes(0)) {
    const encoding = evenly ? unmarkedUtf16(sample) : undefined
    return encoding && { encoding, bom: false }
  }
  if (isUtf8(complete(bytes, whole))) return plainShape
  return looksPrintable(sample) ? { encoding: "latin1", bom: false } : undefined
}

function textOf(bytes: Buffer, encoding: Encoding): string {
  if (encoding !== "utf16be") return bytes.toString(encoding)
  return Buffer.from(bytes).swap16().toString("utf16le")
}

function startsWith(bytes: Buffer, mark: Buffer): boolean {
  return bytes[0] === mark[0] && bytes.length >= mark.length && bytes.subarray(0, mark.length).equals(mark)
}

/** A part of a file may end inside a character; its last bytes then prove nothing. */
function complete(bytes: Buffer, whole: boolean): Buffer {
  if (whole) return bytes
  let end = bytes.length
  while (end > 0 && bytes.length - end < 3 && ((bytes[end - 1] ?? 0) & 0xc0) === 0x80) end--
  return bytes.subarray(0, Math.max(0, end - 1))
}

/** Western text in UTF-16 has a zero in nearly every second byte, always on the same side. */
function unmarkedUtf16(sample: Buffer): Encoding | undefined {
  let even = 0
  let odd = 0
  for (let i = 0; i < sample.length; i++) {
    if (sample[i] !== 0) continue
    if (i % 2 === 0) even++
    else odd++
  }
  const pairs = Math.floor(sample.length / 2)
  if (odd >= pairs * 0.7 && even === 0) return "utf16le"
  if (even >= pairs * 0.7 && odd === 0) return "utf16be"
  return undefined
}

/** Bytes that are not UTF-8 are taken for Latin-1 only if they contain hardly any control characters. */
function looksPrintable(sample: Buffer): boolean {
  let controls = 0
  for (const byte of sample) {
    const isControl = byte < 32 ? byte !== 9 && byte !== 10 && byte !== 13 && byte !== 12 : byte >= 127 && byte < 160
    if (isControl) controls++
  }
  return controls <= sample.length * 0.02
}
