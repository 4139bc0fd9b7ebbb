/** What a session that a client drives is made of. */

import type { Client } from "#agent/words/client.ts"
import type { ModelFacts } from "#agent/words/model.ts"
import type { BackgroundWait } from "#faces/headless/background.ts"
import type { Clock } from "#lib/clock.ts"
import type { Ids } from "#lib/ids.ts"
import type { Result } from "#lib/result.ts"
import type { ModelRow } from "#session/opening/choices.ts"
import type { Session } from "#session/port/session.ts"
import type { Around } from "./control.ts"
import type { Initialize } from "./initialize.ts"
import type { MessageOptions } from "./messages.ts"
import type { InboundStream } from "./transport.ts"

export interface SdkRun {
  readonly input: InboundStream
  readonly send: (message: object) => void
  /** Resolves when what was written has left, so that a slow client is not buried. */
  readonly written: () => Promise<void>
  readonly warn: (line: string) => void
  /** Opens the session as the client wants it. The failure is for the client and for the user. */
  readonly open: (asked: Initialize, client: Client) => Promise<Result<SdkSession, string>>
  readonly messageOptions: MessageOptions
  /** Whether messages are sent back when they are taken up. */
  readonly replays: boolean
  /** Whether the client may have files rewound. */
  readonly rewinds: boolean
  /** Whether the client wants to hear when the session works and when it waits. */
  readonly readsState: boolean
  /** How long the client may take to answer a question; as long as it likes when absent. */
  readonly patienceMs?: number
  readonly version: string
  readonly pid: number
  readonly clock: Clock
  readonly ids: Ids
  /** Aborted by a signal from outside: the work ends, and so does the run. A number as its reason is the time that running calls have. */
  readonly stop: AbortSignal
}

export interface SdkSession {
  readonly session: Session
  readonly apiKeySource: string
  /** What was left out because the folder is not trusted. */
  readonly leftOut: readonly string[]
  readonly factsOf: (model: string) => ModelFacts
  readonly models: () => Promise<readonly ModelRow[]>
  readonly resolveModel: (name: string | undefined) => string
  /** How long background work is waited for once no more messages come. */
  readonly backgroundWait: BackgroundWait
  readonly around: Around
  readonly close: () => Promise<void>
}
