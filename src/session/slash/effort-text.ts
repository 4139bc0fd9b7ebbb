/** Thinking levels as text: which one is chosen, and what the model does with it. */

import { type Effort, effortLevels, nearestEffort, thinks } from "#agent/words/thinking.ts"
import { forConsent } from "#lib/printable.ts"
import type { ThinkingOverview } from "#session/port/query.ts"
import { currentMark, numbered } from "./rows.ts"

export interface EffortRow {
  readonly level: Effort | "auto"
  readonly about: string
  readonly isCurrent: boolean
}

const abouts: { readonly [level in Effort]: string } = {
  low: "fastest and cheapest, for simple tasks",
  medium: "balanced",
  high: "for hard problems",
  xhigh: "for long autonomous tasks",
  max: "no limit on tokens",
}

/** The levels that make a difference with this model, highest last. */
export function effortRows({ chosen, ability }: ThinkingOverview): readonly EffortRow[] {
  const taken = ability === undefined || ability.efforts.length === 0 ? effortLevels : ability.efforts
  const current = chosen.effort === undefined ? "auto" : nearestEffort(chosen.effort, taken)
  const usual = ability?.usual
  return [
    {
      level: "auto",
      about: usual === undefined ? "the model decides" : `the model's default, ${usual}`,
      isCurrent: current === "auto",
    },
    ...taken.map((level) => ({ level, about: abouts[level], isCurrent: level === current })),
  ]
}

export const effortLines = (overview: ThinkingOverview): string =>
  [
    thinkingLine(overview),
    ...numbered(effortRows(overview).map(({ level, about, isCurrent }) => [level, about, currentMark(isCurrent)])),
    "/effort <level> changes it.",
  ].join("\n")

function thinkingLine({ model, chosen, ability }: ThinkingOverview): string {
  const { effort, tokens } = chosen
  const isOff = !thinks(chosen, ability)
  const state = isOff ? (ability?.stops === "never" ? "cannot be turned off" : "off") : "on"
  const taken =
    effort === undefined || !ability || ability.efforts.length === 0 ? effort : nearestEffort(effort, ability.efforts)
  const much = effort === undefined ? (tokens === undefined ? "auto" : `up to ${tokens} thinking tokens`) : effort
  const fitted = taken === effort ? "" : ` (${forConsent(model)} uses ${taken ?? "its own"})`
  return `Effort: ${much}${fitted} · Thinking: ${state}`
}
