/** Splits a Markdown file into its front matter, between two lines of dashes, and its body. */

export type Split =
  | { readonly kind: "none"; readonly body: string }
  /** `line`: where the head begins in the file, counted from 1. */
  | { readonly kind: "head"; readonly head: string; readonly line: number; readonly body: string }
  /** The second line of dashes is missing. */
  | { readonly kind: "unclosed"; readonly body: string }
  /** It looks like front matter, but does not begin with three dashes. */
  | { readonly kind: "misopened"; readonly body: string }
  | { readonly kind: "too_large"; readonly body: string }

const largestHead = 64 * 1024

/** Spaces and HTML comments may come before, and a comment may follow. Old systems end lines with \r. */
const firstLine =
  /^\uFEFF?(?:[ \t]*(?:<!--(?:(?!-->)[^])*-->[ \t]*)?(?:\r\n|\n|\r))*[ \t]*---[ \t]*(?:#[^\r\n]*)?(?:\r\n|\n|\r)/
const lastLine = /(?:^|[\r\n])---[ \t]*(?:\r\n|\n|\r|$)/
/** Too many dashes, dashes that an editor has replaced, or a block of code around them. */
const almostFirst = /^\uFEFF?\s*(?:-{4,}|[\u2010-\u2015]{1,3}|```[a-z]*\s*---)[ \t]*[\r\n]/
/** Invisible, and often copied along from web pages. */
const hidden = /[\u200B-\u200D\u2060\uFEFF]/g

export function splitFrontMatter(text: string): Split {
  const [opening] = firstLine.exec(text) ?? []
  if (opening === undefined) return { kind: almostFirst.test(text) ? "misopened" : "none", body: text }
  const start = opening.length
  const closing = lastLine.exec(text.slice(start))
  if (!closing) return { kind: "unclosed", body: text }
  const body = text.slice(start + closing.index + closing[0].length)
  if (closing.index > largestHead) return { kind: "too_large", body }
  const written = text.slice(start, start + closing.index).replaceAll(/\r\n?/g, "\n")
  const head = written.replaceAll(hidden, "").replaceAll("\u00A0", " ")
  return { kind: "head", head, line: opening.split(/\r\n|\n|\r/).length, body }
}
