/** Visual mode of the vim keys: motions and text objects extend a selection, and letters act on it. */

import { graphemes } from "#lib/graphemes.ts"
import { type Buffer, leftOf, lineEnd, lineStart, rightOf } from "./buffer.ts"
import { counted, isObjectName, type Operator, parseMotion } from "./vim-command.ts"
import { joined, onLines, onSpan, otherCase, shifted } from "./vim-operations.ts"
import { firstSign, placeOf } from "./vim-motions.ts"
import { type TextSpan, spanOf } from "./vim-objects.ts"
import { type Find, findIn, isVisual, type Register, type Vim, type VisualMode } from "./vim-state.ts"

export type Visual =
  | { readonly kind: "more" }
  | { readonly kind: "unknown" }
  | {
      readonly kind: "selects"
      readonly mode: VisualMode
      readonly anchor: number
      readonly at: number
      readonly find?: Find | undefined
    }
  | { readonly kind: "leaves"; readonly at: number; readonly register?: Register }
  /** `command`: the equivalent without a selection, for `.`; empty if there is none. */
  | {
      readonly kind: "changes"
      readonly buffer: Buffer
      readonly register?: Register
      readonly then: "normal" | "insert"
      readonly command: string
    }

/** Undefined outside visual mode. Lines exclude their last break. */
export function selectionOf({ text, at }: Buffer, vim: Vim | undefined): TextSpan | undefined {
  if (!vim || !isVisual(vim.mode)) return undefined
  const first = Math.min(vim.anchor, at)
  const last = Math.min(Math.max(vim.anchor, at), text.length)
  if (vim.mode === "visual line") return { from: lineStart({ text, at: first }), to: lineEnd({ text, at: last }) }
  return { from: first, to: last < text.length ? rightOf({ text, at: last }) : last }
}

export function visual(buffer: Buffer, vim: Vim & { readonly mode: VisualMode }, letters: string): Visual {
  const { count, rest } = counted(letters)
  const { mode, anchor } = vim
  const [head = "", ...tail] = rest
  const selects = (at: number, more: Partial<Visual & { kind: "selects" }> = {}): Visual => ({
    kind: "selects",
    mode,
    anchor,
    at,
    ...more,
  })
  if (head === "") return { kind: "more" }
  if (head === "o" || head === "O") return selects(anchor, { anchor: buffer.at })
  if (head === "v" || head === "V") {
    const wanted = head === "v" ? "visual" : "visual line"
    return wanted === mode ? { kind: "leaves", at: buffer.at } : selects(buffer.at, { mode: wanted })
  }
  if (head === "i" || head === "a") return object(buffer, vim, head, tail.join(""))
  if (head === "r" && tail.length === 0) return { kind: "more" }
  const span = selectionOf(buffer, vim)
  const acted = span && act(buffer, vim, span, head, tail.join(""), count ?? 1)
  if (acted) return acted
  const motion = parseMotion(rest)
  if (motion.kind !== "motion") return motion
  const find = findIn(motion) ?? vim.find
  return selects(placeOf(buffer, motion, count, find)?.at ?? buffer.at, { find })
}

/** The whole object if the selection has just begun, otherwise up to its end. */
function object(buffer: Buffer, { mode, anchor }: Vim & { mode: VisualMode }, side: "i" | "a", name: string): Visual {
  if (name === "") return { kind: "more" }
  if (!isObjectName(name)) return { kind: "unknown" }
  const span = spanOf(buffer, { kind: "object", side: side === "i" ? "inner" : "around", name })
  if (!span || span.to <= span.from) return { kind: "unknown" }
  const at = leftOf({ text: buffer.text, at: span.to })
  return { kind: "selects", mode, anchor: anchor === buffer.at ? span.from : anchor, at }
}

/** Undefined for letters that are motions. */
function act(
  buffer: Buffer,
  vim: Vim & { readonly mode: VisualMode },
  span: TextSpan,
  letter: string,
  argument: string,
  times: number,
): Visual | undefined {
  const inLines = vim.mode === "visual line"
  const mapped = (other: (character: string) => string, command = ""): Visual => {
    const now = [...graphemes(buffer.text.slice(span.from, span.to))].map(({ segment }) => other(segment)).join("")
    return changes({ text: buffer.text.slice(0, span.from) + now + buffer.text.slice(span.to), at: span.from }, command)
  }
  const size = sizeOf(buffer, span)
  const operation = operations[letter]
  if (operation) {
    const [operator, reach] = operation
    return operate(buffer, operator, reach === "lines" || inLines ? "lines" : "characters", span)
  }
  switch (letter) {
    case ">":
    case "<":
      return changes(shifted(buffer, span, letter === ">" ? times : -times), "")
    case "~":
      return mapped(otherCase, size.lines === 1 && !inLines ? `${size.characters}~` : "")
    case "u":
      return mapped((character) => character.toLowerCase())
    case "U":
      return mapped((character) => character.toUpperCase())
    case "r":
      return mapped((character) => (character === "\n" ? character : argument))
    case "J": {
      const next = joined({ text: buffer.text, at: span.from }, Math.max(2, size.lines))
      return next ? changes(next, `${size.lines}J`) : { kind: "leaves", at: buffer.at }
    }
    case "p":
    case "P":
      return replace(buffer, span, inLines, vim.register, letter)
    default:
      return undefined
  }
}

const operations: { readonly [letter: string]: readonly [Operator, "selection" | "lines"] } = {
  d: ["d", "selection"],
  x: ["d", "selection"],
  X: ["d", "lines"],
  D: ["d", "lines"],
  c: ["c", "selection"],
  s: ["c", "selection"],
  C: ["c", "lines"],
  S: ["c", "lines"],
  y: ["y", "selection"],
  Y: ["y", "lines"],
}

function operate(buffer: Buffer, operator: Operator, shape: Register["shape"], span: TextSpan): Visual {
  const { text } = buffer
  const lines = {
    from: lineStart({ text, at: span.from }),
    to: lineEnd({ text, at: Math.max(span.from, span.to - 1) }),
  }
  const whole = shape === "lines" ? lines : span
  const done =
    shape === "lines"
      ? onLines({ text, at: whole.from }, operator, whole)
      : onSpan({ text, at: span.from }, operator, span)
  if (!done) return { kind: "leaves", at: span.from }
  const register = done.register && { register: done.register }
  if (operator === "y") return { kind: "leaves", at: whole.from, ...register }
  const { characters, lines: count } = sizeOf(buffer, whole)
  const command =
    shape === "lines"
      ? `${count}${operator}${operator}`
      : count > 1
        ? ""
        : `${characters}${operator === "c" ? "s" : "x"}`
  return { ...changes(done.buffer, command), ...register, then: operator === "c" ? "insert" : "normal" }
}

/** `p` keeps the replaced text in the register. */
function replace(buffer: Buffer, span: TextSpan, inLines: boolean, register: Register, letter: "p" | "P"): Visual {
  if (register.text === "") return { kind: "leaves", at: span.from }
  const { text } = buffer
  const apart = register.shape === "lines" && !inLines
  const put = apart ? `\n${register.text}\n` : register.text
  const start = span.from + (apart ? 1 : 0)
  const next = text.slice(0, span.from) + put + text.slice(span.to)
  const isCharacters = register.shape === "characters" && !inLines
  const at = isCharacters ? leftOf({ text: next, at: span.from + put.length }) : firstSign(next, start)
  const taken: Register = { text: text.slice(span.from, span.to), shape: inLines ? "lines" : "characters" }
  return { ...changes({ text: next, at }, ""), ...(letter === "p" && taken.text !== "" && { register: taken }) }
}

const changes = (buffer: Buffer, command: string): Visual & { readonly kind: "changes" } => ({
  kind: "changes",
  buffer,
  then: "normal",
  command,
})

function sizeOf({ text }: Buffer, { from, to }: TextSpan): { readonly characters: number; readonly lines: number } {
  const all = text.slice(from, to)
  return { characters: [...graphemes(all)].length, lines: all.split("\n").length }
}
