/** Splits a Markdown file into its front matter, between two lines of dashes, and its body. */

export type Split =
  | { readonly kind: "none"; readonly body: string }
  | { readonly kind: "head"; readonly head: string; readonly body: string }
  /** The second line of dashes is missing. */
  | { readonly kind: "unclosed"; readonly body: string }
  | { readonly kind: "too_large"; readonly body: string }

const largestHead = 64 * 1024

export function splitFrontMatter(text: string): Split {
  const opening = /^\uFEFF?(?:[ \t]*\r?\n)*---[ \t]*\r?\n/.exec(text)
  if (!opening) return { kind: "none", body: text }
  const start = opening[0].length
  const closing = /(?:^|\n)---[ \t]*(?:\r?\n|\r?$)/.exec(text.slice(start))
  if (!closing) return { kind: "unclosed", body: text }
  const body = text.slice(start + closing.index + closing[0].length)
  if (closing.index > largestHead) return { kind: "too_large", body }
  const head = text.slice(start, start + closing.index).replaceAll(/\r\n?/g, "\n")
  return { kind: "head", head, body }
}
