/**
 * HTML elements as Markdown that a model reads well: fenced code, tables, absolute addresses, no pictures without
 * text.
 */

import Turndown from "turndown"

/** The part of a DOM element used here; the compiler has no browser types. */
export interface DomElement {
  readonly nodeName: string
  readonly textContent: string | null
  readonly className: string
  readonly parentNode: DomElement | null
  readonly children: Iterable<DomElement>
  readonly getAttribute: (name: string) => string | null
  readonly setAttribute: (name: string, value: string) => void
  readonly replaceChildren: (...nodes: readonly DomElement[]) => void
  readonly normalize: () => void
  readonly hasAttribute: (name: string) => boolean
  readonly querySelector: (selector: string) => DomElement | null
  readonly querySelectorAll: (selector: string) => Iterable<DomElement>
}

export function turnDown(branch: DomElement, url: string): string {
  markTables(branch)
  numberItems(branch)
  const service = new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-", hr: "---" })
  service.addRule("code", { filter: ["pre"], replacement: (_content: string, node: DomElement) => fenced(node) })
  service.addRule("inline code", {
    filter: ["code", "kbd", "samp"],
    replacement: (content: string, node: DomElement) => inlineCode(content, node.textContent ?? ""),
  })
  service.addRule("link", {
    filter: ["a"],
    replacement: (content: string, node: DomElement) => link(content, node.getAttribute("href"), url),
  })
  service.addRule("picture", {
    filter: ["img"],
    replacement: (_content: string, node: DomElement) => picture(node, url),
  })
  service.addRule("cell", {
    filter: (node: DomElement) => node.hasAttribute(cellMark),
    replacement: (content: string) => ` ${linesOf(content).join(" ").replaceAll("|", "\\|")} |`,
  })
  service.addRule("row", {
    filter: (node: DomElement) => node.hasAttribute(rowMark),
    replacement: (content: string, node: DomElement) => row(content, node),
  })
  service.addRule("table", {
    filter: (node: DomElement) => node.hasAttribute(tableMark),
    replacement: (content: string) => `\n\n${content.trim()}\n\n`,
  })
  service.addRule("item", {
    filter: ["li"],
    replacement: (content: string, node: DomElement) => item(content, node),
  })
  service.addRule("quote", {
    filter: ["blockquote"],
    replacement: (content: string) => quote(content),
  })
  service.addRule("rows", {
    filter: ["thead", "tbody", "tfoot"],
    replacement: (content: string) => content,
  })
  return service.turndown(branch).replace(/\n{3,}/g, "\n\n")
}

const numberMark = "data-number"
const tableMark = "data-table"
const rowMark = "data-row"
const cellMark = "data-cell"

/** Marks the tables that contain data; layout tables, and those with blocks, are read as their content. */
function markTables(branch: DomElement): void {
  for (const table of branch.querySelectorAll("table")) {
    if (table.querySelector("table, pre, h1, h2, h3, ul, ol, blockquote") !== null) continue
    const rows = [...table.querySelectorAll("tr")].map((each) => ({
      row: each,
      cells: [...each.children].filter(({ nodeName }) => nodeName === "TD" || nodeName === "TH"),
    }))
    const columns = Math.max(0, ...rows.map(({ cells }) => cells.length))
    if (columns < 2) continue
    table.setAttribute(tableMark, "")
    rows.forEach(({ row: each, cells }, index) => {
      each.setAttribute(rowMark, index === 0 ? String(columns) : "0")
      for (const cell of cells) cell.setAttribute(cellMark, "")
    })
  }
}

/** Numbers the items of ordered lists once; the converter's own way searches the whole list for each of them. */
function numberItems(branch: DomElement): void {
  for (const list of branch.querySelectorAll("ol")) {
    let number = Number.parseInt(list.getAttribute("start") ?? "1", 10) || 1
    for (const child of list.children) if (child.nodeName === "LI") child.setAttribute(numberMark, `${number++}.`)
  }
}

function item(content: string, node: DomElement): string {
  const mark = `${node.getAttribute(numberMark) ?? "-"} `
  const text = content.trim()
  return `${mark}${text.length > longestIndented ? text : indented(text, " ".repeat(mark.length))}\n`
}

function quote(content: string): string {
  const text = content.trim()
  return `\n\n${text.length > longestIndented ? text : `> ${indented(text, "> ")}`}\n\n`
}

const indented = (text: string, indent: string): string =>
  text
    .split("\n")
    .map((line, index) => (index === 0 || line === "" ? line : indent + line))
    .join("\n")

/** Beyond this size nested lists and quotations are not indented: fifty levels would be mostly indentation. */
const longestIndented = 50_000

/** The first row is followed by the line that makes it a table. */
function row(content: string, node: DomElement): string {
  const columns = Number(node.getAttribute(rowMark))
  return `|${content}\n${columns > 0 ? `|${" --- |".repeat(columns)}\n` : ""}`
}

const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

function fenced(node: DomElement): string {
  const code = (node.textContent ?? "").replace(/\r\n?/g, "\n").replace(/^\n+/, "").trimEnd()
  if (code.trim() === "") return ""
  const longest = Math.max(2, ...[...code.matchAll(/`{3,}/g)].map(([fence]) => fence.length))
  const fence = "`".repeat(longest + 1)
  return `\n\n${fence}${languageOf(node)}\n${code}\n${fence}\n\n`
}

function inlineCode(content: string, text: string): string {
  if (text.trim() === "") return content
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const ticks = "`".repeat(longest + 1)
  const gap = longest > 0 ? " " : ""
  return `${ticks}${gap}${text.replace(/\s+/g, " ")}${gap}${ticks}`
}

function languageOf(node: DomElement): string {
  const classes = [node, node.querySelector("code"), node.parentNode].map((each) => each?.className ?? "").join(" ")
  return /(?:^|\s)(?:language|lang|highlight-source|highlight)-([\w+#-]{1,20})/.exec(classes)?.[1] ?? ""
}

function link(content: string, href: string | null, url: string): string {
  const text = content.replace(/\s+/g, " ").trim()
  // Marks beside headings that link to themselves.
  if (text === "" || /^[#¶§🔗]$/u.test(text)) return ""
  const target = href === null || href.startsWith("#") ? undefined : webAddress(href, url)
  return target === undefined ? content : `[${text}](${target})`
}

function picture(node: DomElement, url: string): string {
  const alt = (node.getAttribute("alt") ?? "").replace(/\s+/g, " ").trim()
  const source = webAddress(node.getAttribute("src") ?? "", url)
  return alt === "" || source === undefined ? "" : `![${alt}](${source})`
}

/** Absolute and valid in Markdown; undefined when it leads to no page. */
function webAddress(href: string, url: string): string | undefined {
  const target = URL.parse(href.trim(), url)
  if (target === null || !/^(?:https?|mailto):$/.test(target.protocol)) return undefined
  return target.href.replace(/[()]/g, (bracket) => (bracket === "(" ? "%28" : "%29"))
}
