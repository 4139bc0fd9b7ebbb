/** What a conversation is made of for whoever looks at it: items in their order, each finished or still open. */

import type { Display } from "#agent/words/display.ts"
import type { EndReason } from "#agent/words/end.ts"
import type { Answer } from "#agent/words/question.ts"
import type { Gathers } from "#agent/words/tool.ts"
import type { InputDraft } from "./input-draft.ts"
import type { MarkdownPiece } from "./pieces.ts"
import type { ChangedFiles } from "./changed.ts"

/** How a call stands. `writing`: the model still writes its input. `dropped`: the message that made it was cut off, so it counts as not made. */
export type CallState = "writing" | "waiting" | "running" | "done" | "failed" | "denied" | "dropped"

export type Item =
  | { readonly kind: "prompt"; readonly text: string }
  /** A piece of what the model says; a long text is many pieces, so that the settled ones need not be drawn again. */
  | { readonly kind: "text"; readonly messageId: string; readonly piece: MarkdownPiece; readonly finished: boolean }
  | { readonly kind: "thinking"; readonly messageId: string; readonly text: string; readonly finished: boolean }
  | CallItem
  | { readonly kind: "notice"; readonly level: "info" | "warning" | "error"; readonly text: string }
  /** What a server was told; what became of every other question is shown by the call that asked. */
  | { readonly kind: "elicited"; readonly server: string; readonly answer: Answer & { readonly kind: "elicited" } }
  | EndItem

export interface CallItem {
  readonly kind: "call"
  readonly callId: string
  readonly tool: string
  readonly title: string
  readonly state: CallState
  /** The end of what it has printed so far. */
  readonly tail: string
  readonly totalBytes: number
  readonly elapsedMs: number
  /** What is known of the input while it is written. */
  readonly draft?: InputDraft
  /** It only looks, at one of these. */
  readonly gathers?: Gathers
  /** Why it was not made, for people. */
  readonly refusal?: string
  /** It wrote the plan, which is shown when it is presented. */
  readonly isPlan?: true
  readonly result: { readonly text: string; readonly display: Display | undefined } | undefined
  /** It can go on in the background. */
  readonly movable?: true
  /** The agent that it started, while that works. */
  readonly agent?: AgentAtWork
}

export interface AgentAtWork {
  readonly type: string
  /** The call that the agent has under way. */
  readonly doing: string | undefined
  readonly toolUses: number
  /** What its conversation holds. */
  readonly tokens: number
  /** The agents that it started, at work. */
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
  /** Commands may have changed files too, and those are still being counted. */
  readonly isCounting?: true
}

/** Whether nothing that happens later can change an item. */
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
