/** What a session may spend, and who spent what. */

/** Absent means no limit. */
export interface Budget {
  readonly usd?: number
  /** All tokens of all requests, input and output. */
  readonly tokens?: number
}

export interface AgentSpending {
  readonly costUsd: number
  readonly tokens: number
  /** The part of the tokens that was sent, and what of that the provider's cache had; only of agents. Absent in older logs. */
  readonly input?: number
  readonly cached?: number
}

/** Of one of several processes that share a budget. */
export interface ProcessSpending {
  readonly spent: AgentSpending
  readonly reserved: AgentSpending
}

/** What other processes have spent and reserved. `reserved`: the part that is only reserved, and so may come back. */
export interface OthersSpending extends AgentSpending {
  readonly reserved?: AgentSpending
}

export const isSameBudget = (a: Budget, b: Budget): boolean => a.usd === b.usd && a.tokens === b.tokens
