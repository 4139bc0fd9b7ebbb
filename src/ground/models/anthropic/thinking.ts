/** How each model is told to think, in the provider's words. */

import type { Thinking } from "#agent/words/model.ts"
import type { JsonObject } from "#lib/json.ts"
import type { ThinkingStyle } from "./releases.ts"

const leastBudget = 1_024

/** The fields of a request that say whether and how much to think; none where the model's own way is meant. */
export function thinkingFields(thinking: Thinking, style: ThinkingStyle, maxTokens: number): JsonObject {
  if (thinking.type === "off") return off(style)
  if (style !== "budget") return { thinking: adaptive, output_config: { effort: effortFor(thinking.tokens) } }
  // The budget must leave room for the answer; where there is no room for the least one, the model just answers.
  const budget = Math.min(Math.max(thinking.tokens, leastBudget), maxTokens - 1)
  return budget < leastBudget ? {} : { thinking: { type: "enabled", budget_tokens: budget } }
}

/** Newer models keep what they think to themselves, and with it what they say between calls, unless asked for a summary. */
const adaptive: JsonObject = { type: "adaptive", display: "summarized" }

function off(style: ThinkingStyle): JsonObject {
  switch (style) {
    case "budget":
    case "adaptive":
      return {}
    case "default_on":
      return { thinking: { type: "disabled" } }
    case "between_tools":
      return { thinking: { type: "between_tools" } }
    case "always":
      return { thinking: adaptive }
  }
}

/** Models that take no budget take an effort: the nearest to what the budget meant. */
function effortFor(tokens: number): "low" | "medium" | "high" | "max" {
  if (tokens <= 4_000) return "low"
  if (tokens <= 10_000) return "medium"
  return tokens <= 32_000 ? "high" : "max"
}
