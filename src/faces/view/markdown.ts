/** Markdown as data: blocks of inlines. HTML in it is text. Whatever the text is, it becomes something, in bounded time. */

import { type Inline, inlinesOf } from "./markdown-inline.ts"

export type Block =
  | { readonly kind: "paragraph"; readonly inlines: readonly Inline[] }
  | { readonly kind: "heading"; readonly level: number; readonly inlines: readonly Inline[] }
  | { readonly kind: "code"; readonly language: string; readonly lines: readonly string[] }
  | { readonly kind: "quote"; readonly blocks: readonly Block[] }
  | { readonly kind: "list"; readonly start: number | undefined; readonly items: readonly ListItem[] }
  | { readonly kind: "table"; readonly head: readonly Cell[]; readonly rows: readonly (readonly Cell[])[] }
  | { readonly kind: "rule" }

export interface ListItem {
  /** Of a list of things to do. */
  readonly checked: boolean | undefined
  readonly blocks: readonly Block[]
}

export type Cell = readonly Inline[]

/** What is nested deeper stays text. */
const deepest = 8

export const blocksOf = (markdown: string, depth = 0): readonly Block[] => {
  const lines = markdown.replaceAll(/\r\n?/g, "\n").split("\n")
  const blocks: Block[] = []
  for (let at = 0; at < lines.length;) {
    if ((lines[at] ?? "").trim() === "") {
      at++
      continue
    }
    const { block, next } = blockAt(lines, at, depth)
    blocks.push(block)
    at = next
  }
  return blocks
}

interface Taken {
  readonly block: Block
  /** The line after it. */
  readonly next: number
}

const fence = /^ {0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)/
const heading = /^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/
const rule = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/
const quote = /^ {0,3}>[ \t]?/
const item = /^( {0,3})([-*+]|(\d{1,9})[.)])([ \t]+|$)/
const underTable = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/

function blockAt(lines: readonly string[], at: number, depth: number): Taken {
  const line = lines[at] ?? ""
  const [, hashes, title = ""] = heading.exec(line) ?? []
  if (hashes !== undefined)
    return { block: { kind: "heading", level: hashes.length, inlines: inlinesOf(title) }, next: at + 1 }
  if (fence.test(line)) return codeAt(lines, at)
  if (rule.test(line)) return { block: { kind: "rule" }, next: at + 1 }
  if (depth < deepest && quote.test(line)) return quoteAt(lines, at, depth)
  if (depth < deepest && item.test(line)) return listAt(lines, at, depth)
  if (line.includes("|") && underTable.test(lines[at + 1] ?? "") && (lines[at + 1] ?? "").includes("-"))
    return tableAt(lines, at)
  return paragraphAt(lines, at, depth)
}

/** One that is never closed extends to the end. */
function codeAt(lines: readonly string[], at: number): Taken {
  const [, mark = "```", language = ""] = fence.exec(lines[at] ?? "") ?? []
  const end = lines.findIndex((line, i) => i > at && isCloser(line, mark))
  const last = end === -1 ? lines.length : end
  const code = lines.slice(at + 1, last)
  const whole = end === -1 && code.at(-1) === "" ? code.slice(0, -1) : code
  return { block: { kind: "code", language, lines: whole }, next: last + 1 }
}

const isCloser = (line: string, mark: string): boolean =>
  line.trim().startsWith(mark) && line.trim().replaceAll(mark[0] ?? "", "") === ""

function quoteAt(lines: readonly string[], at: number, depth: number): Taken {
  let next = at
  while (next < lines.length && quote.test(lines[next] ?? "")) next++
  const inside = lines.slice(at, next).map((line) => line.replace(quote, ""))
  return { block: { kind: "quote", blocks: blocksOf(inside.join("\n"), depth + 1) }, next }
}

function listAt(lines: readonly string[], at: number, depth: number): Taken {
  const [, , marker = "-", number] = item.exec(lines[at] ?? "") ?? []
  const kindOf = (mark: string): string => mark.at(-1) ?? ""
  const items: ListItem[] = []
  let next = at
  while (next < lines.length) {
    const [head, indent = "", mark = ""] = item.exec(lines[next] ?? "") ?? []
    if (head === undefined || kindOf(mark) !== kindOf(marker) || rule.test(lines[next] ?? "")) break
    const own: string[] = [(lines[next] ?? "").slice(head.length)]
    const within = indent.length + mark.length + 1
    next++
    for (; next < lines.length; next++) {
      const line = lines[next] ?? ""
      const follows = lines[next + 1] ?? ""
      if (line.trim() === "") {
        // An empty line belongs to the item if what follows does.
        if (follows.trim() === "" || indentOf(follows) < within) break
        own.push("")
      } else if (indentOf(line) >= within) own.push(line.slice(within))
      else if (item.test(line) || startsBlock(line)) break
      else own.push(line)
    }
    items.push(itemOf(own, depth))
    if ((lines[next] ?? "").trim() === "" && item.test(lines[next + 1] ?? "")) next++
  }
  return { block: { kind: "list", start: number === undefined ? undefined : Number(number), items }, next }
}

const indentOf = (line: string): number => line.length - line.trimStart().length

function itemOf(lines: readonly string[], depth: number): ListItem {
  const [first = "", ...rest] = lines
  const [box, mark] = /^\[([ xX])\][ \t]+/.exec(first) ?? []
  const text = [first.slice(box?.length ?? 0), ...rest].join("\n")
  return { checked: mark === undefined ? undefined : mark !== " ", blocks: blocksOf(text, depth + 1) }
}

function tableAt(lines: readonly string[], at: number): Taken {
  const head = cellsOf(lines[at] ?? "")
  let next = at + 2
  while (next < lines.length && (lines[next] ?? "").includes("|") && (lines[next] ?? "").trim() !== "") next++
  const rows = lines.slice(at + 2, next).map((line) => {
    const cells = cellsOf(line)
    return head.map((_, i) => inlinesOf(cells[i] ?? ""))
  })
  return { block: { kind: "table", head: head.map((cell) => inlinesOf(cell)), rows }, next }
}

/** A bar in code or after a backslash is no border. */
function cellsOf(line: string): readonly string[] {
  const cells: string[] = []
  let cell = ""
  let isCode = false
  const text = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "")
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "\\" && text[i + 1] === "|") {
      cell += "|"
      i++
    } else if (text[i] === "|" && !isCode) {
      cells.push(cell.trim())
      cell = ""
    } else {
      if (text[i] === "`") isCode = !isCode
      cell += text[i]
    }
  }
  return [...cells, cell.trim()]
}

function paragraphAt(lines: readonly string[], at: number, depth: number): Taken {
  let next = at + 1
  while (next < lines.length && !endsParagraph(lines[next] ?? "", depth)) next++
  const text = lines
    .slice(at, next)
    .map((line) => line.trimStart())
    .join("\n")
  return { block: { kind: "paragraph", inlines: inlinesOf(text) }, next }
}

function endsParagraph(line: string, depth: number): boolean {
  if (line.trim() === "") return true
  return depth < deepest && (startsBlock(line) || item.test(line))
}

const startsBlock = (line: string): boolean =>
  fence.test(line) || heading.test(line) || rule.test(line) || quote.test(line)
