/** One durable fact. The log consists of entries only; all state is folded from them. */

import type { AgentSpending, Budget } from "./budget.ts"
import type { JsonObject } from "#lib/json.ts"
import type { ConnectionFact } from "#lib/network.ts"
import type { ChildFact } from "./child.ts"
import type { CommandUse } from "./command.ts"
import type { Display } from "./display.ts"
import type { End } from "./end.ts"
import type { GateFact, GateName, SwitchedGates } from "./gates.ts"
import type { Goal } from "./goal.ts"
import type { Loop } from "./loop.ts"
import type { AssistantBlock, Message, PromptBlock, ResultContent } from "./message.ts"
import type { ModelFailure, StopReason, SystemPart, ToolSpec, Usage } from "./model.ts"
import type { PromptOrigin } from "./origin.ts"
import type { Behavior, Grant, PermissionMode, Reason } from "./permission.ts"
import type { Answer, Question } from "./question.ts"
import type { SeenFile } from "./seen.ts"
import type { ServerCallState } from "./server-call.ts"
import type { Thinking } from "./thinking.ts"
import type { Todo } from "./todo.ts"
import type { Gathers, InterruptedWhen, Outcome } from "./tool.ts"

export interface Stamp {
  readonly uuid: string
  readonly parentUuid: string | null
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** The digest of a file's content before a call changes it. */
export interface FileBefore {
  readonly path: string
  readonly before: string
}

export type EntryBody =
  /** A message to the agent from a user or a program. */
  | {
      readonly kind: "prompt"
      readonly content: readonly PromptBlock[]
      readonly promptId: string
      /** The command it was made from; faces show what was typed. */
      readonly command?: CommandUse
      /** Absent if a user typed it. */
      readonly origin?: PromptOrigin
    }
  /** A command the program answered itself, or that had no effect; the model does not see it. */
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
      /** `shell`: a command of the user, to be run instead of sent. `text`: nothing in it is a command. */
      readonly as?: "shell" | "text"
    }
  /** Queued prompts that were taken back and are not delivered. `by` is copied from the op. */
  | { readonly kind: "withdrawn"; readonly by: string; readonly prompts: readonly WithdrawnPrompt[] }
  /** A prompt that is not delivered because a hook refused it. */
  | { readonly kind: "unsent"; readonly promptId: string; readonly why: string }
  /** Context added by the program; the model sees it, the user need not. */
  | { readonly kind: "attachment"; readonly name: string; readonly text: string; readonly data?: JsonObject }
  /** One finished block of an assistant message; blocks of one message share its id. */
  | {
      readonly kind: "reply"
      readonly messageId: string
      readonly model: string
      readonly block: AssistantBlock
      readonly usage: Usage
      /** With the last block of a whole answer, whose usage is that of the answer. */
      readonly stopReason?: StopReason
      /** The provider's name for the request, with the last block. */
      readonly requestId?: string
      /** Interrupted by the user in the middle of its text. */
      readonly aborted?: true
    }
  /** The end of a message, whole or cut off. */
  | {
      readonly kind: "reply_end"
      readonly messageId: string
      readonly model: string
      /** Null when the answer did not get that far. */
      readonly stopReason: StopReason | null
      /**
       * `aborted`: interrupted by the user. `orphaned`: the connection broke before a call was complete, and
       * the step is repeated. `broken`: it broke after complete calls, which stay with their results; the turn
       * continues after them.
       */
      readonly cut?: "aborted" | "orphaned" | "broken"
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
  /** A user's hook ran. Written before its decision takes effect. */
  | {
      readonly kind: "hook"
      readonly event: string
      readonly matcher: string
      readonly name: string
      readonly source: string
      /** Null without an exit code: killed by a signal or timed out, never started, or not a program. */
      readonly exit: number | null
      readonly ms: number
      readonly decision?: "allow" | "ask" | "defer" | "deny"
      /** Why the hook failed. */
      readonly failure?: string
      /** The call or prompt it was about. */
      readonly callId?: string
      readonly promptId?: string
      /** It ran in the background; nothing waited for it. */
      readonly late?: boolean
      /** Its decision, and about which input: a call resumed later reuses it instead of running the hook again. */
      readonly said?: { readonly about: string; readonly meaning: JsonObject }
    }
  /** What the classifier of auto mode said about a call; `digest` identifies what it was asked about. */
  | {
      readonly kind: "verdict"
      readonly callId: string
      readonly tool: string
      readonly digest: string
      readonly verdict: "allow" | "block" | "ask"
      readonly why: string
      /** What the call would do, as it is shown. Absent in older logs. */
      readonly title?: string
    }
  /** What is about to be done. Written and synced before any side effect. */
  | {
      readonly kind: "intent"
      readonly callId: string
      /** The call or prompt it belongs to, if the model did not ask for it directly. */
      readonly within?: string
      readonly tool: string
      readonly title: string
      /** The files it will change, as they were: after a crash this shows whether it did. */
      readonly files: readonly FileBefore[]
    }
  /** The result of a call. */
  | {
      readonly kind: "result"
      readonly callId: string
      readonly tool: string
      /** The tool's title, where the input alone does not give it; see `plainTitle`. */
      readonly title?: string
      readonly gathers?: Gathers
      readonly content: ResultContent
      readonly isError: boolean
      readonly display?: Display
      readonly data?: JsonObject
      readonly denied?: { readonly input: JsonObject }
      /** Whether the user interrupted it before it did anything or while it ran. Absent in older logs. */
      readonly interrupted?: InterruptedWhen
      /** The files the model knows from it, as they were. */
      readonly seen?: readonly SeenFile[]
      readonly durationMs: number
    }
  /** A question for the user; written before it is shown. */
  | { readonly kind: "question"; readonly question: Question }
  /**
   * The answer, or that there was none; `digest` identifies what was shown. Also written while no process has the
   * session open.
   */
  | {
      readonly kind: "answer"
      readonly questionId: string
      readonly answer: Answer
      readonly digest?: string
      /** Who gave it, where several people could. */
      readonly by?: string
    }
  /** A rule the user gave when asked; a session rule stays in force until the session ends, also after a resume. */
  | ({ readonly kind: "grant"; /** It was taken back. */ readonly gone?: true } & Grant)
  /** The permission mode from here on. */
  | { readonly kind: "mode"; readonly mode: PermissionMode }
  /** The model from here on: chosen, or a fallback. */
  | { readonly kind: "model"; readonly model: string; readonly why: string }
  /** How much the model thinks from here on. */
  | { readonly kind: "thinking"; readonly thinking: Thinking }
  /** The total that may be spent from here on. */
  | { readonly kind: "budget"; readonly budget: Budget }
  /** The working folder from here on. */
  | { readonly kind: "cwd"; readonly path: string }
  /** Folders added to the workspace from here on. */
  | { readonly kind: "folders"; readonly added: readonly string[]; readonly removed?: readonly string[] }
  /** The conversation was made smaller to fit the provider's limit; the context kit says what each rung does. */
  | { readonly kind: "shrink"; readonly rung: ShrinkRung; readonly why: string }
  /** Results the model no longer needs in full: each is one line in the conversation from here on. */
  | { readonly kind: "stub"; readonly stubs: readonly Stub[]; readonly wonTokens: number }
  /** From here on the conversation starts with these messages: a summary, and what is carried over verbatim. */
  | {
      readonly kind: "compaction"
      readonly trigger: "auto" | "manual"
      readonly preTokens: number
      readonly postTokens: number
      /** Where the summary is from: the model, the memory of the session, or extracted without a model. */
      readonly by: "model" | "memory" | "extract"
      readonly summary: string
      readonly messages: readonly Message[]
      /** The state at this moment, as entries: reading the log from here is enough to know everything. */
      readonly standing: readonly EntryBody[]
      /** Where the user's own words are in the messages, prompt by prompt. */
      readonly said?: readonly PromptBlocks[]
      /** Where the program's own words are in the messages. Absent in older logs. */
      readonly added?: readonly Added[]
      /** The files whose content is in the messages; the agent no longer knows any others. */
      readonly files?: readonly string[]
      /** Those files as they were when the model last saw or wrote them. */
      readonly seen?: readonly SeenFile[]
      /** Ids of commands running in the background: a process that does not own them has lost them. */
      readonly running?: readonly string[]
      /** The prompt before which, or from which on, the user asked to summarize; everything if neither is set. */
      readonly upTo?: string
      readonly from?: string
      /** The summary was made ahead and covers so many messages; those after it are carried over as they were. */
      readonly covers?: number
      /** What was wrong with the model's summary or its result. */
      readonly failure?: string
    }
  /** A summary of the first so many messages, made ahead of a compaction; its request was recorded before. */
  | { readonly kind: "summary"; readonly text: string; readonly covers: number }
  /** The total cost of the session so far. */
  | {
      readonly kind: "spent"
      readonly turns: number
      readonly models: readonly ModelSpent[]
      /** By agent and kind of work. Absent in older logs. */
      readonly agents?: { readonly [who: string]: AgentSpending }
      /** A request outside the conversation, in no other entry of any log, that raised the total. */
      readonly side?: ModelUsed
    }
  /**
   * The conversation continues after the named entry, or from the beginning. What came after that entry stays in
   * the log as a branch. `files` says what was done to the files at the same time; `before` names the prompt that
   * only the files were rewound to, `prompt` is the text of the prompt that was rewound to, `forced` says that
   * changes by others were overwritten too, `gaps` which calls may have changed files that could not be restored, and
   * `contextTokens` how full the context was there, if known.
   */
  | {
      readonly kind: "head"
      readonly to: string | null
      readonly why: HeadWhy
      readonly files?: FilesRestored
      readonly before?: string
      readonly forced?: boolean
      readonly gaps?: readonly SnapshotGap[]
      readonly prompt?: string
      readonly contextTokens?: number
    }
  /** The files at a moment; the snapshot store keeps them. */
  | {
      readonly kind: "snapshot"
      readonly snapshotId: string
      readonly when: "prompt" | "before" | "after" | "restore"
      /** The prompt it precedes. */
      readonly promptId?: string
      /** The call around which it was taken. */
      readonly callId?: string
      /** What it does not cover, and why, for the user. */
      readonly uncovered: readonly string[]
      /** The call around which it was taken may have changed files that no snapshot has. */
      readonly gap?: SnapshotGap
    }
  /** The user reviewed changes: `keep` is only noted, the others changed files. `left` is what could not be undone or restored, and why. */
  | {
      readonly kind: "review"
      readonly act: ReviewAct
      readonly opId?: string
      readonly hunks: readonly ReviewedHunk[]
      readonly files?: FilesRestored
      readonly left?: readonly { readonly hunk: ReviewedHunk; readonly why: string }[]
    }
  /** What the user thinks of the last answer. */
  | { readonly kind: "feedback"; readonly rating: Rating; readonly text?: string; readonly messageId?: string }
  /** The name of the session. */
  | { readonly kind: "title"; readonly text: string; readonly by: "person" | "model" }
  /** The session's plan file, or what became of the plan. */
  | {
      readonly kind: "plan"
      readonly change: "named" | "approved" | "rejected" | "forgotten"
      readonly slug: string
      readonly path: string
      /** Of the approved text. */
      readonly digest?: string
    }
  /** A gate was passed, or came nearer to it. */
  | ({ readonly kind: "gate" } & GateFact)
  /** The gates that were switched while the session was open, all of them; `gate` is the one that was switched now. */
  | { readonly kind: "gates"; readonly switched: SwitchedGates; readonly gate?: GateName }
  /** What must hold before the session stops working, from here on. */
  | ({ readonly kind: "goal" } & Goal)
  /** The prompt that is repeated from here on. */
  | ({ readonly kind: "loop" } & Loop)
  /** A call created these files and waits for their review: it is not run again, whatever happens to the process. */
  | { readonly kind: "made"; readonly callId: string; readonly files: readonly string[]; readonly outcome: Outcome }
  /** How far a call of an MCP server came, so that another process continues it instead of calling again. */
  | { readonly kind: "server_call"; readonly callId: string; readonly server: string; readonly state: ServerCallState }
  /** What the session was opened with, so that another process can open it the same way. */
  | { readonly kind: "begun"; readonly opening: JsonObject }
  /** What every request starts with, from here on. */
  | { readonly kind: "setup"; readonly system: readonly SystemPart[]; readonly tools: readonly ToolSpec[] }
  /** A request is about to be sent; `digest` covers its messages, so that a reader can prove what was in it. */
  | {
      readonly kind: "request"
      readonly model: string
      /** Absent in older logs. */
      readonly provider?: string
      readonly messages: number
      readonly digest: string
      readonly maxTokens: number
      readonly thinking: string
      readonly delivery: string
      /** Set when it asks for a summary: its messages are the conversation plus a question, see the compaction kit. */
      readonly summary?: SummaryAsk
    }
  /**
   * Requests to another machine, or one that offline mode refused: the first of a process when it is made, the others
   * together when the session is closed. `count` is how many this entry stands for.
   */
  | ({ readonly kind: "connection"; readonly count: number } & ConnectionFact)
  /** Files that the model knows although no result says so: a client vouches for them. */
  | { readonly kind: "seeded"; readonly seen: readonly SeenFile[] }
  /** A shell command run by the user; the model sees it with its output. */
  | { readonly kind: "shell"; readonly command: string; readonly output: string; readonly exitCode: number | null }
  /** The agent's whole to-do list from here on; `by` if the user changed it. */
  | { readonly kind: "todo"; readonly todos: readonly Todo[]; readonly by?: "person" }
  /** A child agent has started, moved to the background, or ended. It has its own log. */
  | ({ readonly kind: "child" } & ChildFact)
  /**
   * The team this session is in, under which name, and the last message it has. Attachments with mail move the number on;
   * `over`: it has left the team.
   */
  | {
      readonly kind: "team"
      readonly team: string
      readonly name: string
      readonly mailTo: number
      /** It changes nothing until the lead has approved its plan. */
      readonly plans?: true
      readonly over?: true
    }
  /** The start of a turn. */
  | { readonly kind: "turn_start"; readonly turnId: string }
  /** The end of a turn, with the reason and, after an error, its cause. */
  | ({ readonly kind: "turn_end"; readonly turnId: string } & End)
  /** Something the user should know that is not part of the conversation. */
  | {
      readonly kind: "notice"
      readonly level: "info" | "warning" | "error"
      readonly text: string
      /** Set where something is folded from it. */
      readonly about?: "compaction_failed"
    }

/** What was asked after the conversation, and on which attempt: each one leaves out more of the beginning. */
export interface SummaryAsk {
  readonly attempt: number
  readonly question: string
  /** Empty for none, absent in older logs. */
  readonly instructions?: string
  /** Only the first so many messages of the conversation were summarized. */
  readonly first?: number
  /** It is made ahead of a compaction. */
  readonly ahead?: true
}

/** The blocks of one message that make up one prompt. */
export interface PromptBlocks {
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

/** The line that replaces a result. */
export interface Stub {
  readonly callId: string
  readonly text: string
}

export interface ModelUsed {
  readonly model: string
  readonly usage: Usage
}

export interface ModelSpent extends ModelUsed {
  readonly costUsd: number
}

export interface WithdrawnPrompt {
  readonly promptId: string
  readonly content: readonly PromptBlock[]
  readonly as?: "shell" | "text"
}

export const headWhys = ["rewind", "redo", "clear", "switch", "uncompact"] as const
export type HeadWhy = (typeof headWhys)[number]

export const reviewActs = ["keep", "undo", "restore"] as const
export type ReviewAct = (typeof reviewActs)[number]

export const ratings = ["good", "bad"] as const
export type Rating = (typeof ratings)[number]

/** A part of what was changed in a file, or all of it. */
export interface ReviewedHunk {
  readonly id: string
  /** As it is shown to the user. */
  readonly path: string
  /** Absent where the whole file is one change, as when it was created. */
  readonly lines?: { readonly from: number; readonly to: number }
  readonly change: "created" | "modified" | "removed" | "mode"
  /** The lines with their signs, cut where they are many. */
  readonly patch: string
}

/** A call that undo does not cover, or not all of it. */
export interface SnapshotGap {
  /** The title of the call. */
  readonly call: string
  readonly why: string
}

/** What a restore did: from which snapshot to which, and what it left alone because someone else had changed it. */
export interface FilesRestored {
  readonly from: string
  readonly to: string
  readonly written: readonly string[]
  readonly removed: readonly string[]
  /** Left as they are, though they differ. */
  readonly kept: readonly string[]
  /** Why, for those that nobody else has changed. Absent in older logs. */
  readonly why?: { readonly [path: string]: string }
}

/** The steps taken when the provider refuses a conversation as too large, gentlest first. */
export const shrinkRungs = ["media", "results", "turns", "summary"] as const
/** `old_media` is not one of those steps: it keeps within the provider's image limit without being refused first. */
export type ShrinkRung = (typeof shrinkRungs)[number] | "old_media"

export type Entry = Stamp & EntryBody
