/** The one door to a conversation, as whoever stands before it knows it: ops in, numbered events out. */

import type { Event } from "#agent/words/event.ts"
import type { Op } from "#agent/words/op.ts"
import type { Question } from "#agent/words/question.ts"
import type { Result } from "#lib/result.ts"
import type { Look } from "./look.ts"
import type { SessionState } from "./state.ts"

export interface Session {
  readonly id: string
  /** What does not change while it is open. */
  readonly about: SessionAbout
  readonly submit: (op: Op) => Result<void, OpFailure>
  /** Entries after the number (0: all of them), then everything as it happens. */
  readonly events: (after: number) => AsyncIterable<Event>
  readonly state: () => SessionState
  readonly openQuestions: () => readonly Question[]
  /** What can be asked for besides what happens. */
  readonly look: Look
  /** Resolves when no turn is running. */
  readonly settled: () => Promise<void>
  /** Ends the turn, the tools and the log. Nothing is left behind. */
  readonly close: () => Promise<void>
}

export interface SessionAbout {
  readonly cwd: string
  readonly tools: readonly string[]
  readonly logPath: string | undefined
  readonly addedFolders: readonly string[]
  /** The agents that can be started, by name. */
  readonly agents?: readonly string[]
  /** The number of the last event that was there before it was opened: 0 for a new session. */
  readonly entriesBefore: number
  /** What was noticed while opening, for the person. */
  readonly notes: readonly string[]
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
  | { readonly kind: "mode_not_available"; readonly mode: string }
