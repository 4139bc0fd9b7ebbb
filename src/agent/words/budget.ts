/** What a session may spend, and what was spent by whom. */

/** Absent means no limit. */
export interface Budget {
  readonly usd?: number
  /** All tokens of all requests, in and out. */
  readonly tokens?: number
}

export interface AgentSpending {
  readonly costUsd: number
  readonly tokens: number
}

export const isSameBudget = (a: Budget, b: Budget): boolean => a.usd === b.usd && a.tokens === b.tokens
