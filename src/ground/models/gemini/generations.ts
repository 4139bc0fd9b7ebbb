/** What differs from one generation of Gemini to the next: how a model is told to think, and what it takes back. */

import { budgets, type Effort, nearestEffort, type Thinking, type ThinkingAbility } from "#agent/words/thinking.ts"
import type { JsonObject } from "#lib/json.ts"

/**
 * - `level`: from the third generation on; it always thinks, more or less
 * - `budget`: 2.5, which takes a number of tokens
 * - `none`: takes no word about it
 */
type Style =
  | { readonly kind: "level"; readonly efforts: readonly Effort[]; readonly least: "MINIMAL" | "LOW" }
  | { readonly kind: "budget"; readonly least: number; readonly most: number; readonly off: number }
  | { readonly kind: "none" }

const levels: Style = { kind: "level", efforts: ["low", "medium", "high"], least: "LOW" }

/** As published by Google on 2026-11-17; the first that fits. An unknown name is taken for a new model. */
const styles: readonly (readonly [RegExp, Style])[] = [
  [/^gemini-3-pro/, { kind: "level", efforts: ["low", "high"], least: "LOW" }],
  [/^gemini-3(?:\.[0-6])?-flash/, { kind: "level", efforts: ["low", "medium", "high"], least: "MINIMAL" }],
  [/^gemini-2\.5-pro/, { kind: "budget", least: 128, most: 32_768, off: 128 }],
  [/^gemini-2\.5-flash-lite/, { kind: "budget", least: 512, most: 24_576, off: 0 }],
  [/^gemini-2\.5/, { kind: "budget", least: 1, most: 24_576, off: 0 }],
  [/^gemini-[12](?!\d)|^gemma|^learnlm/, { kind: "none" }],
]

const styleOf = (id: string): Style => styles.find(([pattern]) => pattern.test(bare(id)))?.[1] ?? levels

/** From the third generation on, calls must be signed, and results may contain pictures. */
export const isThirdOrLater = (id: string): boolean => styleOf(id).kind === "level"

const bare = (id: string): string => id.replace(/^.*\//, "").toLowerCase()

/** Empty where the model takes no word about thinking. */
export function thinkingConfig(
  id: string,
  thinking: Thinking,
  ability: ThinkingAbility | undefined,
  maxTokens: number,
): JsonObject {
  const style = styleOf(id)
  if (style.kind === "none") return {}
  const amount = thinking.type === "off" ? least(style) : wanted(style, thinking, ability, maxTokens)
  const isOff = amount.thinkingBudget === 0
  return { thinkingConfig: { ...amount, ...(thinking.summaries !== "hidden" && !isOff && { includeThoughts: true }) } }
}

const least = (style: Exclude<Style, { kind: "none" }>): JsonObject =>
  style.kind === "level" ? { thinkingLevel: style.least } : { thinkingBudget: style.off }

/** Empty for the model's own default. */
function wanted(
  style: Exclude<Style, { kind: "none" }>,
  { type, effort, tokens }: Thinking,
  ability: ThinkingAbility | undefined,
  maxTokens: number,
): JsonObject {
  if (style.kind === "budget") {
    const budget = tokens ?? (effort && budgets[effort])
    // As much as it sees fit, also where it would not think by itself.
    if (budget === undefined) return type === "on" ? { thinkingBudget: -1 } : {}
    // Thoughts count as output: half of it is left for the answer.
    const most = Math.min(style.most, Math.floor(maxTokens / 2))
    return { thinkingBudget: Math.max(Math.min(budget, most), style.least) }
  }
  const meant = effort ?? (tokens === undefined ? undefined : effortFor(tokens))
  const efforts = ability?.efforts.length ? ability.efforts : style.efforts
  const level = meant && nearestEffort(meant, efforts)
  return level ? { thinkingLevel: level === "low" || level === "medium" ? level.toUpperCase() : "HIGH" } : {}
}

const effortFor = (tokens: number): Effort =>
  tokens <= budgets.low ? "low" : tokens <= budgets.medium ? "medium" : "high"
