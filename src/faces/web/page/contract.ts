/** What the server answers: the shapes of the HTTP API, for the schemas that describe it, the server that makes it and the page that reads it. */

import type { GateOverview } from "#agent/words/gates.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import type { MailType, MemberState, TaskStatus } from "#agent/words/team.ts"
import type { SessionStage } from "#agent/words/stage.ts"
import type { AuditDetails, UserRole, WorkspaceSource } from "#fleet/records.ts"
import type { ApprovalState, ShownApproval } from "#session/port/approval.ts"
import type { PlanOverview } from "#session/port/stage-overview.ts"

export interface Inbox {
  /** The oldest of them. */
  readonly approvals: readonly ShownApproval[]
  readonly next?: string
  /** Of a page: how many wait in all. */
  readonly total?: number
}

export interface DecidedApproval {
  readonly approvalId: string
  readonly title: string
  readonly state: ApprovalState
  readonly by: string
  readonly at: string
}

export interface ShownSession {
  readonly id: string
  readonly title: string
  readonly stage: SessionStage
  readonly mode: PermissionMode
  readonly model: string
  readonly query: string
  readonly clarifiedQuery?: string
  readonly plan?: PlanOverview
  readonly gates?: readonly GateOverview[]
  readonly pending: readonly ShownApproval[]
  readonly completed: readonly DecidedApproval[]
  readonly costUsd: number
  readonly worker: { readonly id: string; readonly pid: number; readonly host: string } | null
  readonly needs?: string
  /** Why no worker can take it. */
  readonly stuck?: string
  /** Why it waits although a worker could take it: there are as many sessions at work as may be. */
  readonly queued?: string
  readonly workspace: WorkspaceSource
  readonly createdBy: string
  /** Whether this user may decide, steer and cancel it. */
  readonly mayChange: boolean
  /** Others that work in the same folder: how many, and those that this user sees. Not in lists. */
  readonly sharedWith?: {
    readonly count: number
    readonly sessions: readonly { readonly id: string; readonly title: string }[]
  }
  /** The session that leads the team it is a member of. */
  readonly lead?: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly result?: { readonly ok: boolean; readonly text: string }
}

export interface SessionPage {
  readonly sessions: readonly ShownSession[]
  readonly next?: string
}

/** The newest events of a session, as its stream has them. */
export interface LatestEvents {
  readonly events: readonly { readonly id: number; readonly type: string; readonly data: string }[]
  /** The number of the newest one. */
  readonly total: number
}

export interface ShownWorker {
  readonly id: string
  readonly pid: number
  readonly host: string
  readonly slots: number
  readonly busy: number
  readonly labels: readonly string[]
  readonly seenAt: string
}

export interface WorkerList {
  readonly workers: readonly ShownWorker[]
}

export interface ShownAuditEntry {
  readonly at: string
  readonly who: string
  readonly what: string
  readonly sessionId?: string
  readonly sessionTitle?: string
  readonly approvalId?: string
  readonly details?: AuditDetails
}

export interface AuditPage {
  readonly entries: readonly ShownAuditEntry[]
  readonly next?: string
}

export interface ShownTask {
  readonly id: string
  readonly subject: string
  readonly status: TaskStatus
  readonly owner?: string
  readonly blocks: readonly string[]
  readonly blockedBy: readonly string[]
  readonly attempts: number
}

export interface ShownTeam {
  readonly name: string
  readonly lead: string | null
  readonly members: readonly {
    readonly name: string
    readonly state: MemberState
    readonly sessionId: string
    readonly taskId?: string
    readonly pid: number
  }[]
  readonly tasks: readonly ShownTask[]
  readonly mail: readonly {
    readonly seq: number
    readonly from: string
    readonly to: string
    readonly type: MailType
    readonly summary?: string
    readonly deliveredAt?: string
  }[]
}

export interface SignedIn {
  readonly name: string
  readonly role: UserRole
}

export type Remember = "session" | "project" | "user"

/** What a rule that is offered with an approval would have answered, of the decisions before. */
export interface Coverage {
  /** How many decisions were looked at. */
  readonly compared: number
  readonly allowed: number
  readonly denied: number
  /** The newest of them; those that were denied come first. */
  readonly examples: readonly CoveredDecision[]
}

export interface CoveredDecision {
  readonly sessionId: string
  readonly sessionTitle: string
  readonly approvalId: string
  /** The command, or what it was called. */
  readonly what: string
  readonly state: "allowed" | "denied"
  readonly by: string
  readonly at: string
}
