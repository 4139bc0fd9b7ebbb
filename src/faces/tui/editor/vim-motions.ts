/** Where the vim motions lead. */

import { type Buffer, leftOf, lineEnd, lineStart, rightOf, vertical } from "./buffer.ts"
import { cellAt, type Cells, cellsOf, kindOf } from "./cells.ts"
import type { Motion } from "./vim-command.ts"
import type { Find } from "./vim-state.ts"

/** Whether an operation goes up to it, includes it, or takes whole lines. */
export interface MotionEnd {
  readonly at: number
  readonly reach: "up to" | "onto" | "lines"
}

/** Undefined if the motion leads nowhere. */
export function placeOf(
  buffer: Buffer,
  { name, letter }: Motion,
  count: number | undefined,
  last: Find | undefined,
): MotionEnd | undefined {
  const times = count ?? 1
  const { text, at } = buffer
  switch (name) {
    case "h":
      return sideways(buffer, times, "left")
    case "l":
      return sideways(buffer, times, "right")
    case "j":
      return upOrDown(buffer, times, "down")
    case "k":
      return upOrDown(buffer, times, "up")
    case "0":
      return { at: lineStart(buffer), reach: "up to" }
    case "^":
      return { at: firstSign(text, lineStart(buffer)), reach: "up to" }
    case "$": {
      const down = times > 1 ? upOrDown(buffer, times - 1, "down") : undefined
      return { at: lineEnd({ text, at: down?.at ?? at }), reach: "up to" }
    }
    case "gg":
      return { at: firstSign(text, startOfLine(text, times)), reach: "lines" }
    case "G":
      return { at: firstSign(text, startOfLine(text, count ?? Number.POSITIVE_INFINITY)), reach: "lines" }
    case "w":
    case "W":
      return byWords(buffer, times, name === "W", wordAhead, "up to")
    case "b":
    case "B":
      return byWords(buffer, times, name === "B", wordBehind, "up to")
    case "e":
    case "E":
      return byWords(buffer, times, name === "E", wordEnd, "onto")
    case "{":
      return { at: gapBehind(text, at, times), reach: "up to" }
    case "}":
      return { at: gapAhead(text, at, times), reach: "up to" }
    case "%":
      return partner(buffer)
    case ";":
    case ",":
      return last && inLine(buffer, name === ";" ? last : { ...last, kind: opposite[last.kind] }, times, "again")
    case "f":
    case "F":
    case "t":
    case "T":
      return inLine(buffer, { kind: name, letter }, times, "first")
    default:
      return undefined
  }
}

/** As `cw` wants it: not the end of the next word. */
export function endOfThisWord({ text, at }: Buffer, count: number, big: boolean): number {
  const cells = cellsOf(text)
  let i = cellAt(cells, at)
  const kind = kindOf(cells.cells[i], big)
  while (i + 1 < cells.cells.length && kindOf(cells.cells[i + 1], big) === kind) i++
  for (let more = 1; more < count; more++) i = wordEnd(cells, i, big)
  return cells.starts[i + 1] ?? text.length
}

/** The first non-space of a line, or its end. */
export function firstSign(text: string, start: number): number {
  const indent = /^[^\S\n]*/.exec(text.slice(start))?.[0].length ?? 0
  return start + indent
}

function startOfLine(text: string, number: number): number {
  let start = 0
  for (let line = 1; line < number; line++) {
    const next = text.indexOf("\n", start)
    if (next === -1) break
    start = next + 1
  }
  return start
}

function sideways(buffer: Buffer, times: number, side: "left" | "right"): MotionEnd | undefined {
  const { text } = buffer
  const end = side === "left" ? lineStart(buffer) : lineEnd(buffer)
  let { at } = buffer
  for (let i = 0; i < times && at !== end; i++) at = side === "left" ? leftOf({ text, at }) : rightOf({ text, at })
  return at === buffer.at ? undefined : { at, reach: "up to" }
}

function upOrDown(buffer: Buffer, times: number, direction: "up" | "down"): MotionEnd | undefined {
  let { at } = buffer
  for (let i = 0; i < times; i++) {
    const next = vertical({ text: buffer.text, at }, direction)
    if (next === undefined) return i === 0 ? undefined : { at, reach: "lines" }
    at = next
  }
  return { at, reach: "lines" }
}

type WordStep = (cells: Cells, i: number, big: boolean) => number

function byWords(
  { text, at }: Buffer,
  times: number,
  big: boolean,
  step: WordStep,
  reach: MotionEnd["reach"],
): MotionEnd {
  const cells = cellsOf(text)
  let i = cellAt(cells, at)
  for (let n = 0; n < times; n++) i = step(cells, i, big)
  return { at: cells.starts[i] ?? text.length, reach }
}

const isSpace = (cells: Cells, i: number): boolean => {
  const kind = kindOf(cells.cells[i], false)
  return kind === "space" || kind === "break"
}

const wordAhead: WordStep = (cells, from, big) => {
  const count = cells.cells.length
  let i = from
  if (!isSpace(cells, i)) {
    const kind = kindOf(cells.cells[i], big)
    while (i < count && kindOf(cells.cells[i], big) === kind) i++
  }
  while (i < count && isSpace(cells, i)) {
    // An empty line is a word of its own.
    if (i > from && cells.cells[i] === "\n" && cells.cells[i - 1] === "\n") return i
    i++
  }
  return i
}

const wordBehind: WordStep = (cells, from, big) => {
  let i = from - 1
  while (i > 0 && isSpace(cells, i)) {
    if (cells.cells[i] === "\n" && cells.cells[i - 1] === "\n") return i
    i--
  }
  while (i > 0 && kindOf(cells.cells[i - 1], big) === kindOf(cells.cells[i], big)) i--
  return Math.max(0, i)
}

const wordEnd: WordStep = (cells, from, big) => {
  const last = cells.cells.length - 1
  let i = from + 1
  while (i < last && isSpace(cells, i)) i++
  while (i < last && kindOf(cells.cells[i + 1], big) === kindOf(cells.cells[i], big)) i++
  return Math.max(0, Math.min(i, last))
}

const opposite: { readonly [kind in Find["kind"]]: Find["kind"] } = { f: "F", F: "f", t: "T", T: "t" }

function inLine(buffer: Buffer, { kind, letter }: Find, times: number, turn: "first" | "again"): MotionEnd | undefined {
  const start = lineStart(buffer)
  const line = cellsOf(buffer.text.slice(start, lineEnd(buffer)))
  const step = kind === "f" || kind === "t" ? 1 : -1
  const isShort = kind === "t" || kind === "T"
  const here = cellAt(line, buffer.at - start)
  // What stands right before the letter would otherwise never get past it.
  let i = isShort && turn === "again" ? here + step : here
  for (let n = 0; n < times; n++) {
    do i += step
    while (i >= 0 && i < line.cells.length && line.cells[i] !== letter)
    if (i < 0 || i >= line.cells.length) return undefined
  }
  const at = start + (line.starts[isShort ? i - step : i] ?? 0)
  return { at, reach: step === 1 ? "onto" : "up to" }
}

function gapAhead(text: string, at: number, times: number): number {
  let to = at
  for (let n = 0; n < times; n++) {
    const next = /\n(?=\n)/g
    // From inside a gap one leaves it first.
    next.lastIndex = to + (/^\n*/.exec(text.slice(to))?.[0].length ?? 0)
    const found = next.exec(text)
    if (!found) return text.length
    to = found.index + 1
  }
  return to
}

function gapBehind(text: string, at: number, times: number): number {
  let to = at
  for (let n = 0; n < times; n++) {
    const before = text.slice(0, to).replace(/\n+$/, "")
    const found = before.lastIndexOf("\n\n")
    if (found === -1) return 0
    to = found + 1
  }
  return to
}

const pairs = "()[]{}"

function partner(buffer: Buffer): MotionEnd | undefined {
  const { text } = buffer
  const end = lineEnd(buffer)
  let at = buffer.at
  while (at < end && !pairs.includes(text[at] ?? "")) at++
  if (at >= end) return undefined
  const own = text[at] ?? ""
  const index = pairs.indexOf(own)
  const step = index % 2 === 0 ? 1 : -1
  const other = pairs[index + step]
  let depth = 0
  for (let i = at; i >= 0 && i < text.length; i += step) {
    if (text[i] === own) depth++
    if (text[i] === other && --depth === 0) return { at: i, reach: "onto" }
  }
  return undefined
}
