/** What happens: an entry, or a passing moment that is not kept. Each has a cursor, which belongs to the log and survives a restart. */

import type { Entry } from "./entry.ts"
import type { ModelEvent, Retry } from "./model.ts"
import type { Question } from "./question.ts"
import type { SessionState } from "./state.ts"
import type { Gathers, Progress } from "./tool.ts"

/**
 * A place in the log. Opaque: it is compared and handed back, nothing else. It holds no character that a line of an
 * event stream could not, so it can be the id of an event there.
 */
export type Cursor = string

/** A passing moment. Deltas carry deltas, never the message so far. */
export type Moment =
  /** A request is about to be sent. */
  | { readonly type: "request_start"; readonly model: string; readonly step: number }
  /** What the model says, as it says it. */
  | { readonly type: "model_delta"; readonly messageId: string; readonly delta: ModelEvent }
  /** A request failed and will be sent again after a wait. */
  | { readonly type: "retry_wait"; readonly retry: Retry }
  /** A call is on its way to its tool. */
  | {
      readonly type: "tool_start"
      readonly callId: string
      readonly tool: string
      readonly title: string
      readonly gathers?: Gathers
      /** The call can go on in the background. */
      readonly movable?: true
    }
  /** What a running call has printed since the last progress. */
  | { readonly type: "tool_progress"; readonly callId: string; readonly progress: Progress }
  /** A question waits for an answer. */
  | { readonly type: "question_open"; readonly question: Question }
  /** A question is answered or withdrawn. */
  | { readonly type: "question_close"; readonly questionId: string }
  /** Something that is no turn begins or is over: a compaction, a rewind, a command of the person's own. */
  | { readonly type: "chore"; readonly name: ChoreName; readonly running: boolean }
  /** What happens in an agent that this one started; the cursor of `event` belongs to the agent's own log. */
  | { readonly type: "child"; readonly agentId: string; readonly callId: string; readonly event: Event }
  /** What waits to be said, oldest first. */
  | { readonly type: "queue_change"; readonly texts: readonly string[] }
  /** The session is different now from what the last one of these said, or from what was asked for. */
  | { readonly type: "state_change"; readonly state: SessionState }
  /** An MCP server was reached or lost, or offers something else now. */
  | { readonly type: "servers_change" }
  /** A command that ran in the background has ended. */
  | {
      readonly type: "background_end"
      readonly commandId: string
      readonly command: string
      readonly status: "completed" | "failed" | "killed"
      readonly exitCode: number
      readonly durationMs: number
    }
  /** The log does not know the cursor that was asked for, so everything follows, from the beginning. */
  | { readonly type: "unknown_cursor"; readonly unknown: Cursor }

export type ChoreName = "rewind" | "redo" | "switch" | "clear" | "compact" | "uncompact" | "set_style" | "shell"

/** What happens, wherever that is. */
export type Happening = Moment | { readonly type: "entry"; readonly entry: Entry }

export type Event = { readonly cursor: Cursor } & Happening
