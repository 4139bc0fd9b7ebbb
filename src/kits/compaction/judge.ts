/** Checks whether the model's text is a summary of the conversation at all. */

import type { StopReason } from "#agent/words/model.ts"
import { estimateTokens } from "#lib/tokens.ts"

export interface GivenSummary {
  readonly text: string
  readonly stopReason: StopReason | undefined
}

export interface SummarySource {
  readonly text: string
  readonly tokens: number
}

const leastWords = 8
const leastShared = 0.1
const leastDistinct = 0.08
/** Share of letters, digits and spaces; even a summary full of code has more. */
const leastPlain = 0.6

/** What is wrong with it, in words for the user; undefined if it is usable. */
export function complaintAbout({ text, stopReason }: GivenSummary, source: SummarySource): string | undefined {
  if (stopReason === "max_tokens" || stopReason === "model_context_window_exceeded") return "the summary was cut off"
  if (stopReason === "refusal") return "the model refused to summarize"
  if (text.trim() === "") return "the summary was empty"
  if (estimateTokens(text) >= source.tokens) return "the summary was longer than what it summarized"
  return isGarbage(text, source.text) ? "the summary made no sense" : undefined
}

/** A summary consists of varied words, and mentions the same things as the conversation. */
function isGarbage(text: string, source: string): boolean {
  const words = wordsIn(text)
  if (words.length < leastWords) return true
  const plain = text.match(/[\p{L}\p{N}\s]/gu)?.length ?? 0
  if (plain < text.length * leastPlain) return true
  const distinct = new Set(words)
  if (words.length > 20 && distinct.size < words.length * leastDistinct) return true
  const known = new Set(wordsIn(source))
  const telling = [...distinct].filter((word) => (word.length >= 4 && !/\d/.test(word)) || isIdeograph(word))
  const shared = telling.filter((word) => known.has(word)).length
  return shared === 0 || shared < telling.length * leastShared
}

/** Scripts without spaces count by character. */
const wordsIn = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .match(/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\P{L}\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|\p{N}+/gu) ?? []

const isIdeograph = (word: string): boolean => /^[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]$/.test(word)
