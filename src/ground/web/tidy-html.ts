/**
 * Makes any HTML small and flat before a document is built from it, in one pass: the libraries that follow take time
 * quadratic in the nesting, and a page must not be able to keep us busy.
 */

import { longestValue, type OpenTag, pastText, readTag } from "./read-tag.ts"

export interface TidyLimits {
  readonly source: number
  readonly text: number
  readonly elements: number
  readonly depth: number
}

export interface TidyHtml {
  readonly html: string
  /** With entities. */
  readonly title: string
  readonly elements: number
  readonly isCut: boolean
}

/** Well-formed HTML without scripts, styles, hidden parts and needless attributes, within the limits. */
export function tidyHtml(source: string, limits: TidyLimits): TidyHtml {
  const html = source.slice(0, limits.source)
  const out: string[] = []
  const open: string[] = []
  /** Tags left out because they were nested too deep, by name, so that their end tags are left out too. */
  const tooDeep = new Map<string, number>()
  const tagsNamed = new Map<string, RegExp>()
  let title = ""
  let text = 0
  let elements = 0
  let at = 0

  const close = (name: string): void => {
    const deep = tooDeep.get(name) ?? 0
    if (deep > 0) return void tooDeep.set(name, deep - 1)
    const position = open.lastIndexOf(name)
    if (position === -1) return
    for (const inner of open.splice(position).toReversed()) out.push(`</${inner}>`)
  }
  const begin = (name: string, attributes: string): void => {
    while (closedBy.get(name)?.has(open.at(-1) ?? "")) out.push(`</${open.pop()}>`)
    if (open.length >= limits.depth) return void tooDeep.set(name, (tooDeep.get(name) ?? 0) + 1)
    elements++
    out.push(`<${name}${attributes}>`)
    if (!empty.has(name)) open.push(name)
  }

  /** The end of the element that has just started: after its end tag, or at the end of everything. */
  const skipElement = (name: string): number => {
    const tags = tagsNamed.get(name) ?? new RegExp(`<(/?)${RegExp.escape(name)}(?=[\\s/>])`, "gi")
    tagsNamed.set(name, tags)
    tags.lastIndex = at
    let depth = 1
    for (let match = tags.exec(html); match !== null; match = tags.exec(html)) {
      const isStart = match[1] === ""
      if (isStart && name === "p") return match.index
      depth += isStart ? (flat.has(name) ? 0 : 1) : -1
      if (depth === 0) return pastText(html, ">", match.index)
    }
    return html.length
  }

  while (at < html.length && text < limits.text && elements < limits.elements) {
    const next = html.indexOf("<", at)
    const end = Math.min(next === -1 ? html.length : next, at + limits.text - text, at + longestPiece)
    const piece = squeezed(html.slice(at, end).replace(plainEntities, decoded), open.includes("pre"))
    out.push(piece)
    text += end - at + entityCost * (piece.split("&").length - 1)
    at = end
    if (end !== next) continue
    const tag = readTag(html, next)
    at = tag.end
    if (tag.kind === "text") {
      text += entityCost
      out.push("&lt;")
    }
    if (tag.kind === "close") close(tag.name)
    if (tag.kind !== "open") continue
    // The tags of head and body are optional, so only their content is taken.
    if (frame.has(tag.name)) continue
    if (!dropped.has(tag.name) && !isHidden(tag)) begin(tag.name, attributesText(tag))
    else if (!empty.has(tag.name)) {
      const past = skipElement(tag.name)
      if (tag.name === "title" && title === "") title = beginning(html.slice(at, past))
      at = past
    }
  }
  for (const name of open.toReversed()) out.push(`</${name}>`)
  return { html: out.join(""), title, elements, isCut: at < source.length }
}

/** The text of a title, up to its end tag. */
const beginning = (text: string): string => text.split("<", 1)[0]?.slice(0, longestValue) ?? ""

function isHidden({ attributes }: OpenTag): boolean {
  if (attributes.has("hidden") || attributes.get("aria-hidden")?.toLowerCase() === "true") return true
  return /(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(attributes.get("style") ?? "")
}

function attributesText({ attributes }: OpenTag): string {
  return [...attributes]
    .filter(([name]) => name !== "style")
    .map(([name, value]) => ` ${name}="${value.replaceAll('"', "&quot;").replaceAll("<", "&lt;")}"`)
    .join("")
}

/** Entities that can be replaced by their character. A non-breaking space is only layout; to a reader it is a space. */
const plainEntities = /\u00a0|&(?:nbsp|#160|#xa0|gt|quot|apos|#39|#x27);/gi

function decoded(entity: string): string {
  switch (entity.toLowerCase()) {
    case "&gt;":
      return ">"
    case "&quot;":
      return '"'
    case "&apos;":
    case "&#39;":
    case "&#x27;":
      return "'"
    default:
      return " "
  }
}

/** Text is taken in pieces, so that the limit is checked now and then. */
const longestPiece = 10_000

/** Whitespace only counts in code, and is bounded even there: the converter scans long stretches of it repeatedly. */
function squeezed(text: string, isCode: boolean): string {
  if (!isCode) return text.replace(/\s+/g, (run) => (run.includes("\n") ? "\n" : " "))
  return text.replace(/\s{100,}/g, (run) => run.slice(0, 100))
}

/** The parser creates a node for every remaining entity, so that one costs as much as so many characters. */
const entityCost = 20

const set = (names: string): ReadonlySet<string> => new Set(names.split(" "))

const frame = set("html head body")
/** Elements that are left out with their content: nothing in them is text of the page. */
const dropped = set(
  "title meta script style template noscript svg canvas iframe frame object embed applet audio video map dialog button select datalist textarea input link base",
)
/** Elements that do not nest: their first end tag ends them. */
const flat = set("title script style textarea noscript iframe select button")
const empty = set("area base br col embed frame hr img input link meta param source track wbr")

const endsParagraph = set("p")
const endsCell = set("td th")
/** Open elements that the start of another one closes, as browsers handle omitted tags. */
const closedBy: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ..."address article aside blockquote details div dl fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr main nav ol p pre section table ul"
    .split(" ")
    .map((name) => [name, endsParagraph] as const),
  ["li", set("li p")],
  ["dt", set("dt dd p")],
  ["dd", set("dt dd p")],
  ["td", endsCell],
  ["th", endsCell],
  ["tr", set("td th tr")],
  ["tbody", set("td th tr thead tbody")],
  ["tfoot", set("td th tr thead tbody")],
])
