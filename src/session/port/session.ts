/** The interface to a conversation: ops in, events out, queries about its state. Everything that crosses it is plain JSON, so that it works across processes too. See decision 40. */

import type { Cursor, Event } from "#agent/words/event.ts"
import type { InterruptCause } from "#agent/words/interruption.ts"
import type { PromptBlock } from "#agent/words/message.ts"
import type { Op } from "#agent/words/op.ts"
import type { Result } from "#lib/result.ts"
import type { AgentTree } from "#kits/subagents/agent-state.ts"
import type { Ask, BackgroundRow } from "./query.ts"

export interface SessionPort {
  /** Ops are handled in the order submitted. Resolves when the op is accepted or refused, not when what it starts has ended. */
  readonly submit: (op: Op) => Promise<Result<void, OpFailure>>
  /**
   * Every entry after the place in log order, whoever wrote it, then everything as it happens. `now`: only new events. If the log does not know the
   * place, the first event says so and all entries follow. Past entries come without the `data` of results; past moments are not repeated. It ends when
   * the session closes.
   */
  readonly events: (after: Cursor | "beginning" | "now") => AsyncIterable<Event>
  /** Rejects only when the caller gave up, or the session cannot be reached. */
  readonly ask: Ask
}

/** For whoever opened it, and may close it. */
export interface Session extends SessionPort {
  readonly id: string
  /**
   * Ends the turn, the tools and the log. Nothing is left running. `handing over`: the end is not recorded, so whoever opens the log next finds it as it
   * is now. A cause says that it is not the user who ends it.
   */
  readonly close: (how?: "handing over" | InterruptCause) => Promise<void>
}

/** What the process that opened it can do without waiting: for agents, which live in their parent's process. */
export interface HeldSession extends Session {
  readonly atOnce: {
    /** Returns whether it was accepted. */
    readonly say: (content: readonly PromptBlock[], when: "steer" | "queue") => boolean
    readonly background: () => readonly BackgroundRow[]
    readonly agents: AgentTree
    readonly opened: Cursor | "beginning"
  }
}

export type OpFailure =
  | { readonly kind: "closed" }
  | { readonly kind: "empty_prompt" }
  | { readonly kind: "unknown_command"; readonly name: string; readonly near: readonly string[] }
  | { readonly kind: "empty_title" }
  | { readonly kind: "empty_todo" }
  | { readonly kind: "working" }
  | { readonly kind: "nothing_runs" }
  | { readonly kind: "no_such_agent"; readonly agentId: string }
  | { readonly kind: "no_such_question"; readonly questionId: string }
  | { readonly kind: "stale"; readonly questionId: string }
  | { readonly kind: "no_such_command"; readonly commandId: string }
  | { readonly kind: "team"; readonly message: string }
  | { readonly kind: "mode_not_available"; readonly mode: string }
  | { readonly kind: "plan_gate" }
  | { readonly kind: "gate"; readonly message: string }
  | { readonly kind: "goal"; readonly message: string }
  | { readonly kind: "loop"; readonly message: string }
  /** A hook refuses the model. */
  | { readonly kind: "model"; readonly message: string }
  | { readonly kind: "server"; readonly message: string }
  | { readonly kind: "rule"; readonly message: string }
  | { readonly kind: "folder"; readonly message: string }
  /** The file does not count as read. */
  | { readonly kind: "file"; readonly message: string }
  | { readonly kind: "memory"; readonly message: string }
