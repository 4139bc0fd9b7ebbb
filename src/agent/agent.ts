/** What the loop needs in order to live. The session gives it; the loop knows nothing else. */

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
  readonly limits: Limits
  /** Appends a fact to the log and tells it to whoever watches. What is recorded is what happened. */
  readonly record: (body: EntryBody) => Entry
  /** Tells a passing moment to whoever watches. */
  readonly tell: (moment: Moment) => void
  /** Assembles the next request from the log, or says why there is none. */
  readonly prepare: (wish: Wish, signal: AbortSignal) => Promise<Prepared>
  /** What can be called now. */
  readonly tools: () => readonly AnyTool[]
  /** Waits for tools that are on their way. */
  readonly arrived?: (signal: AbortSignal) => Promise<void>
  /** Runs one call through all layers down to its tool. */
  readonly call: Next
  /** A tool changed something for the calls after it. */
  readonly apply: (change: ContextChange) => void
  /** A request was answered: settles its cost, in dollars where the model has a price. */
  readonly settle: (model: string, usage: Usage) => number | undefined
  /** The provider refused: changes something (the model, the size of the conversation) so that another try makes sense, or not. */
  readonly mend: (failure: ModelFailure) => "again" | "give_up"
  /** Before a step: what arrived meanwhile, and what the program has to add, goes in after what is there. */
  readonly gather: (signal: AbortSignal) => Promise<void>
  /** When the model has nothing more to do: whether something else has. */
  readonly rest: (signal: AbortSignal) => Promise<"go_on" | "end">
}

export interface Limits {
  /** Steps in one turn; no limit when absent. */
  readonly maxTurns?: number
  /** Tools at once. */
  readonly concurrency: number
  /** How long a running tool may take to end once it was told to. */
  readonly graceMs: number
  /** How many answers in a row may be cut off. */
  readonly repeats: number
}

/** How the next request should differ from the plain one. */
export interface Wish {
  readonly delivery: Request["delivery"]
  readonly repeat: number
  /** `raised` asks for the most output the model can give. */
  readonly output: "usual" | "raised"
}

export type Prepared =
  | { readonly kind: "request"; readonly request: Request; readonly tools: readonly AnyTool[] }
  | { readonly kind: "stop"; readonly end: End }
