/** The moments at which hooks run: what their matchers are compared with, and what blocking means for each. */

import type { JsonObject } from "#lib/json.ts"
import type { Call } from "#agent/words/middleware.ts"
import type { AnyTool } from "#agent/words/tool.ts"

interface EventFacts {
  /** When it happens, for lists. */
  readonly about: string
  /** What a matcher is compared with; when absent, every hook of the event runs. */
  readonly matches?:
    | "tool"
    | "source"
    | "reason"
    | "trigger"
    | "agent type"
    | "notification type"
    | "load reason"
    | "command"
    | "server"
    | "file name"
    | "model"
  /** Whether plain text output goes to the model; otherwise it is shown to the user. */
  readonly plainText?: "context"
  /** Whether a hook can block the moment; otherwise its objection is shown to the user. */
  readonly blocks: boolean
  /** Whether a denial prevents the action entirely. */
  readonly guards?: true
  readonly mode: boolean
  /** Whether any exit code but 0 is a no. */
  readonly strict?: true
}

export const hookEvents = [
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
  "PermissionRequest",
  "PermissionDenied",
  "UserPromptSubmit",
  "UserPromptExpansion",
  "Stop",
  "StopFailure",
  "SubagentStart",
  "SubagentStop",
  "PreCompact",
  "PostCompact",
  "SessionStart",
  "SessionEnd",
  "Notification",
  "InstructionsLoaded",
  "CwdChanged",
  "DirectoryAdded",
  "Elicitation",
  "ElicitationResult",
  "TaskCreated",
  "TaskCompleted",
  "TeammateIdle",
  "ConfigChange",
  "FileChanged",
  "WorktreeCreate",
  "WorktreeRemove",
  "MessageDisplay",
  "PreModelSwitch",
  "PostModelSwitch",
  "Setup",
] as const

export type HookEvent = (typeof hookEvents)[number]

const events: { readonly [event in HookEvent]: EventFacts } = {
  PreToolUse: { about: "Before a tool runs", matches: "tool", blocks: true, guards: true, mode: true },
  PostToolUse: { about: "After a tool has run", matches: "tool", blocks: true, mode: true },
  PostToolUseFailure: { about: "After a tool has failed", matches: "tool", blocks: true, mode: true },
  PostToolBatch: { about: "After all calls of a step", blocks: true, mode: true },
  PermissionRequest: { about: "Before a permission question is asked", matches: "tool", blocks: true, mode: true },
  PermissionDenied: { about: "After a call was denied", matches: "tool", blocks: false, mode: true },
  UserPromptSubmit: { about: "Before a prompt is sent", plainText: "context", blocks: true, guards: true, mode: true },
  UserPromptExpansion: {
    about: "Before a slash command becomes a prompt",
    matches: "command",
    plainText: "context",
    blocks: true,
    guards: true,
    mode: true,
  },
  Stop: { about: "Before a turn ends", blocks: true, mode: true },
  StopFailure: { about: "After a turn ended with an error", matches: "reason", blocks: false, mode: true },
  SubagentStart: {
    about: "When an agent starts",
    matches: "agent type",
    plainText: "context",
    blocks: false,
    mode: false,
  },
  SubagentStop: { about: "Before an agent ends", matches: "agent type", blocks: true, mode: true },
  PreCompact: {
    about: "Before the conversation is compacted",
    matches: "trigger",
    plainText: "context",
    blocks: true,
    mode: false,
  },
  PostCompact: { about: "After the conversation was compacted", matches: "trigger", blocks: false, mode: false },
  SessionStart: {
    about: "When a session starts, resumes, or is cleared",
    matches: "source",
    plainText: "context",
    blocks: false,
    mode: false,
  },
  SessionEnd: { about: "When a session ends", matches: "reason", blocks: false, mode: false },
  Notification: { about: "When the user is notified", matches: "notification type", blocks: false, mode: true },
  InstructionsLoaded: { about: "When a memory file is loaded", matches: "load reason", blocks: false, mode: false },
  CwdChanged: { about: "When the working folder changes", blocks: false, mode: true },
  DirectoryAdded: { about: "When a folder is added to the workspace", blocks: false, mode: true },
  Elicitation: { about: "Before a server's question is asked", matches: "server", blocks: true, mode: true },
  ElicitationResult: { about: "Before a server gets its answer", matches: "server", blocks: true, mode: true },
  TaskCreated: { about: "When a task is created", blocks: true, mode: true },
  TaskCompleted: { about: "When a task is completed", blocks: true, mode: true },
  TeammateIdle: { about: "When a teammate has nothing left to do", blocks: true, mode: true },
  ConfigChange: { about: "When a settings file changes", matches: "source", blocks: true, mode: true },
  FileChanged: {
    about: "When a file that the model knows was changed by someone else",
    matches: "file name",
    blocks: false,
    mode: true,
  },
  WorktreeCreate: {
    about: "Instead of git, when an agent needs a worktree",
    blocks: true,
    guards: true,
    mode: true,
    strict: true,
  },
  WorktreeRemove: {
    about: "Instead of git, when such a worktree is removed",
    blocks: true,
    mode: true,
    strict: true,
  },
  MessageDisplay: { about: "When text of an answer is shown", blocks: false, mode: false },
  PreModelSwitch: { about: "Before another model is chosen", matches: "model", blocks: true, guards: true, mode: true },
  PostModelSwitch: {
    about: "After the model has changed",
    matches: "model",
    plainText: "context",
    blocks: false,
    mode: true,
  },
  Setup: { about: "When a project is set up", matches: "trigger", blocks: false, mode: true },
}

export const factsOf = (event: HookEvent): EventFacts => events[event]

export interface HookMoment {
  readonly event: HookEvent
  readonly subjects?: readonly string[]
  readonly fields: JsonObject
  /** The call it is about; without one, hooks narrowed by a rule do not run. */
  readonly call?: HookedCall
  /** Where the call would run: the same command in another folder is a different matter. */
  readonly cwd?: string
  readonly promptId?: string
  /** Limit for all hooks of the moment together, if shorter than their own. */
  readonly mostMs?: number
}

/** The part of a call that rules judge and the memory keeps. */
export interface HookedCall extends Pick<Call, "callId" | "input" | "footprint">, Partial<Pick<Call, "parsed">> {
  readonly tool: Pick<AnyTool, "name" | "aliases" | "changed" | "server">
}

/** `fields`: besides the tool's name and input. */
export function toolMoment(event: HookEvent, call: HookedCall, fields: JsonObject = {}): HookMoment {
  const { tool, input, callId } = call
  return {
    event,
    subjects: [tool.name, ...(tool.aliases ?? [])],
    fields: {
      tool_name: tool.name,
      tool_input: input,
      tool_use_id: callId,
      ...(tool.server && { mcp_server: { name: tool.server.name, source: tool.server.source } }),
      ...fields,
    },
    call,
  }
}
