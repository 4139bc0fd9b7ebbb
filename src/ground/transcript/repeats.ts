/**
 * Writes a result's text once. What is shown to people and what programs get repeats most of what the model was told,
 * so a line has the model's text, and for the others where they find theirs in it. See decision 150.
 */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"

type Step = string | number

/** A text or a list of lines, put together from pieces of the model's text and from what is not in it. */
interface Repeat {
  readonly at: readonly Step[]
  /** Its own text, or where it begins in the model's text and how long it is. */
  readonly parts: readonly (string | readonly [from: number, length: number])[]
  readonly lines?: true
}

export interface Shortened {
  readonly value: JsonObject
  readonly repeats: readonly Repeat[]
}

/** Shorter texts stay whole: they cost little, and readers that know nothing of this find them where they were. */
const leastRun = 400
const anchorLength = 64
const shownCharacters = 200
const shownItems = 5

const wholeInMessage = "… [shortened here: all of it is in message]"

/** The beginning of a text, for readers that do not put it together. */
export const shortenedText = (text: string): string =>
  text.length < leastRun ? text : `${text.slice(0, shownCharacters)}${wholeInMessage}`

export function shortenRepeats(value: JsonObject, modelText: string): Shortened {
  const repeats: Repeat[] = []
  if (modelText.length < leastRun) return { value, repeats }

  function shorten(one: JsonValue, at: readonly Step[]): JsonValue {
    if (typeof one === "string") {
      const parts = partsOf(one, modelText)
      if (!parts) return one
      repeats.push({ at, parts })
      return shortenedText(one)
    }
    if (Array.isArray(one)) return shortenList(one, at)
    if (!isObject(one)) return one
    return Object.fromEntries(Object.entries(one).map(([key, inner]) => [key, shorten(inner, [...at, key])]))
  }

  function shortenList(list: readonly JsonValue[], at: readonly Step[]): JsonValue {
    const lines = list.filter((one) => typeof one === "string")
    const isLines = lines.length === list.length && lines.every((line) => !line.includes("\n"))
    const parts = isLines ? partsOf(lines.join("\n"), modelText) : undefined
    if (!parts) return list.map((one, index) => shorten(one, [...at, index]))
    repeats.push({ at, parts, lines: true })
    return lines.slice(0, shownItems)
  }

  return { value: shorten(value, []) as JsonObject, repeats }
}

/** Undefined where little of it is in the model's text. */
function partsOf(text: string, modelText: string): Repeat["parts"] | undefined {
  if (text.length < leastRun) return undefined
  const from = modelText.indexOf(text.slice(0, anchorLength))
  const first = from < 0 ? 0 : commonLength(text.length, (length) => modelText.startsWith(text.slice(0, length), from))
  if (first === text.length) return [[from, first]]
  const rest = text.slice(first)
  const until = rest.length < leastRun ? -1 : modelText.lastIndexOf(rest.slice(-anchorLength)) + anchorLength
  const last =
    until < anchorLength ? 0 : commonLength(rest.length, (length) => modelText.endsWith(rest.slice(-length), until))
  if (first + last < Math.max(leastRun, text.length / 2)) return undefined
  const middle = rest.slice(0, rest.length - last)
  return [
    ...(first > 0 ? [[from, first] as const] : []),
    ...(middle === "" ? [] : [middle]),
    ...(last > 0 ? [[until - last, last] as const] : []),
  ]
}

/** The longest length for which it holds. */
function commonLength(most: number, isCommon: (length: number) => boolean): number {
  let least = 0
  let end = most
  while (least < end) {
    const length = Math.ceil((least + end) / 2)
    if (isCommon(length)) least = length
    else end = length - 1
  }
  return least
}

/** What cannot be put together stays as it was written. */
export function restoreRepeats(value: JsonObject, repeats: JsonValue | undefined, modelText: string): JsonObject {
  if (!Array.isArray(repeats)) return value
  return repeats.reduce<JsonObject>((before, repeat: JsonValue) => {
    if (!isObject(repeat) || !Array.isArray(repeat.at) || !Array.isArray(repeat.parts)) return before
    const text = repeat.parts.map((part: JsonValue) => partText(part, modelText))
    if (text.some((part) => part === undefined)) return before
    const whole = text.join("")
    const set = withValue(before, repeat.at, repeat.lines === true ? whole.split("\n") : whole)
    return isObject(set) ? set : before
  }, value)
}

function partText(part: JsonValue, modelText: string): string | undefined {
  if (typeof part === "string") return part
  if (!Array.isArray(part)) return undefined
  const [from, length] = part
  const isInside =
    typeof from === "number" &&
    typeof length === "number" &&
    from >= 0 &&
    length >= 0 &&
    from + length <= modelText.length
  return isInside ? modelText.slice(from, from + length) : undefined
}

/** A copy with another value in one place; undefined where there is no such place. */
function withValue(value: JsonValue | undefined, at: readonly JsonValue[], put: JsonValue): JsonValue | undefined {
  const [step, ...rest] = at
  if (step === undefined) return put
  if (Array.isArray(value)) {
    const inner = typeof step === "number" && step in value ? withValue(value[step], rest, put) : undefined
    return inner === undefined ? undefined : value.with(Number(step), inner)
  }
  if (!isObject(value) || typeof step !== "string" || !Object.hasOwn(value, step)) return undefined
  const inner = withValue(value[step], rest, put)
  return inner === undefined ? undefined : { ...value, [step]: inner }
}
