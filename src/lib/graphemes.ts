/** Text as the characters a reader sees, each with its offset. */

import { lazily } from "./lazily.ts"

export interface Grapheme {
  readonly segment: string
  readonly index: number
}

/** The segmenter takes milliseconds to load, and most lines do not need it. */
const segmenter = lazily(() => new Intl.Segmenter(undefined, { granularity: "grapheme" }))

const plain = /^[\t\n\u0020-\u007e]*$/

export function graphemes(text: string): Iterable<Grapheme> {
  return plain.test(text) ? single(text) : segmenter().segment(text)
}

function* single(text: string): Generator<Grapheme> {
  for (let index = 0; index < text.length; index++) yield { segment: text.charAt(index), index }
}
