/** How long an answer may become where a budget leaves less than usual. */

import type { ModelFacts, Request } from "#agent/words/model.ts"
import type { Weight } from "#agent/words/weight.ts"
import { budgets, thinks } from "#agent/words/thinking.ts"

/** Shorter answers seldom finish even one call. */
const leastAnswer = 1_000
/** Providers accept no smaller thinking budget. */
const leastThinking = 1_024

/** With less output than this, a request is not worth its price; with the short prompt, one call is enough. */
export function leastOutputOf(
  { maxTokens, thinking }: Request,
  { thinks: ability }: ModelFacts,
  prompt: "full" | "short" = "full",
): number {
  const answer = prompt === "short" ? shortest : leastAnswer
  return Math.min(maxTokens, answer + (thinks(thinking, ability) ? leastThinking : 0))
}

/** The same request with less output; thinking leaves room for the answer. */
export function withOutput(request: Request, maxTokens: number, { thinks: ability }: ModelFacts): Request {
  if (maxTokens >= request.maxTokens) return request
  const { thinking } = request
  const lowered = { ...request, maxTokens }
  // Models that think by default decide themselves how much.
  if (!thinks(thinking, ability) || ability?.byDefault === true) return lowered
  const wanted = thinking.tokens ?? budgets[thinking.effort ?? "medium"]
  const tokens = Math.min(wanted, Math.max(maxTokens - leastAnswer, leastThinking))
  return { ...lowered, thinking: { ...thinking, tokens } }
}

/** Servers of larger models count by themselves, and end an answer where the window does. */
const countedWindow = 100_000
/** An answer shorter than this is not worth a request. */
const shortest = 256

/** How long an answer may become beside a prompt, which is partly estimated. */
export function roomBeside({ window }: Pick<ModelFacts, "window">, { tokens, most }: Weight): number {
  if (window >= countedWindow) return window
  return Math.max(shortest, window - Math.min(most, Math.ceil(tokens * 1.25)))
}
