/** What a body is: its media type, whether that is text, and the decoded text. */

import { isUtf8 } from "node:buffer"

export interface Media {
  /** `text/html`, in lower case; empty when the header is missing or invalid. */
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

/** What to do with a body: convert it, take it as it is, inspect it first, or reject it. */
export type MediaKind = "html" | "text" | "unknown" | "binary"

export function mediaKind({ type }: Media): MediaKind {
  if (type === "") return "unknown"
  if (type === "text/html" || type === "application/xhtml+xml") return "html"
  if (type.startsWith("text/") || /\+(?:json|xml|yaml)$/.test(type)) return "text"
  return textTypes.has(type.replace(/^application\/(?:x-|vnd\.)?/, "")) ? "text" : "binary"
}

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

/** For a body without a type: HTML when it starts like it, text when it contains nothing else, else binary. */
export function sniffedKind(bytes: Buffer): Exclude<MediaKind, "unknown"> {
  const start = bytes.subarray(0, 4096)
  if (start.includes(0)) return "binary"
  const head = start.toString("latin1").trimStart()
  if (/^(?:<!doctype html|<html|<head|<body)/i.test(head)) return "html"
  return isUtf8(bytes) ? "text" : "binary"
}

/** Decodes by its byte order mark, the header's charset, the document's declaration, else UTF-8, else Western. */
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

/** Declared by HTML or XML near its start. */
function declaredCharset(bytes: Buffer): string | undefined {
  const head = bytes.toString("latin1", 0, 2048)
  const meta = /<meta\s[^>]{0,200}?charset\s*=\s*["']?\s*([\w:-]+)/i.exec(head)?.[1]
  return meta ?? /^<\?xml\s[^>]{0,100}?encoding\s*=\s*["']([\w:-]+)/i.exec(head)?.[1]
}

/** Undefined for an unknown name. */
function decoderFor(label: string | undefined): InstanceType<typeof TextDecoder> | undefined {
  if (label === undefined) return undefined
  try {
    // The runtime knows more names than its types do, and throws at the others.
    return new TextDecoder(label as ConstructorParameters<typeof TextDecoder>[0])
  } catch {
    return undefined
  }
}
