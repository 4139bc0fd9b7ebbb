/** What a room brings to a session. */

import type { Entry } from "./entry.ts"
import type { Middleware } from "./middleware.ts"
import type { AnyTool } from "./tool.ts"

/** Context that the program adds to the conversation. */
export interface Attachment {
  readonly name: string
  readonly text: string
}

export interface Kit {
  readonly name: string
  readonly tools?: readonly AnyTool[]
  /** One layer around every call; the order of kits is the order of layers. */
  readonly middleware?: Middleware
  /** Sees every entry, also those of before a resume: how a kit keeps state that survives. */
  readonly take?: (entry: Entry) => void
  /** What the model should know before the next request. */
  readonly attachments?: (signal: AbortSignal) => Promise<readonly Attachment[]>
  readonly close?: () => Promise<void>
}
