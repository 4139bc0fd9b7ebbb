/** What a room contributes to a session. */

import type { JsonObject } from "#lib/json.ts"
import type { Follower } from "./follower.ts"
import type { ToolUseBlock } from "./message.ts"
import type { Middleware } from "./middleware.ts"
import type { AnyTool, Outcome } from "./tool.ts"

export interface Attachment {
  readonly name: string
  readonly text: string
  /** The same as fields, for programs that read the log. */
  readonly data?: JsonObject
}

export interface Guidance {
  readonly from: string
  readonly text: string
}

export interface Kit extends Follower {
  readonly name: string
  readonly tools?: readonly AnyTool[]
  /** Tools that come and go while the session is open. Unchanged tools stay the same values. */
  readonly late?: () => readonly AnyTool[]
  readonly guidance?: () => readonly Guidance[]
  /** A layer around every call; the order of kits is the order of layers. */
  readonly middleware?: Middleware
  /** What the model should know before the next request; a promise only if it takes time to find out. */
  readonly attachments?: (signal: AbortSignal) => readonly Attachment[] | Promise<readonly Attachment[]>
  /** The request waits for what it attaches, however long that takes: the user asked for it, or the first request must not depend on timing. */
  readonly isAwaited?: true
  /** Awaited when the model has nothing more to do, before `rest` is asked: for news that is about to come. */
  readonly beforeRest?: (signal: AbortSignal) => Promise<void>
  /** News when the model has nothing more to do; any makes it continue. */
  readonly rest?: () => readonly Attachment[]
  /**
   * Receives a function that wakes the session when `rest` has news and nothing is running; the returned function
   * unsubscribes.
   */
  readonly stirs?: (wake: () => void) => () => void
  /** The result of a call that was begun before the program ended, where a store can tell; undefined where none can. */
  readonly outcomeOf?: (call: ToolUseBlock) => Promise<Outcome | undefined>
  readonly close?: () => Promise<void>
}
