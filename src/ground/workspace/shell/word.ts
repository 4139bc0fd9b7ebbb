/** Turns a written word into the arguments that the program will get. */

import type { Word } from "unbash"
import { optional } from "#lib/optional.ts"
import { type Argument, exactly, unknown } from "./argument.ts"
import { expandBraces, hasBraces } from "./braces.ts"
import { isPlainOutsideQuotes } from "./characters.ts"
import { type Decoder, type WordPiece, piecesOf } from "./pieces.ts"

/**
 * `split`: an argument, which may become several words. `whole`: the value of an assignment or a target, which stays
 * one.
 */
export type WordPlace = "split" | "whole"

export function readWord(word: Word, place: WordPlace, decoder: Decoder): readonly Argument[] {
  const { call } = decoder.state
  if (call && place === "split" && word.text === '"$@"') return call.args
  const [, array = ""] = /^"\$\{([A-Za-z_]\w*)\[@\]\}"$/.exec(word.text) ?? []
  const list = place === "split" ? decoder.state.variables.get(array)?.list : undefined
  if (list) return list
  if (place === "split" && word.parts?.some(({ type }) => type === "BraceExpansion")) return expanded(word, decoder)
  const pieces = piecesOf(word, decoder)
  if (place === "split" && bracesIn(pieces)) return doubtful(word.text, "its braces cannot be read", decoder)
  return [joined(word.text, pieces, place, decoder)]
}

function expanded(word: Word, decoder: Decoder): readonly Argument[] {
  const { text } = word
  const words = expandBraces(text)
  if (!words) decoder.reading.salvage(word)
  if (!words) return doubtful(text, `nobody can say what ${text} becomes`, decoder)
  // An empty word that nothing quotes disappears.
  return words
    .filter((each) => each !== "")
    .map((each) => joined(each, [{ text: each, quoted: false }], "split", decoder))
}

function joined(text: string, pieces: readonly WordPiece[], place: WordPlace, decoder: Decoder): Argument {
  const why = objection(pieces, place)
  if (why !== undefined) return doubtful(text, why, decoder)[0] ?? unknown(text)
  const settled =
    place === "split" && isBracketCommand(pieces) ? [{ text: "[", quoted: true }] : tilde(pieces, place, decoder)
  if (!settled) return doubtful(text, `nobody can say what ${text} becomes`, decoder)[0] ?? unknown(text)
  return combined(settled, place, decoder)
}

/** The argument is as uncertain as its most uncertain part. */
function combined(pieces: readonly WordPiece[], place: WordPlace, decoder: Decoder): Argument {
  let text = ""
  let head: string | undefined
  let kind: Argument["kind"] = "exact"
  let many = false
  let number: Argument["number"]
  let fresh: Argument["fresh"]
  let branch: Argument["branch"]
  let pattern: Argument["pattern"]
  for (const piece of pieces) {
    const { value, quoted } = piece
    const splits = place === "split" && !quoted
    if (!value) {
      if (splits && /[*?[]/.test(piece.text)) {
        if (kind === "exact") kind = "glob"
        many = true
        head ??= text + piece.text.slice(0, piece.text.search(/[*?[]/))
      }
      text += piece.text
      continue
    }
    const isPlain = value.kind === "exact" && (!splits || /^[\w./:@%+,=-]+$/.test(value.text))
    if (isPlain) {
      text += value.text
      continue
    }
    if (value.kind === "exact") decoder.reading.doubt(`${piece.text} would be split or expanded`)
    if (value.kind === "pipe" && pieces.length > 1) decoder.reading.doubt("a process substitution stands inside a word")
    // What is split outside quotes may begin with anything from its second word on.
    head = splits && value.kind !== "pipe" ? "" : (head ?? text + value.head)
    many = value.kind !== "pipe" && (many || (splits && value.number !== "always") || value.many)
    kind = worse(kind, value.kind === "glob" && splits ? "dynamic" : value.kind === "exact" ? "unknown" : value.kind)
    if (pieces.length === 1) number = value.number
    if (pieces.length === 1) fresh = value.fresh
    if (pieces.length === 1) branch = value.branch
    if (pieces.length === 1 && splits && value.kind === "glob") pattern = value
    text += value.text
  }
  if (kind === "exact") return exactly(text)
  const token = isToken(pieces)
  return {
    text,
    kind,
    head: head ?? "",
    many,
    ...listed(pieces, place),
    ...(number && { number }),
    ...(fresh && { fresh }),
    ...(branch && { branch }),
    ...(token && { token }),
    ...optional("pattern", pattern),
  }
}

/** The words of a list of names, with whatever is written around each. */
function listed(
  pieces: readonly WordPiece[],
  place: WordPlace,
): Pick<Argument, "words" | "below" | "from" | "plain" | "loose" | "several"> | undefined {
  const open = pieces.filter(({ value }) => value && value.kind !== "exact")
  const [only] = open
  const value = only?.value
  if (!only || !value || open.length > 1) return undefined
  const { words, below, from, plain } = value
  if (!words && !below) return undefined
  // Outside quotes a name may fall apart.
  const isLoose = value.loose === true || (place === "split" && !only.quoted && !plain)
  // Between quotes they stay together, and may be split later where the word is used.
  const isTogether = value.several && (place === "whole" || only.quoted)
  const how = { ...(isLoose && { loose: true as const }), ...(isTogether && { several: true as const }) }
  if (pieces.length === 1)
    return {
      ...optional("words", words),
      ...optional("below", below),
      ...optional("from", from),
      ...optional("plain", plain),
      ...how,
    }
  if (!words || pieces.some(({ quoted, value: known, text }) => !quoted && !known && /[*?[]/.test(text)))
    return undefined
  const [before, after] = [pieces.slice(0, pieces.indexOf(only)), pieces.slice(pieces.indexOf(only) + 1)].map((some) =>
    some.map((piece) => piece.value?.text ?? piece.text).join(""),
  )
  const isPlain = plain && /^[\w./:@%+,=-]*$/.test(`${before}${after}`)
  const around = words.map((word) => `${before ?? ""}${word}${after ?? ""}`)
  const all = value.several ? [...around, ...ends(words, before ?? "", after ?? "")] : around
  return { words: all, ...(isPlain && { plain }), ...how }
}

/** If several names are split, only the first has the text before them and only the last the text after. */
function ends(words: readonly string[], before: string, after: string): readonly string[] {
  const none = `${before}${after}` === "" ? [] : [`${before}${after}`]
  return [...words, ...words.map((word) => `${before}${word}`), ...words.map((word) => `${word}${after}`), ...none]
}

/** No dash can come first: not if every unknown part is a token, and an empty one uncovers none. */
function isToken(pieces: readonly WordPiece[]): boolean {
  const written = ({ value, text }: WordPiece): string | undefined =>
    value ? (value.kind === "exact" ? value.text : undefined) : text
  const isSure = pieces.every(({ value, quoted, text }) =>
    value ? value.token === true || value.kind === "exact" : quoted || !/[*?[]/.test(text),
  )
  return isSure && !(pieces.map(written).find((text) => text) ?? "").startsWith("-")
}

const order: readonly Argument["kind"][] = ["exact", "pipe", "glob", "dynamic", "unknown"]

const worse = (a: Argument["kind"], b: Argument["kind"]): Argument["kind"] =>
  order.indexOf(a) > order.indexOf(b) ? a : b

/** Why unquoted text is not literal; undefined when it is. */
function objection(pieces: readonly WordPiece[], place: WordPlace): string | undefined {
  const open = pieces.filter(({ quoted, value }) => !quoted && !value)
  if (!open.every(({ text }) => isPlainOutsideQuotes(text))) return "it holds unusual characters outside quotes"
  if (open.some(({ text }) => /["'`$|&;<>()\\]/.test(text))) return "it holds characters that should have been quoted"
  // Words that look like an assignment have their tildes expanded, wherever they are.
  const written = pieces
    .map(({ text, quoted, value }) => (quoted || value ? "\u0001".repeat(text.length) : text))
    .join("")
  const late = place === "whole" ? /:~/ : /^[A-Za-z_]\w*\+?=(?:.*:)?~/
  if (late.test(written)) return "a tilde stands in the middle of a word"
  return undefined
}

/** A leading tilde, alone or before a slash, is the home folder; any other form names someone or something else. */
function tilde(pieces: readonly WordPiece[], place: WordPlace, { reading }: Decoder): readonly WordPiece[] | undefined {
  const [first, ...rest] = pieces
  if (!first || first.quoted || first.value || !first.text.startsWith("~")) return pieces
  if (place === "whole" && first.text.includes(":")) return undefined
  const isHome = first.text.startsWith("~/") || (first.text === "~" && rest.length === 0)
  if (!isHome) return undefined
  return [{ text: reading.place.home, quoted: true }, { ...first, text: first.text.slice(1) }, ...rest]
}

const isBracketCommand = ([first, ...rest]: readonly WordPiece[]): boolean =>
  rest.length === 0 && first?.text === "[" && !first.value

function bracesIn(pieces: readonly WordPiece[]): boolean {
  return hasBraces(pieces.map(({ text, quoted, value }) => (quoted || value ? "x" : text)).join(""))
}

function doubtful(text: string, why: string, { reading }: Decoder): readonly Argument[] {
  reading.doubt(why)
  return [unknown(text)]
}
