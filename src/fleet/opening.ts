/** How a worker opens a session: whoever starts the worker knows settings and models, and gives it this. */

import type { Call } from "#agent/words/middleware.ts"
import type { Model } from "#agent/words/model.ts"
import type { LogCopy } from "#ground/transcript/log.ts"
import type { Shelf } from "#ground/transcript/shelf.ts"
import type { Result } from "#lib/result.ts"
import type { LogChoice } from "#session/journal/kept.ts"
import type { Session } from "#session/port/session.ts"
import type { FleetSession } from "./records.ts"

export interface OpeningAsk {
  readonly record: FleetSession
  /** The folder it works in. */
  readonly cwd: string
  /** For its plans: the same on every machine, because questions name the file. */
  readonly plans: string
  readonly log: LogChoice
  readonly shelf: Shelf
  readonly copy: LogCopy
  readonly onCall: (call: Call) => () => void
  readonly watched: (model: Model) => Model
}

export interface OpenedSession {
  readonly session: Session
  readonly close: Session["close"]
}

/** The failure is a sentence for whoever asked for the session. */
export type OpenFleetSession = (ask: OpeningAsk) => Promise<Result<OpenedSession, string>>
