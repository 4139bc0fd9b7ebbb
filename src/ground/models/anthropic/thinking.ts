/** How each model is told to think, in the provider's terms. */

import { budgets, type Effort, effortFor, nearestEffort, type Thinking, thinks } from "#agent/words/thinking.ts"
import type { JsonObject } from "#lib/json.ts"
import type { ClaudeFacts, ThinkingStyle } from "./releases.ts"

const leastBudget = 1_024

/** Empty where the model's default is wanted. */
export function thinkingFields(
  thinking: Thinking,
  { thinking: style, thinks: ability }: Pick<ClaudeFacts, "thinking" | "thinks">,
  maxTokens: number,
): JsonObject {
  const isOn = thinks(thinking, ability)
  const fields = isOn ? on(thinking, style, maxTokens) : off(thinking, style)
  const meant = thinking.effort ?? (style === "budget" || !isOn ? undefined : effortFor(thinking.tokens))
  const effort = meant && nearestEffort(meant, takenWith(fields, ability.efforts))
  return { ...fields, ...(effort !== undefined && { output_config: { effort } }) }
}

type ThinkingFields = { readonly thinking?: JsonObject }

function on(thinking: Thinking, style: ThinkingStyle, maxTokens: number): ThinkingFields {
  if (style !== "budget") return { thinking: adaptive(thinking) }
  // The budget must leave room for the answer; where there is no room for the least one, the model just answers.
  const wanted = thinking.tokens ?? budgets[thinking.effort ?? "medium"]
  const budget = Math.min(Math.max(wanted, leastBudget), maxTokens - 1)
  return budget < leastBudget ? {} : { thinking: { type: "enabled", budget_tokens: budget } }
}

/** Newer models do not show their thinking, nor what they say between calls, unless asked for a summary. */
const adaptive = ({ summaries }: Thinking): JsonObject => ({
  type: "adaptive",
  ...(summaries !== "hidden" && { display: "summarized" }),
})

function off(thinking: Thinking, style: ThinkingStyle): ThinkingFields {
  switch (style) {
    case "budget":
    case "adaptive":
      return {}
    case "default_on":
      return { thinking: { type: "disabled" } }
    case "between_tools":
      return { thinking: { type: "between_tools" } }
    case "always":
      return { thinking: adaptive(thinking) }
  }
}

/** The highest levels are refused without thinking. */
const takenWith = ({ thinking }: ThinkingFields, efforts: readonly Effort[]): readonly Effort[] =>
  thinking?.type === "disabled" ? efforts.filter((level) => level !== "xhigh" && level !== "max") : efforts
