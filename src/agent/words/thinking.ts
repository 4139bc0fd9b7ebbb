/** How much a model thinks: the chosen setting, a model's abilities, and raising the setting for one turn. */

export const effortLevels = ["low", "medium", "high", "xhigh", "max"] as const
export type Effort = (typeof effortLevels)[number]

/** The chosen setting. A provider adapts it to the model that answers. */
export interface Thinking {
  /** `auto`: models that think by default do. */
  readonly type: "off" | "auto" | "on"
  /** The model's own default when absent. */
  readonly effort?: Effort
  /** For models that take a token budget. */
  readonly tokens?: number
  /** `hidden`: do not ask for summaries of the model's thoughts. */
  readonly summaries?: "hidden"
}

export interface ThinkingAbility {
  /** Lowest first. Empty for models that only take a token budget. */
  readonly efforts: readonly Effort[]
  readonly usual?: Effort
  /** Whether it thinks on `auto`. */
  readonly byDefault: boolean
  /** `never`: it always thinks. */
  readonly stops?: "never"
}

export const isEffort = (value: unknown): value is Effort => effortLevels.some((level) => level === value)

/** The highest supported level not above `wanted`; the lowest if all are above. */
export const nearestEffort = (wanted: Effort, taken: readonly Effort[]): Effort | undefined =>
  taken.findLast((level) => rank(level) <= rank(wanted)) ?? taken[0]

/** Whether the setting makes a model think. An effort or a budget does so for models without effort levels. */
export function thinks({ type, effort, tokens }: Thinking, ability: ThinkingAbility | undefined): boolean {
  if (type !== "auto") return type === "on"
  return ability?.byDefault === true || tokens !== undefined || (effort !== undefined && ability?.efforts.length === 0)
}

/** The same setting with at least this effort, and switched on; the identical object if nothing changes. */
export function raised(thinking: Thinking, least: Effort, ability: ThinkingAbility | undefined): Thinking {
  const now = thinking.effort ?? (thinking.tokens === undefined ? ability?.usual : undefined)
  const isEnough =
    now === undefined ? thinking.tokens !== undefined && thinking.tokens >= budgets[least] : rank(now) >= rank(least)
  if (isEnough) return thinks(thinking, ability) ? thinking : { ...thinking, type: "on" }
  const { tokens: _tokens, ...rest } = thinking
  return { ...rest, type: "on", effort: least }
}

/** The token budget for a level, for models that only take a budget. */
export const budgets: { readonly [level in Effort]: number } = {
  low: 4_000,
  medium: 10_000,
  high: 16_000,
  xhigh: 24_000,
  max: 31_999,
}

/** Models without a budget take an effort: the one nearest to the budget. */
export function effortFor(tokens: number | undefined): Effort | undefined {
  if (tokens === undefined) return undefined
  if (tokens <= budgets.low) return "low"
  if (tokens <= budgets.medium) return "medium"
  return tokens <= 32_000 ? "high" : "max"
}

/** Empty where nothing was chosen. */
export function thinkingText({ type, effort, tokens }: Thinking): string {
  if (type === "off") return effort === undefined ? "thinking off" : `${effort} effort, thinking off`
  if (effort !== undefined) return `${effort} effort`
  if (tokens !== undefined) return `thinking up to ${tokens} tokens`
  return type === "on" ? "thinking on" : ""
}

export const isSameThinking = (a: Thinking, b: Thinking): boolean =>
  a === b || (a.type === b.type && a.effort === b.effort && a.tokens === b.tokens && a.summaries === b.summaries)

const rank = (level: Effort): number => effortLevels.indexOf(level)
