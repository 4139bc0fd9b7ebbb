/** Who may come in, what was shared with them, and what they spend. */

import type { AgentSpending, OthersSpending, ProcessSpending } from "#agent/words/budget.ts"
import type { Lease, TokenOwner, UserRole } from "#fleet/records.ts"
import type { Result } from "#lib/result.ts"
import type { Fenced, NoSuchSession } from "./failures.ts"

export interface FleetTokens {
  readonly add: (
    owner: TokenOwner,
    secret: string,
    expiresAt: number | undefined,
    by: string,
  ) => Promise<Result<void, { readonly kind: "name_taken" }>>
  readonly revoke: (name: string, by: string) => Promise<boolean>
  /** Those that are valid now. */
  readonly list: () => Promise<readonly (TokenOwner & { readonly expiresAt?: number })[]>
  readonly owner: (digest: string) => Promise<TokenOwner | undefined>
  /** A browser shows `secret` from now on instead of the token with this digest, and is nobody once that token is not valid any more. */
  readonly signIn: (secret: string, token: string, forMs: number) => Promise<void>
  /** The digest of the token that was signed in with. */
  readonly signedIn: (secret: string) => Promise<string | undefined>
  readonly signOut: (secret: string) => Promise<void>
  /** What somebody was when they were last here, or is by a token; undefined if neither is known. */
  readonly roleOf: (name: string) => Promise<UserRole | undefined>
  /** Somebody without a token was here. */
  readonly remember: (owner: TokenOwner) => Promise<void>
}

/** Sessions that others may look at or act in, because somebody shared them. */
export interface FleetSharing {
  /** What somebody is in a session that was shared with them. */
  readonly roleOf: (sessionId: string, who: string) => Promise<UserRole | undefined>
  readonly with: (sessionId: string) => Promise<readonly { readonly who: string; readonly role: UserRole }[]>
  readonly makeLink: (
    sessionId: string,
    link: { readonly secret: string; readonly role: UserRole; readonly forMs: number },
    by: string,
  ) => Promise<void>
  /** Returns the session that it is for. */
  readonly redeem: (secret: string, who: TokenOwner) => Promise<Result<string, { readonly kind: "no_such_link" }>>
  /** With everybody if nobody is named; links to it are over too. */
  readonly revoke: (sessionId: string, who: string | undefined, by: string) => Promise<number>
  readonly handOver: (
    sessionId: string,
    to: string,
    by: string,
  ) => Promise<Result<void, NoSuchSession | { readonly kind: "no_such_user" }>>
}

/** What sessions cost, by the day (UTC) and by whoever created them. */
export interface SpentUsd {
  readonly day: number
  readonly month: number
}

export interface Spent {
  readonly day: string
  readonly users: ReadonlyMap<string, SpentUsd>
  readonly repositories: ReadonlyMap<string, SpentUsd>
}

export interface AtWork {
  readonly held: number
  readonly queued: number
}

export interface RunningSession {
  readonly id: string
  readonly createdBy: string
  readonly repository: string
}

export interface FleetSpending {
  /** Today and in this month, by the database's clock, of those that have spent anything. */
  readonly spent: () => Promise<Spent>
  /** How many sessions are at work or queued, of those who have any. */
  readonly atWork: () => Promise<{
    readonly users: ReadonlyMap<string, AtWork>
    readonly repositories: ReadonlyMap<string, AtWork>
  }>
  /** The sessions that somebody runs right now. */
  readonly running: () => Promise<readonly RunningSession[]>
  /**
   * For the budget of a session and its members, whoever of them asks: nobody else reserves meanwhile. `work` gets what the others have spent and
   * reserved, and returns what this one has now; it may be called again, and the last time counts.
   */
  readonly inTurn: (
    lease: Lease,
    lead: string,
    work: (others: OthersSpending) => ProcessSpending | undefined,
  ) => Promise<Result<void, Fenced>>
  /** What a session has spent of such a budget. */
  readonly of: (sessionId: string) => Promise<AgentSpending>
}
