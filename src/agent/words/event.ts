/**
 * What happens: an entry, or a transient moment that is not kept. Each has a cursor, which belongs to the log and
 * survives a restart.
 */

import type { Entry } from "./entry.ts"
import type { ModelEvent, Retry } from "./model.ts"
import type { Question } from "./question.ts"
import type { SessionState } from "./state.ts"
import type { Gathers, Progress } from "./tool.ts"

/**
 * A position in the log. Opaque: only compare it and pass it back. Every character is allowed in an event stream, so
 * it can be the event id there.
 */
export type Cursor = string

/** A transient event. Deltas carry deltas, never the message so far. */
export type Moment =
  /** A request is about to be sent. */
  | { readonly type: "request_start"; readonly model: string; readonly step: number }
  /** Part of an answer as it arrives. */
  | { readonly type: "model_delta"; readonly messageId: string; readonly delta: ModelEvent }
  /** A request failed and is sent again after a wait. */
  | { readonly type: "retry_wait"; readonly retry: Retry }
  /** A call is on its way to its tool. */
  | {
      readonly type: "tool_start"
      readonly callId: string
      readonly tool: string
      readonly title: string
      readonly gathers?: Gathers
      /** The call can continue in the background. */
      readonly movable?: true
    }
  /** What a running call has printed since the last progress. */
  | { readonly type: "tool_progress"; readonly callId: string; readonly progress: Progress }
  /** A question waits for an answer. */
  | { readonly type: "question_open"; readonly question: Question }
  /** A question is answered or withdrawn. */
  | { readonly type: "question_close"; readonly questionId: string }
  /** Work outside a turn starts or ends: a compaction, a rewind, a user's shell command. */
  | { readonly type: "chore"; readonly name: ChoreName; readonly running: boolean }
  /** An event of a child agent; the cursor of `event` belongs to the child's own log. */
  | { readonly type: "child"; readonly agentId: string; readonly callId: string; readonly event: Event }
  /** The queued prompts, oldest first. */
  | { readonly type: "queue_change"; readonly texts: readonly string[] }
  /** The session differs from the last such event, or from what was asked for. */
  | { readonly type: "state_change"; readonly state: SessionState }
  /** An MCP server was connected or lost, or offers something else now. */
  | { readonly type: "servers_change" }
  /** A server says that what it wanted the user to do at a URL is done. */
  | { readonly type: "elicitation_end"; readonly server: string; readonly elicitationId: string }
  /** A background command has ended. */
  | {
      readonly type: "background_end"
      readonly commandId: string
      readonly command: string
      readonly status: "completed" | "failed" | "killed"
      readonly exitCode: number
      readonly durationMs: number
      /** All that it printed, if that could be kept. */
      readonly file?: string
    }
  /** What the user may want to say next. */
  | { readonly type: "suggestion"; readonly text: string }
  /** Tasks, mail or members of the session's team have changed. */
  | { readonly type: "team_change" }
  /** The status messages of the hooks that are waited for, oldest first. */
  | { readonly type: "hook_status"; readonly texts: readonly string[] }
  /** A hook starts to run. */
  | { readonly type: "hook_start"; readonly run: HookRun }
  /** What a running hook has printed since the last progress. */
  | { readonly type: "hook_progress"; readonly run: HookRun; readonly stdout: string; readonly stderr: string }
  /** A hook has ended. */
  | {
      readonly type: "hook_end"
      readonly run: HookRun
      readonly outcome: "success" | "error" | "cancelled"
      readonly stdout: string
      readonly stderr: string
      /** Absent where no program ended by itself. */
      readonly exit?: number
      /** Why there is no answer, if there is none. */
      readonly why?: string
    }
  /** The log does not know the requested cursor, so everything follows, from the beginning. */
  | { readonly type: "unknown_cursor"; readonly unknown: Cursor }

/** One run of one hook. */
export interface HookRun {
  readonly id: string
  readonly event: string
  /** What the matcher was compared with, such as the tool. */
  readonly subject?: string
  readonly name: string
}

export type ChoreName =
  "rewind" | "review" | "redo" | "switch" | "clear" | "compact" | "uncompact" | "set_style" | "shell"

export type Happening = Moment | { readonly type: "entry"; readonly entry: Entry }

export type Event = { readonly cursor: Cursor } & Happening
