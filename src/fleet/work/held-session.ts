/** A session that a worker has in its hands, and what the parts that look after it share. */

import type { Clock } from "#lib/clock.ts"
import type { Entry } from "#agent/words/entry.ts"
import type { Session } from "#session/port/session.ts"
import type { Activity } from "./activity.ts"
import type { Followed } from "./follow.ts"
import type { LocalLog } from "./local-log.ts"
import type { OpenedSession, OpenFleetSession } from "./opening.ts"
import type { Persist } from "./persist.ts"
import type { OpenPull } from "./publish.ts"
import type { FleetSession, Lease } from "#fleet/records.ts"
import type { Shipper } from "./ship.ts"
import type { FleetStore } from "#fleet/store.ts"
import type { WorkerNotice } from "#fleet/store/sessions.ts"
import type { Workplace, Workplaces } from "./workplace.ts"

export interface HoldParts {
  readonly store: FleetStore
  readonly lease: Lease
  readonly open: OpenFleetSession
  readonly workplaces: Workplaces
  /** How pull requests are opened here; none are when absent. */
  readonly openPull?: OpenPull | undefined
  /** For the log of the session, while this process has it. */
  readonly scratch: string
  readonly clock: Clock
  readonly patience: Patience
  /** Aborts when somebody else has the session: it ends at once, and nothing is written any more. */
  readonly lost: AbortSignal
  /** Aborts when the worker is about to end. */
  readonly draining: AbortSignal
  /** Why the session was cut off, if it was: as part of a sentence. */
  readonly cutBy: string
  /** Called with what is for this session, or nothing if something may have been missed; the returned function ends that. */
  readonly notices: (onNotice: (notice: WorkerNotice | undefined) => void) => () => void
}

export interface Patience {
  /** A session that only waits is set aside after so long without any news. */
  readonly waitingMs: number
  /** Work in the background may go on for so long after the end of a turn. */
  readonly backgroundMs: number
  /** What changes something may go on for so long when the worker ends. */
  readonly drainMs: number
  /** Nobody having decided for so long is a no; never when absent. */
  readonly approvalMs?: number | undefined
}

export interface HeldSession extends HoldParts {
  readonly record: FleetSession
  readonly opened: OpenedSession
  readonly session: Session
  readonly workplace: Workplace
  readonly local: LocalLog
  readonly shipper: Shipper
  readonly activity: Activity
  readonly followed: Followed
  readonly persist: Persist
}

type TurnEnd = Extract<Entry, { readonly kind: "turn_end" }>

export const lastEnd = async (session: Session): Promise<TurnEnd | undefined> =>
  (await session.ask({ type: "turn" })).findLast((entry) => entry.kind === "turn_end")

/** Its log could not be written, so it has not ended. */
export const isUnsaved = (end: TurnEnd | undefined): boolean => end?.cause === "log"
