/** What the lead's process and those of its members tell each other, through what they share. Nothing here waits: it is written or read at once. */

import type { AgentSpending, OthersSpending } from "./budget.ts"
import type { JsonObject } from "#lib/json.ts"

/** What a member asks of the lead's process. It stays until it is answered, whatever crashes. */
export interface RelayAsk {
  /** Asking the same again with the same id asks nothing new. */
  readonly id: string
  readonly member: string
  readonly kind: RelayAskKind
  readonly body: JsonObject
}

export const relayAskKinds = ["question", "over_budget", "grant", "widen", "update", "warn", "gate", "spent"] as const
export type RelayAskKind = (typeof relayAskKinds)[number]

/** What the lead's process wants of a member's. */
export interface RelayOrder {
  readonly seq: number
  readonly body: JsonObject
}

/** Of one process. */
export interface ProcessSpending {
  readonly spent: AgentSpending
  readonly reserved: AgentSpending
}

export interface Relay {
  /** What the lead hands down: its mode, its rules, its budget. */
  readonly handDown: (handed: JsonObject) => void
  /** The same value as long as it is the same. */
  readonly handed: () => JsonObject | undefined
  readonly ask: (ask: RelayAsk) => void
  /** Those that nobody has answered, oldest first. */
  readonly asks: () => readonly RelayAsk[]
  /** Of several answers the first counts; returns whether it was this one. */
  readonly answer: (id: string, answer: JsonObject) => boolean
  readonly answerTo: (id: string) => JsonObject | undefined
  /** Nobody waits for an answer any more. */
  readonly withdraw: (id: string) => void
  readonly order: (member: string, body: JsonObject) => void
  readonly orders: (member: string, after: number) => readonly RelayOrder[]
  readonly spending: RelaySpending
}

/** The budget of several processes. `run` names one of them. */
export interface RelaySpending {
  /**
   * Nobody else reserves meanwhile. `work` gets what all others have spent and reserved, and returns what this process
   * has now; undefined changes nothing.
   */
  readonly inTurn: (run: string, work: (others: OthersSpending) => ProcessSpending | undefined) => void
  /** What this process has now, and what it spent just now, for the lead's log. */
  readonly settle: (run: string, now: ProcessSpending, spent: RelayAsk, amount: AgentSpending) => void
  /** The lead has it in its own log and counts it as its own. */
  readonly takeOver: (id: string) => void
  /** The process is gone: what it had reserved is free. */
  readonly release: (run: string) => void
}
