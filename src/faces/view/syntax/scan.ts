/** Code as tokens, line by line: what began in one line and ends in another is carried over. */

import type { Language } from "./languages.ts"

export type Role = "plain" | "keyword" | "constant" | "string" | "comment" | "number" | "key"

export interface Token {
  readonly text: string
  readonly role: Role
}

/** Still open at the end of a line. */
export type OpenToken = { readonly end: string; readonly role: "string" | "comment" } | undefined

export interface Scanned {
  readonly tokens: readonly Token[]
  readonly open: OpenToken
}

/** Longer lines are data, not code. */
const longest = 1000

export type Scan = (line: string, before: OpenToken) => Scanned

/** Once per text: it builds its patterns from the tables. */
export function openScan(language: Language): Scan {
  const scanner = newScanner(language)
  return (line, before) =>
    line.length > longest
      ? { tokens: [{ text: line, role: "plain" }], open: undefined }
      : scanLine(line, language, scanner, before)
}

function scanLine(line: string, language: Language, { pattern, roleOf }: Scanner, before: OpenToken): Scanned {
  const tokens: Token[] = []
  const add = (text: string, role: Role): void => {
    if (text !== "") tokens.push({ text, role })
  }
  let at = 0
  let open = before
  while (at < line.length) {
    if (open) {
      const end = endOf(line, at, open.end)
      add(line.slice(at, end ?? line.length), open.role)
      if (end === undefined) return { tokens, open }
      at = end
      open = undefined
      continue
    }
    pattern.lastIndex = at
    const found = pattern.exec(line)
    if (!found) break
    add(line.slice(at, found.index), "plain")
    const [text] = found
    at = found.index + text.length
    const long = language.long?.find(([begin]) => begin === text)
    if (long) {
      const end = endOf(line, at, long[1])
      add(line.slice(found.index, end ?? line.length), long[2])
      if (end === undefined) return { tokens, open: { end: long[1], role: long[2] } }
      at = end
    } else add(text, roleOf(text, line.slice(at)))
  }
  add(line.slice(at), "plain")
  return { tokens, open }
}

/** A mark after a backslash does not end it. */
function endOf(line: string, from: number, end: string): number | undefined {
  for (let at = line.indexOf(end, from); at !== -1; at = line.indexOf(end, at + 1)) {
    let slashes = 0
    while (line[at - 1 - slashes] === "\\") slashes++
    if (slashes % 2 === 0 || end.length > 1) return at + end.length
  }
  return undefined
}

interface Scanner {
  readonly pattern: RegExp
  readonly roleOf: (text: string, rest: string) => Role
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")

function newScanner({ comments = [], long = [], quotes = "", ...language }: Language): Scanner {
  const folded = (words = ""): ReadonlySet<string> => new Set(words.split(" "))
  const keywords = folded(language.keywords)
  const constants = folded(language.constants)
  const parts = [
    ...comments.map((mark) => `(?<![^\\s;({])${escaped(mark)}.*`),
    ...long.map(([begin]) => escaped(begin)),
    ...[...quotes].map((quote) => `${quote}(?:[^${quote}\\\\]|\\\\.)*${quote}?`),
    ...(language.tags ? ["</?[A-Za-z][\\w:-]*|/?>"] : []),
    "\\b\\d[\\w.]*",
    "[\\p{L}_$@][\\p{L}\\p{N}_$-]*",
  ]
  return {
    pattern: new RegExp(parts.join("|"), "gu"),
    roleOf(text, rest) {
      const [first = ""] = text
      const isKey = language.keys === true && /^\s*[:=]/.test(rest)
      if (quotes.includes(first)) return isKey ? "key" : "string"
      if (comments.some((mark) => text.startsWith(mark))) return "comment"
      if (language.tags) return first === "<" || text.endsWith(">") ? "keyword" : rest.startsWith("=") ? "key" : "plain"
      if (/\d/.test(first)) return "number"
      const word = language.ignoresCase ? text.toLowerCase() : text.replace(/^@/, "")
      if (isKey) return "key"
      if (keywords.has(word)) return "keyword"
      return constants.has(word) ? "constant" : "plain"
    },
  }
}
