/** What waits for people, what they decide, and links that decide. */

import type { FleetApproval, Lease, WorkspaceSource } from "#fleet/records.ts"
import type { JsonObject } from "#lib/json.ts"
import type { Result } from "#lib/result.ts"
import type { Fenced } from "./failures.ts"

export interface Decision {
  readonly sessionId: string
  readonly approvalId: string
  readonly digest: string
  readonly allows: boolean
  readonly answer: JsonObject
  readonly by: string
  /** How it came, where it was not on the page or by the API. */
  readonly through?: "link"
}

/** `isEffective`: this decision is the one that counts; otherwise an earlier one does. */
export interface DecisionOutcome {
  readonly approval: FleetApproval
  readonly isEffective: boolean
}

export type DecisionFailure =
  | { readonly kind: "no_such_approval" }
  /** What was shown is not what would be done now. */
  | { readonly kind: "void"; readonly approval: FleetApproval }
  | { readonly kind: "expired"; readonly approval: FleetApproval }

/** With where it was to be done. */
export interface PastDecision {
  readonly approval: FleetApproval
  readonly workspace: WorkspaceSource
}

export interface ApprovalPage {
  readonly approvals: readonly FleetApproval[]
  /** Absent if nothing follows. */
  readonly next?: string
  /** How many wait in all. */
  readonly total: number
}

export interface FleetApprovals {
  readonly decide: (decision: Decision) => Promise<Result<DecisionOutcome, DecisionFailure>>
  /** All that wait, perhaps only in sessions of one user, or those of sessions with what became of them; oldest first. */
  readonly open: (createdBy?: string) => Promise<readonly FleetApproval[]>
  /** Some of those that wait, oldest first; `after` is the `next` of the page before. */
  readonly openPage: (wish: {
    readonly createdBy?: string | undefined
    readonly limit: number
    readonly after?: string | undefined
  }) => Promise<ApprovalPage>
  readonly of: (sessionId: string) => Promise<readonly FleetApproval[]>
  /** What people decided about calls of tools, newest first: in one session, or in those of one user, or anywhere. */
  readonly decided: (wish: {
    readonly sessionId?: string | undefined
    readonly createdBy?: string | undefined
  }) => Promise<readonly PastDecision[]>
  /** Without details. */
  readonly ofAll: (sessionIds: readonly string[]) => Promise<readonly FleetApproval[]>
  /** Said before what was allowed runs, with the input it runs with; once for each. */
  readonly ran: (lease: Lease, approvalId: string, action: FleetApproval["action"]) => Promise<Result<void, Fenced>>
  /** Those whose time is over; their sessions are woken. */
  readonly expire: () => Promise<readonly FleetApproval[]>
}

/** A link that decides about one approval as one person, once. Only a digest of its secret is kept. */
export interface DecisionLink {
  readonly who: string
  /** Absent if that is said when it is used: of a plan, or a question. */
  readonly allows?: boolean
  readonly isUsed: boolean
  readonly isExpired: boolean
  /** What it was made for is not what would be decided now. */
  readonly isChanged: boolean
  readonly approval: FleetApproval
}

export type LinkFailure =
  { readonly kind: "no_such_link" } | { readonly kind: "used" } | { readonly kind: "late" } | DecisionFailure

export interface FleetDecisionLinks {
  /** For the approval of a delivery. */
  readonly make: (
    deliveryId: string,
    link: {
      readonly secret: string
      readonly who: string
      readonly allows?: boolean | undefined
      readonly forMs: number
    },
  ) => Promise<void>
  readonly find: (secret: string) => Promise<DecisionLink | undefined>
  /** `said` counts only for a link that leaves it open. */
  readonly use: (
    secret: string,
    said: Pick<Decision, "allows" | "answer">,
  ) => Promise<Result<DecisionOutcome, LinkFailure>>
}
