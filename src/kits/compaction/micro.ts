/** Micro-compaction, without a model: replaces old tool results with one line each, if that saves enough. */

import type { Message, ResultContent } from "#agent/words/message.ts"
import { tokensOfBlock, tokensOfBlocks } from "#agent/words/weight.ts"
import { headAndTail } from "#lib/head-and-tail.ts"
import { actWords } from "./act.ts"
import { type Pair, pairsIn } from "./cut.ts"

/** Tools whose old results can be fetched again, or no longer matter. */
const tools: ReadonlySet<string> = new Set(["Read", "Bash", "Grep", "Glob", "WebFetch", "WebSearch", "Edit", "Write"])
const keptResults = 3
const keptTokens = 40_000
const leastWon = 20_000
/** Tokens of the replacement line, including the path. */
const stubTokens = 80
const fullShare = 0.4
const keptCharacters = 1_000_000
/** The window that the numbers above are meant for; they scale down with a smaller one. */
const usualWindow = 200_000

export interface OldResult extends Pair {
  readonly tokens: number
}

export interface MicroQuestion {
  readonly messages: readonly Message[]
  readonly contextTokens: number
  readonly window: number
  /** The provider no longer caches the prefix, so changing it costs nothing. */
  readonly isCold: boolean
}

/** What to replace, oldest first; empty if it is too early or not worth changing the prefix. */
export function oldResults({ messages, contextTokens, window, isCold }: MicroQuestion): readonly OldResult[] {
  if (contextTokens <= window * fullShare && !isCold) return []
  const scale = Math.min(1, window / usualWindow)
  const firstKept = firstWithin(messages, keptTokens * scale)
  const pairs = pairsIn(messages).filter(({ use }) => tools.has(use.name))
  const old = pairs
    .slice(0, Math.max(0, pairs.length - keptResults))
    .filter(({ message }) => message < firstKept)
    .map((pair): OldResult => ({ ...pair, tokens: tokensOfBlock(pair.result) }))
    .filter(({ tokens }) => tokens > stubTokens * 2)
  const won = old.reduce((sum, { tokens }) => sum + tokens - stubTokens, 0)
  return won >= leastWon * scale ? old : []
}

/** Index of the first of the newest messages with this many tokens in total. */
function firstWithin(messages: readonly Message[], most: number): number {
  let tokens = 0
  for (let index = messages.length - 1; index >= 0; index--) {
    tokens += tokensOfBlocks(messages[index]?.content ?? [])
    if (tokens >= most) return index
  }
  return 0
}

/** A result as it is stored: tools limit their output, but not every tool is ours. */
export function keptText(content: ResultContent): string {
  const whole =
    typeof content === "string"
      ? content
      : content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n")
  if (whole.length <= keptCharacters) return whole
  const note = `[cut: of ${whole.length} characters only the beginning and the end are kept]`
  return headAndTail(whole, whole, keptCharacters, note)
}

/** The line that replaces a result: what it was, and where it is stored. */
export function stubWords({ use, tokens }: OldResult, keptIn: string | undefined): string {
  const where = keptIn === undefined ? "Make the call again if it is needed." : `All of it is in ${keptIn}.`
  return `[The result of ${actWords(use)} was left out to make room: about ${tokens} tokens. ${where}]`
}

export const wonBy = (old: readonly OldResult[], texts: readonly string[]): number =>
  old.reduce((sum, { tokens }, index) => sum + tokens - Math.ceil((texts[index]?.length ?? 0) / 4), 0)
