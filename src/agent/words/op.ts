/** What a face may ask of a session. */

import type { Budget } from "./budget.ts"
import type { CommandUse } from "./command.ts"
import type { PromptBlock } from "./message.ts"
import type { PromptOrigin } from "./origin.ts"
import type { Behavior, GrantDestination, PermissionMode } from "./permission.ts"
import type { Answer } from "./question.ts"
import type { Effort, Thinking } from "./thinking.ts"

export type Op =
  /** `steer` is delivered after the tools under way; `queue` when the turn ends. Either starts a turn when none runs. */
  | {
      readonly type: "prompt"
      readonly content: readonly PromptBlock[]
      readonly when: "steer" | "queue"
      /** By which whoever sends it knows it again, and so does the session: the same id a second time is not said twice. */
      readonly promptId?: string
      /** It was a command once: what it became is taken as it is, with what it brought along. */
      readonly command?: CommandUse
      /** Where its text comes from; absent where a person typed it. */
      readonly origin?: PromptOrigin
    }
  /** A command by its name; the same as a prompt that begins with a slash and the name. It begins a turn of its own. */
  | { readonly type: "command"; readonly name: string; readonly args: string; readonly promptId?: string }
  /** `digest`: that of the question as it was shown; the answer counts only if it still is that. */
  | { readonly type: "answer"; readonly questionId: string; readonly answer: Answer; readonly digest?: string }
  /** `graceMs`: how long what runs may take to end. `withdraw` also takes back all that is queued, even what hooks still look at. */
  | { readonly type: "interrupt"; readonly graceMs?: number; readonly withdraw?: string }
  /** Takes queued prompts back before they are sent. The entry `withdrawn` says which; `by` tells the asker that it is theirs. */
  | { readonly type: "withdraw"; readonly what: "all" | "last"; readonly by: string }
  /** Lets the model hear what is new while nothing is under way: a finished agent, mail, a timer. Nothing new, no turn. */
  | { readonly type: "wake" }
  /** Changes the permission mode. */
  | { readonly type: "set_mode"; readonly mode: PermissionMode }
  /** Adds a permission rule, which counts at once: for this session and its agents, and for questions that wait. */
  | {
      readonly type: "add_rule"
      readonly behavior: Behavior
      readonly rule: string
      readonly destination: GrantDestination
    }
  /** Adds a folder to the workspace, for the rest of the session. Relative paths start where commands run. */
  | { readonly type: "add_folder"; readonly path: string }
  /** Changes the model that answers. */
  | { readonly type: "set_model"; readonly model: string }
  /** Switches thinking on or off. */
  | { readonly type: "set_thinking"; readonly to: Thinking | "toggle" }
  /** How much effort answers take; `auto` leaves it to the model. */
  | { readonly type: "set_effort"; readonly effort: Effort | "auto" }
  /** What may be spent, all together. A turn that waits at the budget continues where it covers the next request. */
  | { readonly type: "set_budget"; readonly budget: Budget }
  /** Goes back to before a prompt: files, conversation or both. Only while no turn runs, like the five after it. */
  | {
      readonly type: "rewind"
      readonly promptId: string
      readonly what: "files" | "conversation" | "both"
      /** What someone else has changed since is overwritten too. */
      readonly force?: boolean
    }
  /** Undoes the last rewind. */
  | { readonly type: "redo" }
  /** Goes on with another branch of the conversation, after its last entry; null where it begins anew. */
  | { readonly type: "switch"; readonly to: string | null }
  /** Forgets the conversation; the log keeps it. */
  | { readonly type: "clear" }
  /** Summarizes the conversation: all of it, what came before a prompt, or that prompt and what came after it. */
  | {
      readonly type: "compact"
      readonly instructions?: string
      /** The id of the prompt that is the first to stay as it is. */
      readonly upTo?: string
      /** The id of the prompt before which everything stays as it is. */
      readonly from?: string
    }
  /** Undoes the last compaction. */
  | { readonly type: "uncompact" }
  /** How answers are written after the conversation is cleared, and in later sessions. */
  | { readonly type: "set_style"; readonly style: string }
  /** Runs a command of the person's own, after the turn that runs; its output is shown to the model with the next prompt. */
  | { readonly type: "shell"; readonly command: string }
  /** Names the session. */
  | { readonly type: "rename"; readonly title: string }
  /** Moves what runs to the background: the command, or the agents. */
  | { readonly type: "background" }
  /** Ends an agent that this one started. */
  | { readonly type: "stop_agent"; readonly agentId: string }
  /** Says something to an agent that this one started. */
  | { readonly type: "steer_agent"; readonly agentId: string; readonly content: readonly PromptBlock[] }
  /** Tries an MCP server again, or turns it on or off for this session. Taken when it is known how the server is after it. */
  | { readonly type: "server"; readonly name: string; readonly act: "reconnect" | "enable" | "disable" }
  /** Adds a line to a memory file of this session. */
  | { readonly type: "remember"; readonly path: string; readonly line: string }
  /** Ends a command that runs in the background. */
  | { readonly type: "stop_command"; readonly commandId: string }
