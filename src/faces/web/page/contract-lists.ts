/** What the server answers about what can be chosen, and about what sessions cost over time. */

import type { PermissionMode } from "#agent/words/permission.ts"
import type { UserRole } from "#fleet/records.ts"
import type { SessionTemplate } from "#fleet/store.ts"

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

export interface Sharing {
  readonly people: readonly { readonly name: string; readonly role: UserRole }[]
}

export interface SharedLink {
  readonly link: string
}

export interface SharedSession {
  readonly sessionId: string
}
