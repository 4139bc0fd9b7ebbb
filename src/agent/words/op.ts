/** What a face may ask of a session. */

import type { JsonObject } from "#lib/json.ts"
import type { Budget } from "./budget.ts"
import type { CommandUse } from "./command.ts"
import type { Rating, ReviewAct } from "./entry.ts"
import type { GateName } from "./gates.ts"
import type { GoalCheck } from "./goal.ts"
import type { InterruptCause } from "./interruption.ts"
import type { Loop } from "./loop.ts"
import type { PromptBlock } from "./message.ts"
import type { PromptOrigin } from "./origin.ts"
import type { Behavior, GrantDestination, PermissionMode } from "./permission.ts"
import type { Answer } from "./question.ts"
import type { Effort, Thinking } from "./thinking.ts"
import type { Todo } from "./todo.ts"

/** `disable` is for this session, `disable_here` for the folder until it is enabled again; `login` begins one in a browser. */
export type ServerAct = "reconnect" | "enable" | "disable" | "disable_here" | "login"

/** Which changes are reviewed: all of the session, those of the last turn that made any, or all since a prompt. */
export type ReviewScope = "session" | "turn" | { readonly since: string }

export type Op =
  /**
   * `steer` is delivered after the tools in progress; `queue` when the turn ends. Either starts a turn when none
   * runs.
   */
  | {
      readonly type: "prompt"
      readonly content: readonly PromptBlock[]
      readonly when: "steer" | "queue"
      /** Chosen by the sender. A prompt with an id the session already knows is not sent twice. */
      readonly promptId?: string
      /** Set for a prompt that came from a command: taken as it is, with what the command brought along. */
      readonly command?: CommandUse
      /** Absent if a user typed it. */
      readonly origin?: PromptOrigin
      /** `text`: a program put it together, so nothing in it is a command. */
      readonly as?: "text"
      /** A command that the sender answers with something to choose: the rest of the queue waits for `release`. */
      readonly holds?: true
      /** The face that sent it, if it is in another process: what it queues is its own. */
      readonly from?: string
    }
  /** A command by name; the same as a prompt with a slash and the name. It starts its own turn. */
  | {
      readonly type: "command"
      readonly name: string
      readonly args: string
      readonly promptId?: string
      readonly from?: string
    }
  /**
   * `digest` is that of the question as shown; the answer only counts if the question is still the same. `by`: who answers, where several
   * people could.
   */
  | {
      readonly type: "answer"
      readonly questionId: string
      readonly answer: Answer
      readonly digest?: string
      readonly by?: string
    }
  /**
   * `graceMs`: how long running calls may take to stop. `withdraw` also takes back everything the sender has queued, even
   * what hooks are still looking at. What other faces have queued is sent next.
   */
  | {
      readonly type: "interrupt"
      readonly graceMs?: number
      readonly withdraw?: string
      readonly from?: string
      /** Where it is not the user who interrupts. */
      readonly cause?: InterruptCause
    }
  /**
   * Takes queued prompts of the sender back before they are sent. The entry `withdrawn` lists them; `by` lets the sender
   * recognise its own.
   */
  | { readonly type: "withdraw"; readonly what: "all" | "last"; readonly by: string; readonly from?: string }
  /** Delivers what a prompt with `holds` keeps waiting. */
  | { readonly type: "release" }
  /**
   * Tells the model about news while nothing is running: a finished agent, a message, a timer. Without news, no
   * turn starts.
   */
  | { readonly type: "wake" }
  /** Changes the permission mode. */
  | { readonly type: "set_mode"; readonly mode: PermissionMode }
  /**
   * Switches a gate for the rest of the session. `by`: who does, where several people could. `limits`: they can switch off only what was switched on
   * or asked for in this session, not what files ask for.
   */
  | {
      readonly type: "set_gate"
      readonly gate: GateName
      readonly on: boolean
      readonly by?: string
      readonly limits?: "session"
    }
  /** Works until this holds, within its limits; null ends it. It replaces the goal there was. */
  | { readonly type: "set_goal"; readonly goal: GoalCheck | null }
  /** Repeats a prompt while the session is open, beginning now; null ends it. It replaces the loop there was. */
  | { readonly type: "set_loop"; readonly loop: Pick<Loop, "everyMs" | "prompt"> | null }
  /** Adds a permission rule, effective at once: for this session and its agents, and for open questions. */
  | {
      readonly type: "add_rule"
      readonly behavior: Behavior
      readonly rule: string
      readonly destination: GrantDestination
    }
  /** Takes back a rule that applies to this session alone. */
  | { readonly type: "drop_rule"; readonly behavior: Behavior; readonly rule: string }
  /** Adds a folder to the workspace, for the rest of the session. Relative paths start where commands run. */
  | {
      readonly type: "add_folder"
      readonly path: string
      /** `root`: a folder inside the workspace that is a project of its own; its memory and skills count from now on. */
      readonly as?: "root"
    }
  /** Changes the model. */
  | { readonly type: "set_model"; readonly model: string }
  /** Switches thinking on or off. */
  | { readonly type: "set_thinking"; readonly to: Thinking | "toggle" }
  /** Sets the effort; `auto` leaves it to the model. */
  | { readonly type: "set_effort"; readonly effort: Effort | "auto" }
  /** The total that may be spent. A turn waiting at the budget continues if it covers the next request. */
  | { readonly type: "set_budget"; readonly budget: Budget }
  /** Goes back to before a prompt: files, conversation or both. Only while no turn runs, like the five below. */
  | {
      readonly type: "rewind"
      readonly promptId: string
      readonly what: "files" | "conversation" | "both"
      /** Also overwrites what others have changed since. */
      readonly force?: boolean
    }
  /** Keeps, undoes or restores parts of what was changed, by the ids that the query `review` gives them. Only while no turn runs. */
  | {
      readonly type: "review"
      readonly act: ReviewAct
      readonly hunks: readonly string[]
      readonly scope: ReviewScope
      /** Recorded with it, so that whoever asked knows that it was done. */
      readonly opId?: string
    }
  /** Says what the user thinks of the last answer; recorded, and sent to nobody. */
  | { readonly type: "feedback"; readonly rating: Rating; readonly text?: string }
  /** Undoes the last rewind. */
  | { readonly type: "redo" }
  /** Continues another branch of the conversation after its last entry, or after any other one; null for a new one. */
  | { readonly type: "switch"; readonly to: string | null }
  /** Clears the conversation; the log keeps it. */
  | { readonly type: "clear" }
  /** Summarizes the conversation: all of it, what came before a prompt, or from a prompt on. */
  | {
      readonly type: "compact"
      readonly instructions?: string
      /** Id of the first prompt that stays as it is. */
      readonly upTo?: string
      /** Id of the prompt before which everything stays as it is. */
      readonly from?: string
    }
  /** Undoes the last compaction. */
  | { readonly type: "uncompact" }
  /** Sets the output style. Applies after the conversation is cleared, and in later sessions. */
  | { readonly type: "set_style"; readonly style: string }
  /** Runs a user's shell command after the current turn; its output goes to the model with the next prompt. */
  | { readonly type: "shell"; readonly command: string; readonly from?: string }
  /** Replaces the agent's list of work; the model is shown the new one with its next request. */
  | { readonly type: "set_todos"; readonly todos: readonly Todo[] }
  /** Names the session. */
  | { readonly type: "rename"; readonly title: string }
  /** Moves the running command or agents to the background; with an id, only what that call started. */
  | { readonly type: "background"; readonly callId?: string }
  /** Stops a child agent. */
  | { readonly type: "stop_agent"; readonly agentId: string }
  /** Sends a message to a child agent. */
  | { readonly type: "steer_agent"; readonly agentId: string; readonly content: readonly PromptBlock[] }
  /**
   * Reconnects an MCP server, or turns it on or off for this session. Accepted once the server's new state is
   * known.
   */
  | { readonly type: "server"; readonly name: string; readonly act: ServerAct }
  /** Passes on what an MCP server inside the client says by itself: a notification, or a request of its own. */
  | { readonly type: "server_message"; readonly server: string; readonly message: JsonObject }
  /** The model knows this file as it was at that time, in milliseconds since the epoch; refused if it changed since. */
  | { readonly type: "seed_read"; readonly path: string; readonly readAt: number }
  /** Adds a line to a memory file of this session. */
  | { readonly type: "remember"; readonly path: string; readonly line: string }
  /** Gives a task of the team to a member, or to whoever is free first. Whoever works on it loses it. */
  | { readonly type: "assign_task"; readonly taskId: string; readonly to: string | null }
  /** Stops a background command; with an agent's id, one of that agent. */
  | { readonly type: "stop_command"; readonly commandId: string; readonly agentId?: string }
