/** What the server answers about what can be chosen, and about what sessions cost over time. */

import type { PermissionMode } from "#agent/words/permission.ts"
import type { UserRole } from "#fleet/records.ts"
import type { QuietHours } from "#fleet/quiet-hours.ts"
import type { SessionTemplate } from "#fleet/store/lists.ts"
import type { ShownApproval } from "#session/port/approval.ts"

export interface Choices {
  /** Newest first, each with the branches that were named. */
  readonly repositories: readonly { readonly place: string; readonly refs: readonly string[] }[]
  readonly models: readonly string[]
  /** The one of the last session. */
  readonly mode?: PermissionMode
  readonly templates: readonly SessionTemplate[]
  /** Whose sessions can be looked for. */
  readonly people: readonly string[]
}

export const usageKinds = ["person", "repository", "model"] as const
export type UsageKind = (typeof usageKinds)[number]

/** Those that cost most by name, and what is left as one. */
export interface Usage {
  readonly days: readonly string[]
  readonly shares: readonly {
    readonly name: string
    readonly costUsd: number
    readonly sessions: number
    /** For each day. */
    readonly costs: readonly number[]
    readonly counts: readonly number[]
  }[]
}

export const quotaOwners = ["user", "repository", "fleet"] as const
export const quotaKinds = ["sessions", "usd_per_day", "usd_per_month"] as const

/** Something that the settings limit, and how much of it is used. */
export interface Quota {
  readonly of: (typeof quotaOwners)[number]
  readonly name: string
  readonly what: (typeof quotaKinds)[number]
  readonly used: number
  readonly most: number
  readonly queued?: number
  /** Which setting says so. */
  readonly setting: string
}

/** Fullest first, after those of whoever asks. */
export interface Quotas {
  readonly quotas: readonly Quota[]
}

export interface Sharing {
  readonly people: readonly { readonly name: string; readonly role: UserRole }[]
}

export interface SharedLink {
  readonly link: string
}

export interface SharedSession {
  readonly sessionId: string
}

export interface ShownDevice {
  readonly id: string
  readonly label: string
  readonly addedAt: string
  readonly toldAt?: string
}

/** How somebody is told of what waits. */
export interface Notifications {
  /** What browsers subscribe with; absent where devices are not told. */
  readonly serverKey?: string
  readonly devices: readonly ShownDevice[]
  readonly hearsAll: boolean
  /** Whether there is more than what is theirs. */
  readonly mayHearAll: boolean
  readonly quiet?: QuietHours
  /** What else tells them, as the settings of the server say. */
  readonly channels: readonly string[]
}

export const linkDecisions = ["allow", "deny", "answer"] as const
export const linkStates = ["open", "used", "expired", "changed", "decided", "forbidden"] as const

/** What a link would decide. Nothing of the action is shown if it can decide nothing any more. */
export interface LinkedDecision {
  readonly who: string
  readonly decision: (typeof linkDecisions)[number]
  readonly state: (typeof linkStates)[number]
  readonly sessionTitle: string
  readonly decided?: { readonly state: "allowed" | "denied"; readonly by: string }
  readonly approval?: ShownApproval
}
