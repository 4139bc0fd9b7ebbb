/** One durable fact. The log is nothing but entries; all state is folded from them. */

import type { AgentSpending, Budget } from "./budget.ts"
import type { JsonObject } from "#lib/json.ts"
import type { ChildFact } from "./child.ts"
import type { CommandUse } from "./command.ts"
import type { Display } from "./display.ts"
import type { End } from "./end.ts"
import type { AssistantBlock, Message, PromptBlock, ResultContent } from "./message.ts"
import type { ModelFailure, StopReason, SystemPart, ToolSpec, Usage } from "./model.ts"
import type { PromptOrigin } from "./origin.ts"
import type { Behavior, Grant, PermissionMode, Reason } from "./permission.ts"
import type { Answer, Question } from "./question.ts"
import type { SeenFile } from "./seen.ts"
import type { Thinking } from "./thinking.ts"
import type { Todo } from "./todo.ts"
import type { Gathers, InterruptedWhen } from "./tool.ts"

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
  | {
      readonly kind: "prompt"
      readonly content: readonly PromptBlock[]
      readonly promptId: string
      /** The command that it was made of; faces show what was typed. */
      readonly command?: CommandUse
      /** Where its text comes from; absent where a person typed it. */
      readonly origin?: PromptOrigin
    }
  /** A command that the program answered by itself, or that came to nothing; the model hears nothing of it. */
  | {
      readonly kind: "command"
      readonly promptId: string
      readonly typed: string
      readonly text: string
      readonly isError: boolean
    }
  /** A prompt that arrived while the agent worked; it becomes a `prompt` with the same id when it is delivered. */
  | {
      readonly kind: "queued"
      readonly content: readonly PromptBlock[]
      readonly promptId: string
      readonly when: "steer" | "queue"
      readonly origin?: PromptOrigin
      /** A command of the person's own, to be run and not said. */
      readonly as?: "shell"
    }
  /** Queued prompts that were taken back: they are not delivered. `by` is what the op said. */
  | { readonly kind: "withdrawn"; readonly by: string; readonly prompts: readonly WithdrawnPrompt[] }
  /** A prompt that is not delivered after all: a hook refuses it. */
  | { readonly kind: "unsent"; readonly promptId: string; readonly why: string }
  /** Context the program adds; the model sees it, the person need not. */
  | { readonly kind: "attachment"; readonly name: string; readonly text: string; readonly data?: JsonObject }
  /** One finished block of an assistant message; blocks of one message share its id. */
  | {
      readonly kind: "reply"
      readonly messageId: string
      readonly model: string
      readonly block: AssistantBlock
      readonly usage: Usage
    }
  /** The message is over: whole, or cut off. */
  | {
      readonly kind: "reply_end"
      readonly messageId: string
      readonly model: string
      /** Why the model stopped; null when it did not come to that. */
      readonly stopReason: StopReason | null
      /**
       * `aborted`: interrupted by the user. `orphaned`: the connection broke before a call was complete, and the step is
       * repeated. `broken`: it broke after complete calls, which stay with their results; the turn continues after them.
       */
      readonly cut?: "aborted" | "orphaned" | "broken"
      /** Why it is orphaned or broken. */
      readonly failure?: ModelFailure
      readonly usage: Usage
      /** Absent when the model has no known price. */
      readonly costUsd?: number
      readonly durationMs: number
    }
  /** A message that was cut off before a call was complete: never sent again. */
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
  /** A hook ran: a program of the person's own, at a moment of the session. Written before what it decides takes effect. */
  | {
      readonly kind: "hook"
      readonly event: string
      readonly matcher: string
      readonly name: string
      readonly source: string
      /** Its exit code; null when it has none: ended by a signal or out of time, never started, or no program. */
      readonly exit: number | null
      readonly ms: number
      readonly decision?: "allow" | "ask" | "defer" | "deny"
      /** Why it did not do its work. */
      readonly failure?: string
      /** The call or the prompt that it was about. */
      readonly callId?: string
      readonly promptId?: string
      /** Nobody waited for it. */
      readonly late?: boolean
      /** What it wanted, and of which input: a call that goes on after a resume takes its word instead of asking again. */
      readonly said?: { readonly about: string; readonly meaning: JsonObject }
    }
  /** What the classifier of the mode auto said about a call; `digest` is that of what it was asked about. */
  | {
      readonly kind: "verdict"
      readonly callId: string
      readonly tool: string
      readonly digest: string
      readonly verdict: "allow" | "block" | "ask"
      readonly why: string
    }
  /** What is about to be done. Written and synced before any side effect. */
  | {
      readonly kind: "intent"
      readonly callId: string
      /** The call or the prompt that it belongs to, where the model did not ask for it itself. */
      readonly within?: string
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
      /** What the tool called it, where its input alone does not say so; see `plainTitle`. */
      readonly title?: string
      readonly gathers?: Gathers
      readonly content: ResultContent
      readonly isError: boolean
      readonly display?: Display
      readonly data?: JsonObject
      readonly denied?: { readonly input: JsonObject }
      /** The person interrupted it: before it did anything, or while it was at work. Absent in logs of older versions. */
      readonly interrupted?: InterruptedWhen
      /** The files that the model knows by it, as they were. */
      readonly seen?: readonly SeenFile[]
      readonly durationMs: number
    }
  /** Something a person must answer; written before it is shown. */
  | { readonly kind: "question"; readonly question: Question }
  /** What was answered, or that nobody did; `digest` names what was shown. Also written while no process has the session open. */
  | { readonly kind: "answer"; readonly questionId: string; readonly answer: Answer; readonly digest?: string }
  /** A rule that the person gave while they were asked; one for the session holds until its end, also after a resume. */
  | ({ readonly kind: "grant" } & Grant)
  /** The permission mode from here on. */
  | { readonly kind: "mode"; readonly mode: PermissionMode }
  /** The model from here on: chosen, or fallen back to. */
  | { readonly kind: "model"; readonly model: string; readonly why: string }
  /** How much the model thinks from here on. */
  | { readonly kind: "thinking"; readonly thinking: Thinking }
  /** What may be spent from here on, all together. */
  | { readonly kind: "budget"; readonly budget: Budget }
  /** The working folder from here on. */
  | { readonly kind: "cwd"; readonly path: string }
  /** Folders that belong to the workspace from here on, besides those that did before. */
  | { readonly kind: "folders"; readonly added: readonly string[] }
  /** The conversation was made smaller so that the provider takes it; see the context kit for what each rung does. */
  | { readonly kind: "shrink"; readonly rung: ShrinkRung; readonly why: string }
  /** Results that the model no longer needs whole: each is a line in the conversation from here on. */
  | { readonly kind: "stub"; readonly stubs: readonly Stub[]; readonly wonTokens: number }
  /** The conversation from here on begins with these messages: a summary, and what is carried over word for word. */
  | {
      readonly kind: "compaction"
      readonly trigger: "auto" | "manual"
      readonly preTokens: number
      readonly postTokens: number
      /** Whether a model wrote the summary, or it was extracted without one. */
      readonly by: "model" | "extract"
      readonly summary: string
      readonly messages: readonly Message[]
      /** What holds at this moment, as entries that say so: whoever reads the log from here on knows as much as who read it all. */
      readonly standing: readonly EntryBody[]
      /** Where in the messages the words of the person are, prompt by prompt. */
      readonly said?: readonly Said[]
      /** Where in the messages the program's own words are. Absent in logs of older versions. */
      readonly added?: readonly Added[]
      /** The files whose content is among the messages; of others the agent knows nothing any more. */
      readonly files?: readonly string[]
      /** How those were when the model was last shown them, or wrote them. */
      readonly seen?: readonly SeenFile[]
      /** Commands that ran in the background, by their ids: a process that does not have them has lost them. */
      readonly running?: readonly string[]
      /** The prompt before which, or from which on, the person had it summarized; everything where neither is named. */
      readonly upTo?: string
      readonly from?: string
      /** What was wrong with the model's summary, or with what came of it. */
      readonly failure?: string
    }
  /** What the session has cost so far, all together. */
  | {
      readonly kind: "spent"
      readonly turns: number
      readonly models: readonly ModelSpent[]
      /** By agent and kind of work. Absent in logs of older versions. */
      readonly agents?: { readonly [who: string]: AgentSpending }
    }
  /**
   * The conversation goes on after the entry named, or from the beginning. What came after it stays in the log as a branch
   * of its own. `files` says what was done to the files at the same time; `before` names the prompt that only the files
   * went back to, `prompt` is the text of the prompt that was gone back to, `forced` says that what someone else had
   * changed was overwritten too, and `contextTokens` how full the context was there, where that is known.
   */
  | {
      readonly kind: "head"
      readonly to: string | null
      readonly why: HeadWhy
      readonly files?: FilesRestored
      readonly before?: string
      readonly forced?: boolean
      readonly prompt?: string
      readonly contextTokens?: number
    }
  /** How the files were at a moment; the store of snapshots holds them. */
  | {
      readonly kind: "snapshot"
      readonly snapshotId: string
      readonly when: "prompt" | "before" | "after" | "restore"
      /** The prompt it precedes. */
      readonly promptId?: string
      /** The call around which it was taken. */
      readonly callId?: string
      /** What it does not cover, and why, for the person. */
      readonly uncovered: readonly string[]
    }
  /** What the session is called. */
  | { readonly kind: "title"; readonly text: string; readonly by: "person" | "model" }
  /** The plan file of the session, or what became of the plan. */
  | {
      readonly kind: "plan"
      readonly change: "named" | "approved" | "rejected" | "forgotten"
      readonly slug: string
      readonly path: string
      /** Of the text that was approved. */
      readonly digest?: string
    }
  /** What the session was opened with, so that another process can open it the same way. */
  | { readonly kind: "begun"; readonly opening: JsonObject }
  /** What every request begins with, from here on. */
  | { readonly kind: "setup"; readonly system: readonly SystemPart[]; readonly tools: readonly ToolSpec[] }
  /** A request is about to be sent; `digest` is that of its messages, so that a reader can prove what was in it. */
  | {
      readonly kind: "request"
      readonly model: string
      /** Who was asked; logs of before do not say. */
      readonly provider?: string
      readonly messages: number
      readonly digest: string
      readonly maxTokens: number
      readonly thinking: string
      readonly delivery: string
      /** It asked for a summary: its messages are those of the conversation and a question, see the compaction kit. */
      readonly summary?: SummaryAsk
    }
  /** A command that the person ran themselves; the model sees it with its output. */
  | { readonly kind: "shell"; readonly command: string; readonly output: string; readonly exitCode: number | null }
  /** The agent's list of work, whole, from here on. */
  | { readonly kind: "todo"; readonly todos: readonly Todo[] }
  /** An agent that this one started has begun, went to the background, or is over. It works in a log of its own. */
  | ({ readonly kind: "child" } & ChildFact)
  /** A turn begins. */
  | { readonly kind: "turn_start"; readonly turnId: string }
  /** A turn is over, with the reason and, after an error, its cause. */
  | ({ readonly kind: "turn_end"; readonly turnId: string } & End)
  /** Something a person should know that is not part of the conversation. */
  | {
      readonly kind: "notice"
      readonly level: "info" | "warning" | "error"
      readonly text: string
      /** What it is about, where something is folded from it. */
      readonly about?: "compaction_failed"
    }

/** What was asked after the conversation, and at which try: with each one more of its beginning is left out. */
export interface SummaryAsk {
  readonly attempt: number
  readonly question: string
  /** What was asked of it in particular; empty for nothing, absent in logs of older versions. */
  readonly instructions?: string
  /** It was about so many messages of the conversation only, from its beginning. */
  readonly first?: number
}

/** The blocks of one message that are one prompt. */
export interface Said {
  readonly message: number
  readonly blocks: readonly number[]
}

/** A block of a message that is an attachment: its name and its fields. */
export interface Added {
  readonly message: number
  readonly block: number
  readonly name: string
  readonly data?: JsonObject
}

/** A result and the line that stands for it. */
export interface Stub {
  readonly callId: string
  readonly text: string
}

export interface ModelSpent {
  readonly model: string
  readonly usage: Usage
  readonly costUsd: number
}

export interface WithdrawnPrompt {
  readonly promptId: string
  readonly content: readonly PromptBlock[]
  readonly as?: "shell"
}

export const headWhys = ["rewind", "redo", "clear", "switch", "uncompact"] as const
export type HeadWhy = (typeof headWhys)[number]

/** What a restore did: the snapshots it went between, and what it left alone because someone else had changed it. */
export interface FilesRestored {
  readonly from: string
  readonly to: string
  readonly written: readonly string[]
  readonly removed: readonly string[]
  readonly kept: readonly string[]
}

/** The ladder for a conversation that the provider refuses, gentlest first. */
export const shrinkRungs = ["media", "results", "turns", "summary"] as const
/** `old_media` is no rung of the ladder: it keeps within the provider's count, without being refused first. */
export type ShrinkRung = (typeof shrinkRungs)[number] | "old_media"

export type Entry = Stamp & EntryBody
