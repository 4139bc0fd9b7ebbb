/** What happens, numbered: an entry, or a passing moment that is not kept. */

import type { Entry } from "./entry.ts"
import type { ModelEvent, Retry } from "./model.ts"
import type { Question } from "./question.ts"
import type { Progress } from "./tool.ts"

/** A passing moment. Deltas carry deltas, never the message so far. */
export type Moment =
  | { readonly type: "request_start"; readonly model: string; readonly step: number }
  | { readonly type: "model_delta"; readonly messageId: string; readonly delta: ModelEvent }
  | { readonly type: "retry_wait"; readonly retry: Retry }
  | { readonly type: "tool_start"; readonly callId: string; readonly tool: string; readonly title: string }
  | { readonly type: "tool_progress"; readonly callId: string; readonly progress: Progress }
  | { readonly type: "question_open"; readonly question: Question }
  | { readonly type: "question_close"; readonly questionId: string }
  /** What waits to be said, oldest first. */
  | { readonly type: "queue_change"; readonly texts: readonly string[] }

export type Event = { readonly seq: number } & (Moment | { readonly type: "entry"; readonly entry: Entry })
