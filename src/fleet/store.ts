/** What a fleet keeps: behind this port is one database, whichever engine it is. */

import type { TeamAbout, TeamOverview, TeamStore } from "#agent/words/team.ts"
import type { JsonObject, JsonValue } from "#lib/json.ts"
import type { Result } from "#lib/result.ts"
import type { AuditDetails, AuditEntry, Lease } from "./records.ts"
import type { FleetApprovals, FleetDecisionLinks } from "./store/approvals.ts"
import type { FleetErasing } from "./store/erasing.ts"
import type { FleetLines } from "./store/lines.ts"
import type { FleetFigures, FleetLists } from "./store/lists.ts"
import type { FleetSharing, FleetSpending, FleetTokens } from "./store/people.ts"
import type { FleetChanges, FleetComments } from "./store/reviews.ts"
import type { FleetLeases, FleetOps, FleetSessions, WorkerNotice } from "./store/sessions.ts"
import type { FleetDeliveries, FleetNotifying } from "./store/telling.ts"
import type { FleetTrees } from "./store/trees.ts"

/** The teams that sessions lead. Whoever changes one without holding its session gets an exception. */
export interface FleetTeams {
  readonly has: (lead: string, team: string) => Promise<boolean>
  /** It is made if it does not exist. `lead`: the session that leads it, if that is another one. */
  readonly open: (lease: Lease, about: TeamAbout, lead?: string) => Promise<TeamStore>
  readonly remove: (lease: Lease, team: string) => Promise<void>
  /** What holds in the session of the lead, for members that are sessions of their own. */
  readonly handDown: (lease: Lease, team: string, handed: JsonObject) => Promise<void>
  readonly handed: (lead: string, team: string) => Promise<JsonObject | undefined>
  /** Whether a session that is over has something to do again, because of its team. */
  readonly owes: (sessionId: string) => Promise<boolean>
  /** The team that a session is in, for showing. */
  readonly of: (sessionId: string) => Promise<TeamOverview | undefined>
}

export type KeyFailure = { readonly kind: "key_reused" }

export interface FleetAudit {
  /** Oldest first. */
  readonly audit: (after: number, limit: number) => Promise<readonly AuditEntry[]>
  /** Newest first. */
  readonly recentAudit: (
    from: { readonly before?: number | undefined; readonly who?: string | undefined },
    limit: number,
  ) => Promise<readonly AuditEntry[]>
  /** What is not done to any other record: sign-ins, exports. */
  readonly note: (who: string, what: string, details?: AuditDetails) => Promise<void>
}

export interface FleetRecords extends FleetAudit {
  readonly notifying: FleetNotifying
  readonly decisionLinks: FleetDecisionLinks
  readonly sharing: FleetSharing
  readonly lists: FleetLists
  readonly changes: FleetChanges
  readonly comments: FleetComments
  readonly figures: () => Promise<FleetFigures>
  readonly erasing: FleetErasing
  readonly spending: FleetSpending
  readonly deliveries: FleetDeliveries
  readonly sessions: FleetSessions
  readonly leases: FleetLeases
  readonly ops: FleetOps
  readonly lines: FleetLines
  readonly trees: FleetTrees
  readonly approvals: FleetApprovals
  readonly tokens: FleetTokens
}

export interface OnceRequest {
  readonly who: string
  readonly key: string
  /** Of what is asked for: the key of another request is refused. */
  readonly digest: string
}

/** What people look at: lists of sessions with what they cost, what waits, teams, and workers. */
export const changingKinds = ["approvals", "sessions", "teams", "workers"] as const

export interface FleetChange {
  readonly what: (typeof changingKinds)[number]
  /** Whoever created the session; undefined for what everybody sees. */
  readonly of: string | undefined
}

export interface FleetStore extends FleetRecords {
  readonly teams: FleetTeams
  /**
   * Does it once for each key, and gives the same answer to whoever comes with the key again. What the work does with the records it is
   * given is done together with the answer, or not at all.
   */
  readonly once: (
    request: OnceRequest,
    work: (records: FleetRecords) => Promise<JsonValue>,
  ) => Promise<Result<JsonValue, KeyFailure>>
  /**
   * Called when something happened in the session, or may have, and once when it is certain that nothing will be missed. The returned function ends
   * that. As long as somebody watches, whoever holds the session passes on what passes.
   */
  readonly watch: (sessionId: string, changed: () => void) => () => void
  /** For a worker: called with what is for it, or nothing if something may have been missed. */
  readonly watchWorker: (worker: string, onNotice: (notice: WorkerNotice | undefined) => void) => () => void
  /** Called when sessions were erased, or may have been. */
  readonly watchErased: (erased: () => void) => () => void
  /** Called with what changed in lists, or nothing if anything may have; the returned function ends that. */
  readonly watchChanges: (changed: (change: FleetChange | undefined) => void) => () => void
  readonly close: () => Promise<void>
}
