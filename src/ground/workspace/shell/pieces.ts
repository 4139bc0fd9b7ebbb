/** The parts of a word, decoded one by one; what bash would make of each is said exactly or not at all. */

import type { DoubleQuotedPart, LiteralPart, Word, WordPart } from "unbash"
import { type Argument, exactly, someText, unknown } from "./argument.ts"
import { isOwnName, isPrintable } from "./names.ts"
import { wordsFrom } from "./listing.ts"
import type { Reading } from "./reading.ts"
import { isPlainArithmetic, mayBeNegative } from "./arithmetic.ts"
import type { State } from "./state.ts"

/** A part of a word: its text, whether it is quoted, and what it is when it is not plain text. */
export interface WordPiece {
  readonly text: string
  readonly quoted: boolean
  readonly value?: Argument
}

/** What decoding words needs, and where it reports doubts. */
export interface Decoder {
  readonly reading: Reading
  readonly state: State
  /** Whether what is read is compared and never shown, so that it may contain secrets. */
  readonly compares?: true
}

/** The parts must cover the word without a gap, or the tree is not trusted. */
export function piecesOf(word: Word, decoder: Decoder): readonly WordPiece[] {
  if (!word.parts) return unquoted(word.text, word.value, decoder)
  checkCover(word.parts, word.pos, word.end, decoder)
  return word.parts.flatMap((part) => pieces(part, decoder))
}

/** The parts of text in which quotes mean nothing, as in a here-document. */
export function piecesInText(parts: readonly WordPart[], decoder: Decoder): readonly WordPiece[] {
  return parts.flatMap((part) =>
    part.type === "Literal" ? [{ text: part.value, quoted: true }] : pieces(part, decoder),
  )
}

function pieces(part: WordPart, decoder: Decoder): readonly WordPiece[] {
  switch (part.type) {
    case "Literal":
      return unquoted(part.text, part.value, decoder)
    case "Glob":
      return [{ text: part.text, quoted: false }]
    case "SingleQuoted":
      return singleQuoted(part.text, part.value, decoder)
    case "AnsiCQuoted":
      return ansiQuoted(part.text, part.value, decoder)
    case "DoubleQuoted":
      return doubleQuoted(part, decoder)
    case "BraceExpansion":
      return [{ text: part.text, quoted: false }]
    case "SimpleExpansion":
      return [{ text: part.text, quoted: false, value: variable(part.text, part.text.slice(1), decoder) }]
    case "ParameterExpansion":
      return [parameter(part, decoder)]
    case "CommandExpansion":
    case "ProcessSubstitution":
      return [{ text: part.text, quoted: false, value: substituted(part, decoder) }]
    case "ArithmeticExpansion":
      return [arithmetic(part, decoder)]
    case "LocaleString":
    case "ExtendedGlob":
      return [abandoned(part, decoder)]
  }
}

function parameter(part: Extract<WordPart, { type: "ParameterExpansion" }>, decoder: Decoder): WordPiece {
  const { text, parameter: name } = part
  if (text === `\${${name}}`) return { text, quoted: false, value: variable(text, name, decoder) }
  const element = elementOf(text, decoder.state)
  if (element) return { text, quoted: false, value: element }
  if (/^\$\{#[A-Za-z_]\w*\}$/.test(text))
    return { text, quoted: false, value: { ...someText(text), number: "always", token: true } }
  if (isPlainChange(text, name)) return { text, quoted: false, value: changed(variable(text, name, decoder)) }
  return abandoned(part, decoder)
}

/** One word of an array that the script itself wrote out, by its index, or how many there are. */
function elementOf(text: string, { variables }: State): Argument | undefined {
  const [, count, name, at] = /^\$\{(#?)([A-Za-z_]\w*)\[(@|\d{1,4})\]\}$/.exec(text) ?? []
  const list = name === undefined ? undefined : variables.get(name)?.list
  if (!list) return undefined
  if (count === "#" && at === "@") return exactly(String(list.length))
  return count === "" && at !== "@" ? (list[Number(at)] ?? exactly("")) : undefined
}

/** Removal, replacement or case change, all in plain letters without expansions. */
function isPlainChange(text: string, name: string): boolean {
  const rest = text.slice(2 + name.length, -1)
  return (
    /^(?:[A-Za-z_]\w*|[1-9])$/.test(name) &&
    text === `\${${name}${rest}}` &&
    changes.some((change) => change.test(rest))
  )
}

const changes: readonly RegExp[] = [
  // ${f%.ts} and ${f##*/}
  /^(?:##?|%%?)[\w.*?/ :@,=+-]+$/,
  // ${x:-y} and ${x:+y}
  /^:?[-+][\w./ :@,+-]*$/,
  // ${x:0:3}
  /^: ?-?\d{1,6}(?::-?\d{1,6})?$/,
  // ${x//-/_}
  /^\/[/#%]?[\w. *?:@,=+-]+\/[\w. :@,=+/-]*$/,
  // ${x^^}
  /^(?:\^\^?|,,?)$/,
]

/** A known value becomes some other text. */
const changed = (value: Argument): Argument => (value.kind === "unknown" ? value : someText(value.text))

/** Unquoted text: a backslash protects one character, and never a line end. */
function unquoted(text: string, value: string, decoder: Decoder): readonly WordPiece[] {
  if (!text.includes("\\")) return [{ text, quoted: false }]
  if (/\\(?:\n|$)/.test(text.replace(/\\[^\n]/g, ""))) return [lost(text, decoder)]
  const found = [...text.matchAll(/\\([^])|[^\\]+/gu)].map(([whole, escaped]): WordPiece =>
    escaped === undefined ? { text: whole, quoted: false } : { text: escaped, quoted: true },
  )
  if (found.map((piece) => piece.text).join("") !== value) return [lost(text, decoder)]
  return found
}

function singleQuoted(text: string, value: string, decoder: Decoder): readonly WordPiece[] {
  return text === `'${value}'` && !value.includes("'") ? [{ text: value, quoted: true }] : [lost(text, decoder)]
}

/** `$'...'` only with common escapes; the others hide what they mean. */
function ansiQuoted(text: string, value: string, decoder: Decoder): readonly WordPiece[] {
  const [, inner] = /^\$'((?:[^\\'\n]|\\[\\'"nt])*)'$/.exec(text) ?? []
  const decoded = inner?.replace(/\\(.)/g, (_, char: string) => ({ n: "\n", t: "\t" })[char] ?? char)
  return decoded === value ? [{ text: decoded, quoted: true }] : [lost(text, decoder)]
}

function doubleQuoted({ text, pos, end, parts }: DoubleQuotedPart, decoder: Decoder): readonly WordPiece[] {
  if (!text.startsWith('"') || !text.endsWith('"') || text.length < 2) return [lost(text, decoder)]
  if (parts.length === 0) {
    if (text !== '""') return [lost(text, decoder)]
    return [{ text: "", quoted: true }]
  }
  checkCover(parts, pos + 1, end - 1, decoder)
  return parts.flatMap((part) => {
    if (part.type === "Literal") return literalInQuotes(part, decoder)
    return pieces(part, decoder).map((piece) => ({ ...piece, quoted: true }))
  })
}

/** Between double quotes a backslash only protects four characters, and otherwise stays. */
function literalInQuotes({ text, value }: LiteralPart, decoder: Decoder): readonly WordPiece[] {
  if (!text.includes("\\")) return [{ text, quoted: true }]
  if (/\\\n/.test(text)) return [lost(text, decoder)]
  const decoded = text.replace(/\\([$`"\\])/g, "$1")
  return decoded === value ? [{ text: decoded, quoted: true }] : [lost(text, decoder)]
}

function variable(text: string, name: string, { reading, state, compares }: Decoder): Argument {
  const set = state.variables.get(name)
  if (set && set.kind !== "unknown") return set
  if (!set) {
    if (name === "HOME") return exactly(reading.place.home)
    const [folder, ...others] = state.folders ?? []
    if (name === "PWD" && folder !== undefined && others.length === 0) return exactly(folder)
    if (name === "PWD" || isPrintable(name) || isOwnName(name)) return someText(text)
    if (compares && /^[A-Za-z_]\w*$/.test(name)) return someText(text)
  }
  reading.doubt(`nobody knows what ${text} is`)
  return unknown(text)
}

function substituted(
  part: Extract<WordPart, { type: "CommandExpansion" | "ProcessSubstitution" }>,
  decoder: Decoder,
): Argument {
  const { reading, state } = decoder
  const { text, script } = part
  const isInput = part.type === "ProcessSubstitution" && part.operator === "<"
  const open = part.type === "CommandExpansion" ? (text.startsWith("`") ? "`" : "$(") : "<("
  const close = open === "`" ? "`" : ")"
  if (!script || (part.type === "ProcessSubstitution" && !isInput) || !text.startsWith(open) || !text.endsWith(close)) {
    reading.doubt(`it uses ${text}`)
    reading.salvage(part)
    return unknown(text)
  }
  const printed = reading.inner(script, state)
  if (isInput) return { text, kind: "pipe", head: text, many: false }
  if (printed.text !== undefined) return exactly(printed.text)
  if (printed.prints === "number") return { ...someText(text), number: "if any", token: true }
  if (printed.prints === "fresh") return { ...someText(text), several: true, fresh: true }
  if (printed.prints === "branch") return { ...someText(text), several: true, branch: true }
  if (printed.prints === "token") return { ...someText(text), token: true }
  return { ...someText(text), several: true, ...wordsFrom(printed.listing, "spaces") }
}

/** Only numbers, variables that contain one, and commands that print one. */
function arithmetic(part: Extract<WordPart, { type: "ArithmeticExpansion" }>, decoder: Decoder): WordPiece {
  const { text, pos, expression } = part
  const { reading, state } = decoder
  let bare = text
  let at = 0
  for (const inner of expression ? commandsIn(expression) : []) {
    const start = text.indexOf(inner.text, at)
    const prints = inner.script && start === inner.pos - pos ? reading.inner(inner.script, state).prints : undefined
    if (prints !== "number") return lost(text, decoder)
    at = start + inner.text.length
    bare = bare.replace(inner.text, () => "1".padEnd(inner.text.length))
  }
  const [, reckons] = /^\$\(\((.*)\)\)$/s.exec(bare) ?? []
  if (reckons === undefined || !isPlainArithmetic(reckons, state)) return abandoned(part, decoder)
  const number = { ...someText(text), number: "always" as const }
  return { text, quoted: false, value: mayBeNegative(reckons) ? number : { ...number, token: true } }
}

type Expression = NonNullable<Extract<WordPart, { type: "ArithmeticExpansion" }>["expression"]>

/** In order. */
function commandsIn(expression: Expression): readonly Extract<Expression, { type: "ArithmeticCommandExpansion" }>[] {
  switch (expression.type) {
    case "ArithmeticBinary":
      return [...commandsIn(expression.left), ...commandsIn(expression.right)]
    case "ArithmeticUnary":
      return commandsIn(expression.operand)
    case "ArithmeticTernary":
      return [expression.test, expression.consequent, expression.alternate].flatMap(commandsIn)
    case "ArithmeticGroup":
      return commandsIn(expression.expression)
    case "ArithmeticWord":
      return []
    case "ArithmeticCommandExpansion":
      return [expression]
  }
}

function checkCover(
  parts: readonly { readonly pos: number; readonly end: number }[],
  from: number,
  to: number,
  { reading }: Decoder,
): void {
  let at = from
  for (const { pos, end } of parts) {
    if (pos !== at) break
    at = end
  }
  if (at !== to) reading.doubt("a word is not read whole")
}

/** A part that is not read, though the commands in it are. */
function abandoned(part: WordPart, decoder: Decoder): WordPiece {
  decoder.reading.salvage(part)
  return lost(part.text, decoder)
}

function lost(text: string, { reading }: Decoder): WordPiece {
  reading.doubt(`nobody can say what ${text} becomes`)
  return { text, quoted: true, value: unknown(text) }
}
