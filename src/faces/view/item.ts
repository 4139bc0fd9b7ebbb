/** What a conversation is made of for whoever looks at it: items in their order, each finished or still open. */

import type { Display } from "#agent/words/display.ts"
import type { EndReason } from "#agent/words/end.ts"
import type { Answer } from "#agent/words/question.ts"
import type { Gathers } from "#agent/words/tool.ts"
import type { InputDraft } from "./input-draft.ts"
import type { MarkdownPiece } from "./pieces.ts"
import type { ChangedFiles } from "./changed.ts"

/** `writing`: the model is still writing the input. `dropped`: its message was cut off, so it counts as not made. */
export type CallState = "writing" | "waiting" | "running" | "done" | "failed" | "denied" | "dropped"

export type Item =
  | { readonly kind: "prompt"; readonly text: string }
  /** A long text is many pieces, so that finished ones need not be drawn again. */
  | { readonly kind: "text"; readonly messageId: string; readonly piece: MarkdownPiece; readonly finished: boolean }
  | { readonly kind: "thinking"; readonly messageId: string; readonly text: string; readonly finished: boolean }
  | CallItem
  | { readonly kind: "notice"; readonly level: "info" | "warning" | "error"; readonly text: string }
  /** An answer to a server; other answers show in the call that asked. */
  | { readonly kind: "elicited"; readonly server: string; readonly answer: Answer & { readonly kind: "elicited" } }
  | EndItem

export interface CallItem {
  readonly kind: "call"
  readonly callId: string
  readonly tool: string
  readonly title: string
  readonly state: CallState
  /** The end of its output so far. */
  readonly tail: string
  readonly totalBytes: number
  readonly elapsedMs: number
  readonly draft?: InputDraft
  /** Set if it only reads or searches. */
  readonly gathers?: Gathers
  readonly refusal?: string
  /** It wrote the plan, which is shown when presented. */
  readonly isPlan?: true
  readonly result: { readonly text: string; readonly display: Display | undefined } | undefined
  /** It can move to the background. */
  readonly movable?: true
  readonly agent?: AgentAtWork
}

export interface AgentAtWork {
  readonly type: string
  /** The name of a colour for it. */
  readonly color?: string
  readonly doing: string | undefined
  readonly toolUses: number
  /** The size of its context. */
  readonly tokens: number
  readonly agents: readonly NestedAgent[]
}

export interface NestedAgent {
  readonly callId: string
  readonly agent: AgentAtWork
}

export interface EndItem {
  readonly kind: "end"
  readonly reason: EndReason
  readonly message: string | undefined
  readonly cause: string | undefined
  readonly durationMs: number
  readonly costUsd: number
  readonly outputTokens: number
  readonly files: ChangedFiles
  /** Commands may have changed files too; those are still being counted. */
  readonly isCounting?: true
}

/** No later event can change it. */
export function isFinished(item: Item): boolean {
  switch (item.kind) {
    case "text":
    case "thinking":
      return item.finished
    case "call":
      return item.state !== "writing" && item.state !== "waiting" && item.state !== "running"
    case "end":
      return !item.isCounting
    default:
      return true
  }
}
