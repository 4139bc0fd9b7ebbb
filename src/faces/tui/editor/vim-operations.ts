/** What the vim commands do to a text. The mode is for whoever calls. */

import { type Buffer, insert, leftOf, lineEnd, lineStart, remove, rightOf } from "./buffer.ts"
import { kindOf } from "./cells.ts"
import type { Operator, Target } from "./vim-command.ts"
import { endOfThisWord, firstSign, type MotionEnd, placeOf } from "./vim-motions.ts"
import { type TextSpan, spanOf } from "./vim-objects.ts"
import type { Find, Register } from "./vim-state.ts"

export interface Done {
  readonly buffer: Buffer
  readonly register?: Register
}

/** Undefined if the target covers nothing. */
export function operated(
  buffer: Buffer,
  operator: Operator,
  target: Target,
  count: number | undefined,
  last: Find | undefined,
): Done | undefined {
  if (target.kind === "lines") return onLines(buffer, operator, lineSpan(buffer, buffer.at, (count ?? 1) - 1))
  if (target.kind === "object") {
    const span = spanOf(buffer, target)
    return span && onSpan(buffer, operator, span)
  }
  const isWord = target.name === "w" || target.name === "W"
  if (operator === "c" && isWord && isOnSign(buffer)) {
    const to = endOfThisWord(buffer, count ?? 1, target.name === "W")
    return onSpan(buffer, operator, { from: buffer.at, to })
  }
  const place = placeOf(buffer, target, count, last)
  if (!place) return undefined
  if (place.reach === "lines") return onLines(buffer, operator, linesBetween(buffer, place.at))
  return onSpan(buffer, operator, spanTo(buffer, place, isWord))
}

function spanTo({ text, at }: Buffer, place: MotionEnd, isWord: boolean): TextSpan {
  const to = place.reach === "onto" ? rightOf({ text, at: place.at }) : place.at
  // A word that ends its line does not take the end of the line with it.
  const until = isWord && to > at ? at + text.slice(at, to).replace(/\s*\n\s*$/, "").length : to
  return at <= until ? { from: at, to: until } : { from: place.at, to: at }
}

export function onSpan(buffer: Buffer, operator: Operator, { from, to }: TextSpan): Done | undefined {
  if (to < from || (to === from && operator !== "c")) return undefined
  const register: Register = { text: buffer.text.slice(from, to), shape: "characters" }
  if (operator === "y") return { buffer: { text: buffer.text, at: from }, register }
  return { buffer: remove(buffer, from, to), register }
}

export function onLines({ text, at }: Buffer, operator: Operator, { from, to }: TextSpan): Done {
  const register: Register = { text: text.slice(from, to), shape: "lines" }
  if (operator === "y")
    return { buffer: { text, at: Math.min(at, from === lineStart({ text, at }) ? at : from) }, register }
  if (operator === "c") return { buffer: remove({ text, at }, from, to), register }
  // The line goes with the break behind it, or, at the end, with the one before it.
  const rest =
    to < text.length ? text.slice(0, from) + text.slice(to + 1) : text.slice(0, Math.max(0, from - 1)) + text.slice(to)
  const start = lineStart({ text: rest, at: Math.min(from, rest.length) })
  return { buffer: { text: rest, at: firstSign(rest, start) }, register }
}

/** Without the last line break. */
function lineSpan({ text }: Buffer, at: number, more: number): TextSpan {
  let to = lineEnd({ text, at })
  for (let i = 0; i < more && to < text.length; i++) to = lineEnd({ text, at: to + 1 })
  return { from: lineStart({ text, at }), to }
}

const linesBetween = ({ text, at }: Buffer, other: number): TextSpan => ({
  from: lineStart({ text, at: Math.min(at, other) }),
  to: lineEnd({ text, at: Math.max(at, other) }),
})

/** After or before the cursor, or below or above its line. */
export function put(buffer: Buffer, { text, shape }: Register, side: "after" | "before", count: number): Buffer {
  if (shape === "lines") {
    const lines = Array.from({ length: count }, () => text).join("\n")
    const at = side === "after" ? lineEnd(buffer) : lineStart(buffer)
    const added = side === "after" ? `\n${lines}` : `${lines}\n`
    const next = insert({ text: buffer.text, at }, added).text
    return { text: next, at: firstSign(next, side === "after" ? at + 1 : at) }
  }
  const at = side === "after" && buffer.at < lineEnd(buffer) ? rightOf(buffer) : buffer.at
  const next = insert({ text: buffer.text, at }, text.repeat(count))
  return { text: next.text, at: leftOf(next) }
}

/** Undefined if the line has fewer characters left. */
export function overwritten(
  buffer: Buffer,
  count: number,
  other: (character: string) => string,
  short: "refused" | "allowed",
): Buffer | undefined {
  const end = lineEnd(buffer)
  let { text, at } = buffer
  let left = end
  for (let i = 0; i < count; i++) {
    if (at >= left) return short === "allowed" && i > 0 ? { text, at } : undefined
    const to = rightOf({ text, at })
    const instead = other(text.slice(at, to))
    text = text.slice(0, at) + instead + text.slice(to)
    left += instead.length - (to - at)
    at += instead.length
  }
  return { text, at }
}

export const otherCase = (character: string): string =>
  character === character.toUpperCase() ? character.toLowerCase() : character.toUpperCase()

const oneShift = "  "

/** To the right, or to the left if `steps` is negative; empty lines stay. */
export function shifted({ text }: Buffer, span: TextSpan, steps: number): Buffer {
  const from = lineStart({ text, at: span.from })
  const to = lineEnd({ text, at: Math.max(span.from, span.to - 1) })
  const move = (line: string): string => {
    if (steps > 0) return line === "" ? line : oneShift.repeat(steps) + line
    return line.replace(new RegExp(`^(?:\\t| {1,${oneShift.length}}){1,${-steps}}`), "")
  }
  const next = text.slice(0, from) + text.slice(from, to).split("\n").map(move).join("\n") + text.slice(to)
  return { text: next, at: firstSign(next, from) }
}

export function joined(buffer: Buffer, count: number): Buffer | undefined {
  let { text, at } = buffer
  for (let i = 0; i < Math.max(1, count - 1); i++) {
    const end = lineEnd({ text, at })
    if (end === text.length) return i === 0 ? undefined : { text, at }
    const before = text.slice(0, end).replace(/[^\S\n]+$/, "")
    const after = text.slice(end + 1).replace(/^[^\S\n]+/, "")
    const gap = before === "" || before.endsWith("\n") || after === "" || /^[\n)]/.test(after) ? "" : " "
    text = before + gap + after
    at = before.length
  }
  return { text, at }
}

const isOnSign = ({ text, at }: Buffer): boolean => {
  const kind = kindOf(text.slice(at, rightOf({ text, at })) || undefined, false)
  return kind === "word" || kind === "sign"
}
