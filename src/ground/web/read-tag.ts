/** Reads HTML tags one at a time as browsers do, in time linear in their length. */

export interface OpenTag {
  readonly kind: "open"
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly end: number
}

export type Tag =
  | OpenTag
  | { readonly kind: "close"; readonly name: string; readonly end: number }
  /** A comment, a declaration, or anything else that is not shown. */
  | { readonly kind: "nothing"; readonly end: number }
  /** A `<` that does not start a tag. */
  | { readonly kind: "text"; readonly end: number }

export function readTag(html: string, start: number): Tag {
  if (html.startsWith("<!--", start)) return { kind: "nothing", end: pastText(html, "-->", start + 2) }
  const second = html[start + 1] ?? ""
  if (second === "!" || second === "?") return { kind: "nothing", end: pastText(html, ">", start) }
  const isClose = second === "/"
  const nameStart = start + (isClose ? 2 : 1)
  const nameEnd = isLetter(html.charCodeAt(nameStart)) ? skip(html, nameStart, isTagName) : nameStart
  const name = html.slice(nameStart, nameEnd).toLowerCase()
  if (name === "" && !isClose) return { kind: "text", end: start + 1 }
  if (isClose) return { kind: "close", name, end: pastText(html, ">", nameEnd) }
  const { attributes, end } = readAttributes(html, nameEnd)
  // A tag that never ends is no tag, and there is nothing after it.
  return plainName.test(name) && html[end - 1] === ">"
    ? { kind: "open", name, attributes, end }
    : { kind: "nothing", end }
}

function readAttributes(html: string, start: number): Pick<OpenTag, "attributes" | "end"> {
  const attributes = new Map<string, string>()
  let at = start
  for (;;) {
    at = skip(html, at, isSeparator)
    const char = html[at]
    if (char === undefined) return { attributes, end: html.length }
    if (char === ">") return { attributes, end: at + 1 }
    const nameEnd = skip(html, at + 1, isAttributeName)
    const name = html.slice(at, nameEnd).toLowerCase()
    const equals = skip(html, nameEnd, isSpace)
    if (html[equals] !== "=") {
      if (kept.has(name)) attributes.set(name, "")
      at = nameEnd
      continue
    }
    const valueStart = skip(html, equals + 1, isSpace)
    const quote = html[valueStart]
    const isQuoted = quote === '"' || quote === "'"
    const from = isQuoted ? valueStart + 1 : valueStart
    const to = isQuoted ? html.indexOf(quote, from) : skip(html, from, isUnquoted)
    if (to === -1) return { attributes, end: html.length }
    if (kept.has(name) && !attributes.has(name) && to - from <= longestValue) attributes.set(name, html.slice(from, to))
    at = isQuoted ? to + 1 : to
  }
}

/** The end of the next occurrence; the end of everything when there is none. */
export function pastText(html: string, text: string, start: number): number {
  const found = html.indexOf(text, start)
  return found === -1 ? html.length : found + text.length
}

function skip(html: string, start: number, isPart: (code: number) => boolean): number {
  let at = start
  while (at < html.length && isPart(html.charCodeAt(at))) at++
  return at
}

const [slash, equalsSign, greater] = [0x2f, 0x3d, 0x3e]
const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13)
const isSeparator = (code: number): boolean => isSpace(code) || code === slash
const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 65 && code <= 90)
const isTagName = (code: number): boolean => !isSeparator(code) && code !== greater
const isAttributeName = (code: number): boolean => isTagName(code) && code !== equalsSign
const isUnquoted = (code: number): boolean => !isSpace(code) && code !== greater
const plainName = /^[a-z][a-z0-9:._-]*$/

/** The attributes that say something about content; the rest is for browsers. */
const kept: ReadonlySet<string> = new Set(
  "href src alt title class id role lang itemprop colspan start datetime hidden aria-hidden style".split(" "),
)

/** Longer values are left out: they are embedded data. */
export const longestValue = 2000
