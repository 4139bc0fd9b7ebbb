/** What a room brings to a session. */

import type { JsonObject } from "#lib/json.ts"
import type { Follower } from "./follower.ts"
import type { Middleware } from "./middleware.ts"
import type { AnyTool } from "./tool.ts"

/** Context that the program adds to the conversation. */
export interface Attachment {
  readonly name: string
  readonly text: string
  /** The same as fields, for programs that read the log. */
  readonly data?: JsonObject
}

/** What a source of late tools says about using them. */
export interface Guidance {
  readonly from: string
  readonly text: string
}

export interface Kit extends Follower {
  readonly name: string
  readonly tools?: readonly AnyTool[]
  /** Tools that come and go while the session is open. Those that did not change are the same values as before. */
  readonly late?: () => readonly AnyTool[]
  /** What those who bring late tools say about them, as it is now. */
  readonly guidance?: () => readonly Guidance[]
  /** One layer around every call; the order of kits is the order of layers. */
  readonly middleware?: Middleware
  /** What the model should know before the next request. */
  readonly attachments?: (signal: AbortSignal) => Promise<readonly Attachment[]>
  /** The person asked for what it attaches: the request waits for it, however long that takes. */
  readonly isAwaited?: true
  /** What is new when the model has nothing more to do; anything makes it go on. */
  readonly rest?: () => readonly Attachment[]
  /** Told how to wake the session when there is news for `rest` and nothing is under way; the returned function ends it. */
  readonly stirs?: (wake: () => void) => () => void
  readonly close?: () => Promise<void>
}
