/** What the session of a lead offers members that run in other processes, and what it needs to start them there. */

import type { Budget } from "#agent/words/budget.ts"
import type { ChildWorktree } from "#agent/words/child.ts"
import type { SharedBudget } from "#kits/budget/ledger.ts"
import type { ChildRemains, SpawnAsk } from "#kits/subagents/child.ts"
import type { JsonObject } from "#lib/json.ts"
import type { Result } from "#lib/result.ts"
import type { SideSpent } from "#session/request/side-request.ts"
import type { Inherited } from "./inherited.ts"
import type { Upward } from "./upward.ts"

export interface LeadPort {
  readonly inherited: () => Inherited
  readonly onRules: (listener: () => void) => () => void
  /** What the session of a member is opened with, besides what it inherits. */
  readonly openingFor: (ask: SpawnAsk, worktree: ChildWorktree | undefined) => JsonObject
  readonly placeFor: (ask: SpawnAsk) => Promise<Result<MemberPlace, string>>
  readonly up: () => Upward
  readonly onSpent: (spent: SideSpent) => void
  /** Books what a member paid while no lead was there to hear of it: its own log says more than this one's. */
  readonly bookUnreported: (agentId: string, who: string) => void
  readonly hosts: MemberHosts
}

export interface MemberPlace {
  readonly worktree: ChildWorktree | undefined
  /** What is left of it once the member has ended. */
  readonly finish: () => Promise<Omit<ChildRemains, "commands">>
}

export interface StartedProcess {
  readonly pid: number
  /** The last thing it said on its standard error, if that is known. */
  readonly said: () => string | undefined
}

/** Where members run, if not in the lead's process: one of the two. */
export interface MemberHosts {
  readonly processes?: MemberProcesses | undefined
  readonly sessions?: MemberSessions | undefined
}

/** Members as sessions of their own, which go on whether that of their lead is open or not. `id` is that of the agent. */
export interface MemberSessions {
  /** Starting the same again starts nothing. The failure is a sentence. */
  readonly start: (ask: {
    readonly id: string
    readonly team: string
    readonly name: string
    readonly prompt: string
    readonly cwd: string
    /** In a clone of its own. */
    readonly branch?: string | undefined
    readonly opening: JsonObject
  }) => Promise<Result<void, string>>
  /** Whether the member is a session, rather than an agent of its lead's process. */
  readonly has: (id: string) => Promise<boolean>
  /** Present where the lead works in a clone, which no other machine has. */
  readonly clones?: MemberClones | undefined
  /** Ends it for good. */
  readonly stop: (id: string) => Promise<void>
  /** Why it will not go on, as a sentence; undefined if it does. */
  readonly lost: (id: string) => Promise<string | undefined>
  readonly publish: (team: string, inherited: Inherited) => Promise<void>
  /** The lead's budget as its members share it. */
  readonly share: (budget: () => Budget) => SharedBudget
}

/** Members in clones of their own, which begin with what the lead has committed. */
export interface MemberClones {
  readonly branchOf: (ask: { readonly id: string; readonly team: string; readonly name: string }) => string
  /** Brings what the member has committed into the lead's clone; undefined if it has no clone. The failure is a sentence without its end. */
  readonly bring: (id: string) => Promise<Result<{ readonly uncommitted: readonly string[] }, string> | undefined>
}

/** How processes are started here. */
export interface MemberProcesses {
  /** The failure is a sentence. */
  readonly start: (ask: {
    readonly team: string
    readonly name: string
    readonly opening: JsonObject
  }) => Promise<Result<StartedProcess, string>>
}
