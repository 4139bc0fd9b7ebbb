/**
 * The one door to a conversation, as whoever stands before it knows it: ops in, events out, questions about what is.
 * Everything that crosses it is plain JSON, so that it may just as well lead to another process.
 */

import type { Cursor, Event } from "#agent/words/event.ts"
import type { PromptBlock } from "#agent/words/message.ts"
import type { Op } from "#agent/words/op.ts"
import type { Result } from "#lib/result.ts"
import type { AgentTree } from "#kits/subagents/agent-state.ts"
import type { Ask, BackgroundRow } from "./query.ts"

/** All that a face relies on. */
export interface SessionPort {
  /** In the order they are submitted. Resolves when the op is taken or refused, not when what it starts is over. */
  readonly submit: (op: Op) => Promise<Result<void, OpFailure>>
  /**
   * Every entry after the place in the order of the log, whoever wrote it and when, then everything as it happens. `now`:
   * only what happens from now on. Where the log does not know the place, the first event says so and all entries follow.
   * Entries that are past come without the `data` of results; moments that passed are gone. It ends when the session closes.
   */
  readonly events: (after: Cursor | "beginning" | "now") => AsyncIterable<Event>
  /** What is now. Rejects only when whoever asked gave up, or the session cannot be reached. */
  readonly ask: Ask
}

/** Held by whoever opened it, who may close it. */
export interface Session extends SessionPort {
  readonly id: string
  /** Ends the turn, the tools and the log. Nothing is left behind. */
  readonly close: () => Promise<void>
}

/** What the process that opened it can know and do without waiting: for agents, which live in the process of their parent. */
export interface HeldSession extends Session {
  readonly atOnce: {
    /** Whether it was taken. */
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
  | { readonly kind: "working" }
  | { readonly kind: "nothing_runs" }
  | { readonly kind: "no_such_agent"; readonly agentId: string }
  | { readonly kind: "no_such_question"; readonly questionId: string }
  /** The question is not what the answer was given to. */
  | { readonly kind: "stale"; readonly questionId: string }
  | { readonly kind: "no_such_command"; readonly commandId: string }
  | { readonly kind: "mode_not_available"; readonly mode: string }
  /** The server is not as it was asked to be, or there is none of that name. */
  | { readonly kind: "server"; readonly message: string }
  /** The rule does not count, or was not saved. */
  | { readonly kind: "rule"; readonly message: string }
  /** The folder was not added. */
  | { readonly kind: "folder"; readonly message: string }
  /** Nothing was added to the memory file. */
  | { readonly kind: "memory"; readonly message: string }
