/** The vim text objects: a word, what stands between quotes, what stands between brackets. */

import { type Buffer, lineEnd, lineStart } from "./buffer.ts"
import { cellAt, cellsOf, kindOf } from "./cells.ts"
import type { TextObject } from "./vim-command.ts"

export interface TextSpan {
  readonly from: number
  readonly to: number
}

export function spanOf(buffer: Buffer, { name, side }: TextObject): TextSpan | undefined {
  if (name === "w" || name === "W") return word(buffer, side, name === "W")
  if (name === '"' || name === "'" || name === "`") return quoted(buffer, side, name)
  const pair = brackets[name]
  return pair && bracketed(buffer, side, pair)
}

const brackets: { readonly [name: string]: readonly [open: string, close: string] } = {
  "(": ["(", ")"],
  ")": ["(", ")"],
  b: ["(", ")"],
  "[": ["[", "]"],
  "]": ["[", "]"],
  "{": ["{", "}"],
  "}": ["{", "}"],
  B: ["{", "}"],
  "<": ["<", ">"],
  ">": ["<", ">"],
}

function word({ text, at }: Buffer, side: TextObject["side"], big: boolean): TextSpan | undefined {
  const { cells, starts } = cellsOf(text)
  const kindAt = (i: number): string => kindOf(cells[i], big)
  const here = cellAt({ cells, starts }, at)
  const kind = kindAt(here)
  if (kind === "break") return undefined
  let from = here
  let to = here + 1
  while (kindAt(from - 1) === kind) from--
  while (kindAt(to) === kind) to++
  if (side === "around") {
    const before = { from, to }
    const next = kind === "space" ? kindAt(to) : "space"
    while (next !== "break" && kindAt(to) === next) to++
    // Without a space behind it, the one before it goes.
    if (to === before.to) while (kindAt(from - 1) === "space") from--
  }
  return { from: starts[from] ?? 0, to: starts[to] ?? text.length }
}

function quoted(buffer: Buffer, side: TextObject["side"], quote: string): TextSpan | undefined {
  const start = lineStart(buffer)
  const line = buffer.text.slice(start, lineEnd(buffer))
  const quotes: number[] = []
  for (let i = 0; i < line.length; i++) {
    if (line[i] === "\\") i++
    else if (line[i] === quote) quotes.push(start + i)
  }
  for (let i = 0; i + 1 < quotes.length; i += 2) {
    const [open, close] = [quotes[i] ?? 0, quotes[i + 1] ?? 0]
    if (buffer.at > close) continue
    if (side === "inner") return { from: open + 1, to: close }
    const spaces = /^[^\S\n]*/.exec(buffer.text.slice(close + 1))?.[0].length ?? 0
    return { from: open, to: close + 1 + spaces }
  }
  return undefined
}

function bracketed(
  { text, at }: Buffer,
  side: TextObject["side"],
  [open, close]: readonly [string, string],
): TextSpan | undefined {
  let depth = text[at] === close ? -1 : 0
  let from = at
  for (; from >= 0; from--) {
    if (text[from] === close) depth++
    if (text[from] === open && depth-- === 0) break
  }
  if (from < 0) return undefined
  depth = 0
  for (let to = from; to < text.length; to++) {
    if (text[to] === open) depth++
    if (text[to] === close && --depth === 0) return side === "inner" ? { from: from + 1, to } : { from, to: to + 1 }
  }
  return undefined
}
