/** How a worker opens a session: whoever starts the worker knows settings and models, and gives it this. */

import type { Budget } from "#agent/words/budget.ts"
import type { Call } from "#agent/words/middleware.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import type { Model } from "#agent/words/model.ts"
import type { LogCopy } from "#ground/transcript/log.ts"
import type { SessionLogs } from "#ground/transcript/session-logs.ts"
import type { Result } from "#lib/result.ts"
import type { JsonObject } from "#lib/json.ts"
import type { LogChoice } from "#session/journal/kept.ts"
import type { MemberSessions } from "#session/opening/member-port.ts"
import type { Session } from "#session/port/session.ts"
import type { FleetSession } from "#fleet/records.ts"
import type { KeptBudget } from "#team/hosts/fleet-calls.ts"
import type { TeamStores } from "#team/team-stores.ts"

export interface OpeningAsk {
  readonly record: FleetSession
  /** The folder it works in. */
  readonly cwd: string
  /** Absent where its log says in which mode it is. */
  readonly mode?: PermissionMode
  /** Absent where there is none, or its log says what it is by now. */
  readonly budgetUsd?: number | undefined
  /** For its plans: the same on every machine, because questions name the file. */
  readonly plans: string
  /** For worktrees of its agents, the same on every machine too. */
  readonly worktrees: string
  /** Of the session, or of the one that leads its team. */
  readonly teams: TeamStores
  /** What holds in the session that leads its team. */
  readonly handed: (team: string) => Promise<JsonObject | undefined>
  /** How members of its team become sessions of their own. */
  readonly members: MemberSessions
  /** Of a member: the budget that it shares with its lead. */
  readonly budget: (budget: () => Budget) => Promise<KeptBudget>
  readonly log: LogChoice
  readonly sessionLogs: SessionLogs
  readonly copy: LogCopy
  /** What its programs need to read outside of its folder. */
  readonly reads: readonly string[]
  readonly onCall: (call: Call) => () => void
  readonly onRun: (call: Call) => Promise<void> | undefined
  readonly watched: (model: Model) => Model
  /** What the model and the user should know about the machine it continues on. */
  readonly notes: readonly string[]
}

export interface OpenedSession {
  readonly session: Session
  readonly close: Session["close"]
  /** Of a member of a team: whether nothing is left for it to do. */
  readonly isResting?: () => boolean
}

/** The failure is a sentence for whoever asked for the session. */
export type OpenFleetSession = (ask: OpeningAsk) => Promise<Result<OpenedSession, string>>
