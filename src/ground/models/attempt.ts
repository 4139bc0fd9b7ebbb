/** One attempt at a request: its events while it goes well, and how it failed when it did not. */

import type { ModelEvent, ModelFailure, Request } from "#agent/words/model.ts"

export type AnswerEvent = Exclude<ModelEvent, { readonly type: "retry" } | { readonly type: "error" }>

export interface AttemptFailure {
  readonly type: "failed"
  readonly failure: ModelFailure
  /** Whether the same request may succeed when sent again: never after content, which must not appear twice. */
  readonly again: boolean
  readonly waitMs?: number
}

/** Sends a request once. Never throws; its last event is `message_stop` or a failure. */
export type Attempt = (request: Request, signal: AbortSignal) => AsyncIterable<AnswerEvent | AttemptFailure>
