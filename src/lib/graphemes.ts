/** Text as the characters that a person sees, each with its place. */

import { lazily } from "./lazily.ts"

export interface Grapheme {
  readonly segment: string
  readonly index: number
}

/** The rules of all scripts take milliseconds to load, and most lines do not need them. */
const segmenter = lazily(() => new Intl.Segmenter(undefined, { granularity: "grapheme" }))

const plain = /^[\t\n\u0020-\u007e]*$/

export function graphemes(text: string): Iterable<Grapheme> {
  return plain.test(text) ? single(text) : segmenter().segment(text)
}

function* single(text: string): Generator<Grapheme> {
  for (let index = 0; index < text.length; index++) yield { segment: text.charAt(index), index }
}
