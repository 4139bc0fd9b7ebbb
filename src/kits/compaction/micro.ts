/** The small compaction, without a model: old results of tools give way to one line each, when that wins enough. */

import type { Message, ResultContent } from "#agent/words/message.ts"
import { tokensOfBlock, tokensOfBlocks } from "#agent/words/weight.ts"
import { headAndTail } from "#lib/head-and-tail.ts"
import { actWords } from "./act.ts"
import { type Pair, pairsIn } from "./cut.ts"

/** Tools whose old results can be had again, or no longer matter. */
const tools: ReadonlySet<string> = new Set(["Read", "Bash", "Grep", "Glob", "WebFetch", "WebSearch", "Edit", "Write"])
const keptResults = 3
const keptTokens = 40_000
const leastWon = 20_000
/** What a line instead of a result costs, with the path in it. */
const stubTokens = 80
const fullShare = 0.4
const keptCharacters = 1_000_000
/** The window that the numbers above are made for; for a smaller one they shrink with it. */
const usualWindow = 200_000

/** A result that may go. */
export interface OldResult extends Pair {
  readonly tokens: number
}

export interface MicroQuestion {
  readonly messages: readonly Message[]
  readonly contextTokens: number
  readonly window: number
  /** Nothing is lost by changing the prefix, because the provider no longer has it. */
  readonly isCold: boolean
}

/** What to replace, oldest first; nothing when it is too early or not worth changing the prefix. */
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

/** The first of the newest messages that are so many tokens together. */
function firstWithin(messages: readonly Message[], most: number): number {
  let tokens = 0
  for (let index = messages.length - 1; index >= 0; index--) {
    tokens += tokensOfBlocks(messages[index]?.content ?? [])
    if (tokens >= most) return index
  }
  return 0
}

/** A result as it is kept: tools bound what they give, but not every tool is ours. */
export function keptText(content: ResultContent): string {
  const whole =
    typeof content === "string"
      ? content
      : content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n")
  if (whole.length <= keptCharacters) return whole
  const note = `[cut: of ${whole.length} characters only the beginning and the end are kept]`
  return headAndTail(whole, whole, keptCharacters, note)
}

/** The line instead of a result: what it was, and where all of it is kept. */
export function stubWords({ use, tokens }: OldResult, keptIn: string | undefined): string {
  const where = keptIn === undefined ? "Make the call again if it is needed." : `All of it is in ${keptIn}.`
  return `[The result of ${actWords(use)} was left out to make room: about ${tokens} tokens. ${where}]`
}

export const wonBy = (old: readonly OldResult[], texts: readonly string[]): number =>
  old.reduce((sum, { tokens }, index) => sum + tokens - Math.ceil((texts[index]?.length ?? 0) / 4), 0)
