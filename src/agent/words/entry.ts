/** One durable fact. The log is nothing but entries; all state is folded from them. */

import type { JsonObject } from "#lib/json.ts"
import type { Display } from "./display.ts"
import type { End } from "./end.ts"
import type { AssistantBlock, PromptBlock, ResultContent } from "./message.ts"
import type { StopReason, Usage } from "./model.ts"
import type { Behavior, Grant, PermissionMode, Reason } from "./permission.ts"
import type { Answer, Question } from "./question.ts"
import type { Todo } from "./todo.ts"

/** What every entry carries. */
export interface Stamp {
  readonly uuid: string
  readonly parentUuid: string | null
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** A file and the fingerprint of its content before an act. */
export interface FileBefore {
  readonly path: string
  readonly before: string
}

export type EntryBody =
  /** Something said to the agent by a person or a program. */
  | { readonly kind: "prompt"; readonly content: readonly PromptBlock[]; readonly promptId: string }
  /** A prompt that arrived while the agent worked; it becomes a `prompt` with the same id when it is delivered. */
  | {
      readonly kind: "queued"
      readonly content: readonly PromptBlock[]
      readonly promptId: string
      readonly when: "steer" | "queue"
    }
  /** Context the program adds; the model sees it, the person need not. */
  | { readonly kind: "attachment"; readonly name: string; readonly text: string }
  /** One finished block of an assistant message; blocks of one message share its id. */
  | {
      readonly kind: "reply"
      readonly messageId: string
      readonly model: string
      readonly block: AssistantBlock
      readonly usage: Usage
    }
  /** The message is whole. */
  | {
      readonly kind: "reply_end"
      readonly messageId: string
      readonly model: string
      readonly stopReason: StopReason
      readonly usage: Usage
      /** Absent when the model has no known price. */
      readonly costUsd?: number
      readonly durationMs: number
    }
  /** A message that was cut off: never sent again, its calls count as not made. */
  | { readonly kind: "orphan"; readonly messageId: string; readonly why: string }
  /** Allow, ask or deny, with its reason; written before the call runs. */
  | {
      readonly kind: "decision"
      readonly callId: string
      readonly tool: string
      readonly behavior: Behavior
      readonly reason: Reason
      readonly message: string
    }
  /** What is about to be done. Written and synced before any side effect. */
  | {
      readonly kind: "intent"
      readonly callId: string
      readonly tool: string
      readonly title: string
      /** The files it will change, as they were: so that a crash leaves no doubt whether it did. */
      readonly files: readonly FileBefore[]
    }
  /** What came of a call. */
  | {
      readonly kind: "result"
      readonly callId: string
      readonly tool: string
      readonly content: ResultContent
      readonly isError: boolean
      readonly display?: Display
      readonly data?: JsonObject
      readonly denied?: { readonly input: JsonObject }
      readonly durationMs: number
    }
  /** Something a person must answer; written before it is shown. */
  | { readonly kind: "question"; readonly question: Question }
  /** What was answered, or that nobody did. */
  | { readonly kind: "answer"; readonly questionId: string; readonly answer: Answer }
  /** A rule that the person gave while they were asked; one for the session holds until its end, also after a resume. */
  | ({ readonly kind: "grant" } & Grant)
  /** The permission mode from here on. */
  | { readonly kind: "mode"; readonly mode: PermissionMode }
  /** The model from here on: chosen, or fallen back to. */
  | { readonly kind: "model"; readonly model: string; readonly why: string }
  /** The working folder from here on. */
  | { readonly kind: "cwd"; readonly path: string }
  /** The conversation was made smaller so that the provider takes it; see the context kit for what each rung does. */
  | { readonly kind: "shrink"; readonly rung: ShrinkRung; readonly why: string }
  /** The agent's list of work, whole, from here on. */
  | { readonly kind: "todo"; readonly todos: readonly Todo[] }
  /** A turn begins. */
  | { readonly kind: "turn_start"; readonly turnId: string }
  /** A turn is over, with the reason and, after an error, its cause. */
  | ({ readonly kind: "turn_end"; readonly turnId: string } & End)
  /** Something a person should know that is not part of the conversation. */
  | { readonly kind: "notice"; readonly level: "info" | "warning" | "error"; readonly text: string }

/** The ladder for a conversation that the provider refuses, gentlest first. */
export const shrinkRungs = ["media", "results", "turns", "summary"] as const
/** `old_media` is no rung of the ladder: it keeps within the provider's count, without being refused first. */
export type ShrinkRung = (typeof shrinkRungs)[number] | "old_media"

export type Entry = Stamp & EntryBody
