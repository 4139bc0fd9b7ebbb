/** What the connections of a host share: the sessions that are followed, the numbers of actions, and who was here. */

import type { Clock } from "#lib/clock.ts"
import type { CallAnswer, RpcError } from "#lib/json-rpc.ts"
import type { JsonObject, JsonValue } from "#lib/json.ts"
import { failed, type Result } from "#lib/result.ts"
import type { TokenOwner } from "#fleet/records.ts"
import type { FleetStore } from "#fleet/store.ts"
import type { ServerContext } from "#faces/web/route.ts"
import type { RunRoute } from "#faces/web/run-route.ts"
import type { ActionOrigin, FollowedSession } from "./followed-session.ts"
import { errorCodes } from "./names.ts"

export interface AhpParts {
  readonly store: FleetStore
  readonly context: ServerContext
  readonly run: RunRoute
  readonly clock: Clock
  readonly version: string
  readonly report?: ((text: string) => void) | undefined
}

/** One client, as the socket knows it. */
export interface AhpSocket {
  /** Asked again now and then: a token may be revoked. */
  readonly who: () => Promise<TokenOwner | undefined>
  readonly send: (text: string) => void
  readonly end: (why: string) => void
}

export interface AhpConnection {
  readonly receive: (text: string) => void
  readonly close: () => void
}

export interface AhpHost {
  readonly connect: (socket: AhpSocket) => AhpConnection
  readonly close: () => void
}

export interface ActionEnvelope {
  readonly channel: string
  readonly action: JsonObject
  readonly serverSeq: number
  readonly origin?: ActionOrigin
  readonly rejectionReason?: string
}

export interface Shared extends Pick<AhpParts, "store" | "context" | "run" | "clock" | "version"> {
  /** The number of the newest action. */
  readonly seq: () => number
  readonly nextSeq: () => number
  /** Those after a number, oldest first; undefined if some are not kept any more, or one of the sessions was not followed all the time. */
  readonly after: (seq: number, sessionIds: readonly string[]) => readonly ActionEnvelope[] | undefined
  /** Undefined if this user has no such session. Whoever calls it lets go of it with `leave`. */
  readonly follow: (sessionId: string, who: TokenOwner) => Promise<FollowedSession | undefined>
  readonly leave: (sessionId: string) => void
  readonly draft: (sessionId: string, path: string, who: TokenOwner) => boolean
  /** The folder of a draft of this user, which is one no longer. */
  readonly takeDraft: (sessionId: string, who: TokenOwner) => string | undefined
  /** For mistakes of ours: nothing that a client sends may end the server. */
  readonly failed: (error: unknown) => void
  readonly listeners: Set<(envelope: ActionEnvelope) => void>
  /** Clients that were here, by user and name, so that their numbers mean what they meant. */
  readonly known: Set<string>
}

/** Digests of what a client was shown about a call: a yes is a yes to one of them. */
export type ShownDigests = Map<string, Set<string>>

export type RpcAnswer = Result<CallAnswer, RpcError>

export const refused = (code: keyof typeof errorCodes, message: string, data?: JsonValue): Result<never, RpcError> =>
  failed({ code: errorCodes[code], message, ...(data !== undefined && { data }) })
