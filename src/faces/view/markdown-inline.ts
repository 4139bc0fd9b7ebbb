/** What is inside a line of Markdown: emphasis, code and links. */

export type Inline =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "strong" | "emphasis" | "strike"; readonly inlines: readonly Inline[] }
  | { readonly kind: "link"; readonly href: string; readonly inlines: readonly Inline[] }
  /** Only named: it would be fetched from somewhere. */
  | { readonly kind: "image"; readonly alt: string; readonly src: string }
  | { readonly kind: "break" }

/** Longer texts are data, and looking for pairs in them would take too long. */
const longest = 8_000
const deepest = 6

export function inlinesOf(text: string, depth = 0): readonly Inline[] {
  if (text.length > longest || depth > deepest) return [{ kind: "text", text }]
  const inlines: Inline[] = []
  let plain = ""
  const flush = (): void => {
    if (plain !== "") inlines.push({ kind: "text", text: plain })
    plain = ""
  }
  for (let at = 0; at < text.length;) {
    const found = inlineAt(text, at, depth)
    if (found === undefined) {
      plain += text[at]
      at++
    } else if (typeof found.inline === "string") {
      plain += found.inline
      at = found.next
    } else {
      flush()
      inlines.push(found.inline)
      at = found.next
    }
  }
  flush()
  return inlines
}

interface Found {
  /** A string for text that is only spelled differently. */
  readonly inline: Inline | string
  readonly next: number
}

function inlineAt(text: string, at: number, depth: number): Found | undefined {
  switch (text[at]) {
    case "\\":
      return escapeAt(text, at)
    case "`":
      return codeAt(text, at)
    case "!":
      return text[at + 1] === "[" ? imageAt(text, at) : undefined
    case "[":
      return linkAt(text, at, depth)
    case "<":
      return bracketedAt(text, at)
    case "&":
      return entityAt(text, at)
    case "h":
      return bareAt(text, at)
    case " ":
      return matched(/ {2,}\n/y, text, at, () => ({ kind: "break" }))
    case "*":
    case "_":
    case "~":
      return emphasisAt(text, at, depth)
    default:
      return undefined
  }
}

function matched(
  pattern: RegExp,
  text: string,
  at: number,
  make: (match: RegExpExecArray) => Inline | string | undefined,
): Found | undefined {
  pattern.lastIndex = at
  const match = pattern.exec(text)
  const inline = match ? make(match) : undefined
  return match && inline !== undefined ? { inline, next: at + match[0].length } : undefined
}

const escapeAt = (text: string, at: number): Found | undefined =>
  matched(/\\(?:\n|([!-/:-@[-`{-~]))/y, text, at, ([, character]) => character ?? { kind: "break" })

function codeAt(text: string, at: number): Found | undefined {
  let ticks = 1
  while (text[at + ticks] === "`") ticks++
  const mark = "`".repeat(ticks)
  const whole = { inline: mark, next: at + ticks }
  for (let end = text.indexOf(mark, at + ticks); end !== -1; end = text.indexOf(mark, end)) {
    let run = ticks
    while (text[end + run] === "`") run++
    if (run > ticks) {
      end += run
      continue
    }
    const code = text.slice(at + ticks, end).replaceAll("\n", " ")
    const trimmed = /^ .*[^ ].* $|^ [^ ] $/s.test(code) ? code.slice(1, -1) : code
    return { inline: { kind: "code", text: trimmed }, next: end + ticks }
  }
  return whole
}

const target = String.raw`\(\s*<?([^\s<>()]*(?:\([^\s()]*\)[^\s<>()]*)*)>?(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)`
const image = new RegExp(String.raw`!\[([^\]]*)\]${target}`, "y")
const link = new RegExp(String.raw`\[((?:[^[\]\\]|\\.|\[[^\]]*\](?:\([^)]*\))?)*)\]${target}`, "y")

const imageAt = (text: string, at: number): Found | undefined =>
  matched(image, text, at, ([, alt = "", src = ""]) => ({ kind: "image", alt, src }))

const linkAt = (text: string, at: number, depth: number): Found | undefined =>
  matched(link, text, at, ([, label = "", href = ""]) => ({ kind: "link", href, inlines: inlinesOf(label, depth + 1) }))

const bracketedAt = (text: string, at: number): Found | undefined =>
  matched(/<(https?:\/\/[^\s<>]+)>/iy, text, at, ([, href = ""]) => addressed(href))

/** A full stop or bracket after an address is not part of it. */
function bareAt(text: string, at: number): Found | undefined {
  if (/[\p{L}\p{N}]/u.test(text[at - 1] ?? "")) return undefined
  const found = /https?:\/\/[^\s<>"'`|\\^{}]+/iy
  found.lastIndex = at
  const [whole = ""] = found.exec(text) ?? []
  const address = whole.replace(/(?:[.,;:!?*_~]|\)(?![^(]*\())+$/, "")
  const href =
    address.includes("(") && !address.includes(")") && whole.startsWith(`${address})`) ? `${address})` : address
  return href.length > "https://".length ? { inline: addressed(href), next: at + href.length } : undefined
}

const addressed = (href: string): Inline => ({ kind: "link", href, inlines: [{ kind: "text", text: href }] })

const entities: { readonly [name: string]: string } = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
}

const entityAt = (text: string, at: number): Found | undefined =>
  matched(/&(\w{2,6}|#39);/y, text, at, ([, name = ""]) => (name === "#39" ? "'" : entities[name]))

function emphasisAt(text: string, at: number, depth: number): Found | undefined {
  const mark = text[at] ?? ""
  const isDouble = text[at + 1] === mark
  if (mark === "~" && !isDouble) return undefined
  const opener = isDouble ? mark + mark : mark
  const start = at + opener.length
  const next = text[start] ?? " "
  // Inside a word an underscore is part of the word.
  const isInWord = mark === "_" && /[\p{L}\p{N}]/u.test(text[at - 1] ?? "")
  const end = /\s/.test(next) || isInWord ? -1 : closing(text, start, opener)
  if (end === -1) return { inline: opener, next: start }
  const kind = mark === "~" ? "strike" : isDouble ? "strong" : "emphasis"
  return { inline: { kind, inlines: inlinesOf(text.slice(start, end), depth + 1) }, next: end + opener.length }
}

function closing(text: string, from: number, opener: string): number {
  const mark = opener[0] ?? ""
  for (let end = text.indexOf(opener, from + 1); end !== -1; end = text.indexOf(opener, end + 1)) {
    const isSpaced = /[\s\\]/.test(text[end - 1] ?? "")
    const isOther = opener.length === 1 && (text[end - 1] === mark || text[end + 1] === mark)
    const isInWord = mark === "_" && /[\p{L}\p{N}]/u.test(text[end + opener.length] ?? "")
    if (!isSpaced && !isOther && !isInWord) return opener.length === 2 && text[end + 2] === mark ? end + 1 : end
  }
  return -1
}

/** The address if it may be opened: only http and https, and nobody hides behind another name. */
export function plainAddress(href: string): URL | undefined {
  try {
    const url = new URL(href)
    const isPlain =
      (url.protocol === "https:" || url.protocol === "http:") && url.username === "" && url.password === ""
    return isPlain ? url : undefined
  } catch {
    return undefined
  }
}
