/** How much a model thinks: what was chosen, what a model can do, and how a choice is raised for one turn. */

export const effortLevels = ["low", "medium", "high", "xhigh", "max"] as const
export type Effort = (typeof effortLevels)[number]

/** What was chosen. A provider fits it to the model that answers. */
export interface Thinking {
  /** `auto`: models that usually think do. */
  readonly type: "off" | "auto" | "on"
  /** The model's own level when absent. */
  readonly effort?: Effort
  /** A budget for models that take one. */
  readonly tokens?: number
  /** `hidden`: no summaries of the model's thoughts are asked for. */
  readonly summaries?: "hidden"
}

/** What a model can be told about thinking. */
export interface ThinkingAbility {
  /** The levels it takes, lowest first. Empty for models that take only a budget of tokens. */
  readonly efforts: readonly Effort[]
  /** The level it works at unless told otherwise. */
  readonly usual?: Effort
  /** Whether it thinks while the choice is `auto`. */
  readonly byDefault: boolean
  /** `never`: it thinks whatever it is told. */
  readonly stops?: "never"
}

export const isEffort = (value: unknown): value is Effort => effortLevels.some((level) => level === value)

/** The highest level that a model takes and that is not above the one wanted; its lowest where all are above. */
export const nearestEffort = (wanted: Effort, taken: readonly Effort[]): Effort | undefined =>
  taken.findLast((level) => rank(level) <= rank(wanted)) ?? taken[0]

/** Whether a choice has a model think. An effort or a budget says so to models that know no other way of working harder. */
export function thinks({ type, effort, tokens }: Thinking, ability: ThinkingAbility | undefined): boolean {
  if (type !== "auto") return type === "on"
  return ability?.byDefault === true || tokens !== undefined || (effort !== undefined && ability?.efforts.length === 0)
}

/** The same choice with at least this effort, and switched on; the very same where it asks for that already. */
export function raised(thinking: Thinking, least: Effort, ability: ThinkingAbility | undefined): Thinking {
  const now = thinking.effort ?? (thinking.tokens === undefined ? ability?.usual : undefined)
  const isEnough =
    now === undefined ? thinking.tokens !== undefined && thinking.tokens >= budgets[least] : rank(now) >= rank(least)
  if (isEnough) return thinks(thinking, ability) ? thinking : { ...thinking, type: "on" }
  const { tokens: _tokens, ...rest } = thinking
  return { ...rest, type: "on", effort: least }
}

/** Tokens that stand for a level where a model takes nothing else. */
export const budgets: { readonly [level in Effort]: number } = {
  low: 4_000,
  medium: 10_000,
  high: 16_000,
  xhigh: 24_000,
  max: 31_999,
}

/** The choice in a few words; empty where nothing was chosen. */
export function thinkingText({ type, effort, tokens }: Thinking): string {
  if (type === "off") return effort === undefined ? "thinking off" : `${effort} effort, thinking off`
  if (effort !== undefined) return `${effort} effort`
  if (tokens !== undefined) return `thinking up to ${tokens} tokens`
  return type === "on" ? "thinking on" : ""
}

export const isSameThinking = (a: Thinking, b: Thinking): boolean =>
  a === b || (a.type === b.type && a.effort === b.effort && a.tokens === b.tokens && a.summaries === b.summaries)

const rank = (level: Effort): number => effortLevels.indexOf(level)
