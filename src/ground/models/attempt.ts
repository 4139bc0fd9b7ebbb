/** One attempt at a request: what it says while it goes well, and how it ended when it did not. */

import type { ModelEvent, ModelFailure, Request } from "#agent/words/model.ts"

/** What a provider says of its answer. */
export type AnswerEvent = Exclude<ModelEvent, { readonly type: "retry" } | { readonly type: "error" }>

/** How an attempt failed. It is the last thing an attempt says. */
export interface AttemptFailure {
  readonly type: "failed"
  readonly failure: ModelFailure
  /** Whether the very same request may go well when sent again: never after content, which must not be said twice. */
  readonly again: boolean
  /** How long the provider asked to be left alone. */
  readonly waitMs?: number
}

/** Sends a request once. It never throws; its last event is `message_stop` or a failure. */
export type Attempt = (request: Request, signal: AbortSignal) => AsyncIterable<AnswerEvent | AttemptFailure>
