/** What people find and choose on the page, and what operators count. */

import type { PermissionMode } from "#agent/words/permission.ts"
import type { SessionStage } from "#agent/words/stage.ts"
import type { NewSession, SessionOpening } from "#fleet/records.ts"

/** What people find and choose on the page. */
export interface FleetLists {
  /** The ids of sessions, newest first; `after` is the id of the last one seen. */
  readonly find: (wish: {
    readonly words?: string | undefined
    readonly createdBy?: string | undefined
    /** Only sessions of this user are looked at. */
    readonly visibleTo?: string | undefined
    readonly stages?: readonly SessionStage[] | undefined
    /** A folder or the address of a repository. */
    readonly place?: string | undefined
    readonly model?: string | undefined
    readonly limit: number
    readonly after?: string | undefined
  }) => Promise<readonly string[]>
  /** What somebody chose for their last sessions, newest first. */
  readonly chosen: (
    createdBy: string,
  ) => Promise<readonly Pick<NewSession & SessionOpening, "workspace" | "model" | "mode">[]>
  /** Everybody who may come in. */
  readonly people: () => Promise<readonly string[]>
  /** Sessions that were begun in so many last milliseconds. */
  readonly usage: (sinceMs: number, createdBy?: string) => Promise<readonly SessionUsage[]>
  readonly templates: () => Promise<readonly SessionTemplate[]>
  readonly saveTemplate: (template: SessionTemplate, by: string) => Promise<void>
  readonly removeTemplate: (name: string, by: string) => Promise<boolean>
}

/** A session that can be started again and again; what is left out is chosen then. */
export interface SessionTemplate {
  readonly name: string
  readonly prompt: string
  readonly place?: string
  readonly ref?: string
  readonly mode?: PermissionMode
  readonly model?: string
}

export interface SessionUsage {
  readonly at: number
  readonly by: string
  readonly model: string
  readonly costUsd: number
  readonly workspace: SessionOpening["workspace"]
}

/** Of what is not over, for whoever operates it. */
export interface FleetFigures {
  readonly sessions: ReadonlyMap<string, number>
  readonly held: number
  readonly approvals: number
  readonly oldestApprovalMs: number
  readonly workers: number
  readonly slots: number
  readonly deliveries: number
}
