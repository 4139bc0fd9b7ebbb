/** What a body is: its media type, whether that is text, and the text in its bytes. */

import { isUtf8 } from "node:buffer"

/** A Content-Type header, understood. */
export interface Media {
  /** `text/html`, in lower case; empty when the server did not say, or said something else. */
  readonly type: string
  readonly charset: string | undefined
}

export function parseMedia(header: string | undefined): Media {
  const [type = "", ...parameters] = (header ?? "").split(";")
  const charset = parameters
    .map((parameter) => /^\s*charset\s*=\s*["']?([^"'\s]+)/i.exec(parameter)?.[1])
    .find((value) => value !== undefined)
  const name = type.trim().toLowerCase()
  return { type: /^[\w.+-]{1,60}\/[\w.+-]{1,100}$/.test(name) ? name : "", charset }
}

/** What to do with a body: convert it, take it as it is, look at it first, or leave it. */
export type MediaKind = "html" | "text" | "unknown" | "binary"

export function mediaKind({ type }: Media): MediaKind {
  if (type === "") return "unknown"
  if (type === "text/html" || type === "application/xhtml+xml") return "html"
  if (type.startsWith("text/") || /\+(?:json|xml|yaml)$/.test(type)) return "text"
  return textTypes.has(type.replace(/^application\/(?:x-|vnd\.)?/, "")) ? "text" : "binary"
}

/** Names of application types that are text. */
const textTypes: ReadonlySet<string> = new Set([
  "ecmascript",
  "graphql",
  "javascript",
  "json",
  "json5",
  "jsonlines",
  "ndjson",
  "markdown",
  "rtf",
  "sh",
  "sql",
  "toml",
  "typescript",
  "xml",
  "yaml",
])

/** A body that nobody named: HTML when it begins like it, text when it holds nothing else, else binary. */
export function sniffedKind(bytes: Buffer): Exclude<MediaKind, "unknown"> {
  const start = bytes.subarray(0, 4096)
  if (start.includes(0)) return "binary"
  const head = start.toString("latin1").trimStart()
  if (/^(?:<!doctype html|<html|<head|<body)/i.test(head)) return "html"
  return isUtf8(bytes) ? "text" : "binary"
}

/** The text of a body: by its mark, by what the server says, by what the document says, else UTF-8, else Western. */
export function textOf(bytes: Buffer, { charset }: Media): string {
  const mark = markOf(bytes)
  if (mark !== undefined) return new TextDecoder(mark).decode(bytes)
  const decoder = decoderFor(charset) ?? decoderFor(declaredCharset(bytes))
  return (decoder ?? new TextDecoder(isUtf8(bytes) ? "utf-8" : "windows-1252")).decode(bytes)
}

function markOf(bytes: Buffer): "utf-8" | "utf-16le" | "utf-16be" | undefined {
  const [first, second, third] = bytes
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8"
  if (first === 0xff && second === 0xfe) return "utf-16le"
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined
}

/** What HTML or XML says of itself near its beginning. */
function declaredCharset(bytes: Buffer): string | undefined {
  const head = bytes.toString("latin1", 0, 2048)
  const meta = /<meta\s[^>]{0,200}?charset\s*=\s*["']?\s*([\w:-]+)/i.exec(head)?.[1]
  return meta ?? /^<\?xml\s[^>]{0,100}?encoding\s*=\s*["']([\w:-]+)/i.exec(head)?.[1]
}

/** A decoder for a name that may be anything; none when it is unknown. */
function decoderFor(label: string | undefined): InstanceType<typeof TextDecoder> | undefined {
  if (label === undefined) return undefined
  try {
    // The runtime knows more names than its types do, and throws at the others.
    return new TextDecoder(label as ConstructorParameters<typeof TextDecoder>[0])
  } catch {
    return undefined
  }
}
