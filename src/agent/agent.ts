/** Everything the loop needs from the session. */

import type { Clock } from "#lib/clock.ts"
import type { End } from "./words/end.ts"
import type { Entry, EntryBody } from "./words/entry.ts"
import type { Moment } from "./words/event.ts"
import type { Next } from "./words/middleware.ts"
import type { Model, ModelFailure, Request, Usage } from "./words/model.ts"
import type { AnyTool, ContextChange } from "./words/tool.ts"

export interface Agent {
  readonly model: Model
  readonly clock: Clock
  readonly limits: TurnLimits
  readonly record: (body: EntryBody) => Entry
  readonly publish: (moment: Moment) => void
  readonly prepare: (wish: RequestOptions, signal: AbortSignal) => Promise<Prepared>
  readonly tools: () => readonly AnyTool[]
  readonly arrived?: (signal: AbortSignal) => Promise<void>
  readonly call: Next
  readonly apply: (change: ContextChange) => void
  /** Returns the cost in dollars where the model has a price. */
  readonly settle: (model: string, usage: Usage) => number | undefined
  /** Nothing was received for the last request, so nothing is to be paid. */
  readonly release: () => void
  /**
   * After a refusal by the provider: changes something (the model, the size of the conversation) so that another
   * try makes sense, or gives up.
   */
  readonly recover: (failure: ModelFailure) => "again" | "give_up"
  /** Before a step: appends what arrived in the meantime and what the program has to add. */
  readonly gather: (signal: AbortSignal) => Promise<void>
  /** When the model has nothing more to do: whether something else does, or how the turn ends instead. */
  readonly rest: (signal: AbortSignal) => Promise<"go_on" | "end" | End>
}

export interface TurnLimits {
  /** Steps in one turn; no limit when absent. */
  readonly maxTurns?: number
  /** Tools running at the same time. */
  readonly concurrency: number
  /** How long a running tool may take to stop after an abort. */
  readonly graceMs: number
  /** How many answers in a row may be cut off. */
  readonly repeats: number
}

/** How the next request differs from the usual one. */
export interface RequestOptions {
  readonly delivery: Request["delivery"]
  readonly repeat: number
  /** `raised` asks for the most output the model can give. */
  readonly output: "usual" | "raised"
}

export type Prepared =
  | { readonly kind: "request"; readonly request: Request; readonly tools: readonly AnyTool[] }
  | { readonly kind: "stop"; readonly end: End }
