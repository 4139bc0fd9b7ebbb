/** What is known of the sessions of a fleet, their approvals and the workers that run them. */

import type { GateOverview, GateName } from "#agent/words/gates.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import type { SessionStage } from "#agent/words/stage.ts"
import type { JsonObject } from "#lib/json.ts"
import type { Approval, ApprovalKind, ApprovalState } from "#session/port/approval.ts"
import type { PlanOverview } from "#session/port/stage-overview.ts"
import type { FleetOp } from "./ops.ts"

/** A folder of the worker's own machine, or a repository that any worker can reach. */
export type WorkspaceSource =
  { readonly path: string } | { readonly git: { readonly url: string; readonly ref?: string | undefined } }

/** Where a session stops for a person besides its permissions. */
export interface SessionGates {
  readonly clarify?: boolean | undefined
  readonly plan?: boolean | undefined
  readonly files?: boolean | undefined
  readonly git?: boolean | undefined
  readonly testFirst?: boolean | undefined
}

/** What the worker that opens a session needs to know, besides what is shown of it. */
export interface SessionOpening {
  readonly workspace: WorkspaceSource
  readonly budgetUsd?: number | undefined
  /** If it is a member of a team: what its lead wrote down. Nobody else can. */
  readonly member?: JsonObject
  /** The branch of a member that has a clone of its own. */
  readonly branch?: string
  readonly gates?: SessionGates | undefined
  /** Gates of the worker's settings that it does not have: only an admin says so. */
  readonly openGates?: readonly GateName[] | undefined
  /** An admin began it in the mode bypassPermissions, so it may have that mode whoever opens it. */
  readonly mayBypass?: boolean | undefined
  /** Those who are not admins may answer in it, so nothing it runs leaves the sandbox. */
  readonly confined?: boolean | undefined
}

export interface NewSession {
  readonly id: string
  readonly title: string
  readonly query: string
  readonly mode: PermissionMode
  /** Empty until a worker says which: the one of its own settings. */
  readonly model: string
  readonly opening: SessionOpening
  /** Only workers that have all of them take it. */
  readonly labels: readonly string[]
  /** The session that leads the team it is a member of. */
  readonly lead?: string
}

export interface FleetSession extends NewSession {
  readonly stage: SessionStage
  readonly clarifiedQuery?: string
  readonly plan?: PlanOverview
  /** Absent until a worker has opened it: which gates it has depends on settings and the project. */
  readonly gates?: readonly GateOverview[]
  readonly costUsd: number
  readonly result?: { readonly ok: boolean; readonly text: string }
  /** Who holds it now; always absent while it waits for a person. */
  readonly worker?: { readonly id: string; readonly pid: number; readonly host: string }
  /** Where its folder must be, if it waits for a worker and none that lives makes its folders there. */
  readonly needs?: string
  /** Why no worker that runs can take it, if it waits for one: a sentence or two. */
  readonly stuck?: string
  /** Why it has not started although somebody could: it is one too many for a person or a repository. */
  readonly queued?: string
  /** What whoever asks is in it, because it was shared with them. */
  readonly granted?: UserRole
  /** How many lines of its log have arrived. */
  readonly lines: number
  /** The number of its newest event. */
  readonly events: number
  readonly createdBy: string
  readonly createdAt: number
  readonly updatedAt: number
}

/** What a worker may say about the session it holds. */
export type SessionNews = Partial<
  Pick<FleetSession, "title" | "mode" | "model" | "stage" | "clarifiedQuery" | "plan" | "gates" | "costUsd" | "result">
>

/** The right to run a session. `fence` is higher than that of every earlier lease; whoever has an older one can change nothing. */
export interface Lease {
  readonly sessionId: string
  readonly worker: string
  readonly fence: number
}

/** How many sessions may be at work at a time. */
export interface SessionQuotas {
  readonly userSessions?: number | undefined
  readonly repositorySessions?: number | undefined
}

export interface NewWorker {
  readonly id: string
  readonly pid: number
  readonly host: string
  readonly slots: number
  readonly labels: readonly string[]
  /** Where it makes folders for sessions: those that have theirs elsewhere are not for it. Anywhere when absent. */
  readonly workplaces?: string
  /** Whether it is told of what is due while it has room. */
  readonly takesMore?: boolean
}

export interface FleetWorker extends NewWorker {
  readonly busy: number
  readonly seenAt: number
}

export interface NewApproval extends Approval {
  readonly expiresAt?: number
  /** From when it is kept, by the database's clock. */
  readonly expiresInMs?: number
}

/** `details` are kept only while it is open: the log has them too. */
export interface FleetApproval extends Omit<NewApproval, "expiresInMs"> {
  readonly sessionId: string
  /** In lists of what waits, with whose session it is. */
  readonly sessionTitle?: string
  readonly sessionBy?: string
  readonly state: ApprovalState
  readonly createdAt: number
  readonly decidedAt?: number
  readonly decidedBy?: string
  /** What the session is told: the answer to its question. */
  readonly answer?: JsonObject
}

/** An op that waits for whoever holds its session, or was done. `id` is chosen by the sender; the prompt of a message has it too, so it is sent once. */
export interface QueuedOp {
  readonly id: string
  readonly sessionId: string
  /** Absent if this version of the program does not know it. */
  readonly op?: FleetOp
  readonly by: string
  readonly at: number
  readonly doneAt?: number
  /** What came of it. */
  readonly answer?: OpAnswer
}

export type OpAnswer =
  { readonly ok: true; readonly value: JsonObject } | { readonly ok: false; readonly message: string }

/**
 * What happened in a session, in order. An entry is a line of its log. A moment passes: it is kept until the session is set aside, or much has
 * happened since.
 */
export interface FleetEvent {
  readonly seq: number
  readonly type: "entry" | "moment" | "stage" | "approval"
  readonly data: string
}

/** What machines need to know of a session that was erased, to remove what they have of it. */
export interface ErasedSession {
  readonly seq: number
  readonly sessionId: string
  readonly folder?: string
  /** The folder that it worked in, if that was not its own. */
  readonly cwd?: string
  readonly snapshots: readonly string[]
  /** The repository that still has a ref of it. */
  readonly source?: string
}

/** Who does what nobody asked for, in the audit. No user has these names. */
export const programNames = { budget: "budget", webhooks: "webhooks", retention: "retention" } as const

export const roles = ["viewer", "operator", "admin"] as const
export type UserRole = (typeof roles)[number]

export interface TokenOwner {
  readonly name: string
  readonly role: UserRole
}

export interface AuditEntry {
  readonly seq: number
  readonly at: number
  readonly who: string
  readonly what: string
  readonly sessionId?: string
  /** As it was called then. */
  readonly sessionTitle?: string
  readonly approvalId?: string
  readonly details?: AuditDetails
}

/** Long texts are cut; digests are of all of them. */
export interface AuditDetails {
  readonly kind?: ApprovalKind
  /** Of the approval, as it was shown. */
  readonly title?: string
  readonly tool?: string
  readonly command?: string
  readonly files?: readonly string[]
  /** Of everything that was shown: the one that the decision named. */
  readonly digest?: string
  /** Of the tool and its input as shown, as allowed, and as it ran: the same unless somebody edited it. */
  readonly shown?: string
  readonly allowed?: string
  readonly ran?: string
  /** What was edited. */
  readonly before?: JsonObject
  readonly after?: JsonObject
  readonly answers?: JsonObject
  /** What the model was told with a no. */
  readonly message?: string
  /** Where somebody came from. */
  readonly address?: string
  /** Why they could not come in, as they were told. */
  readonly reason?: string
}
