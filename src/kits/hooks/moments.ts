/** The moments of a session at which hooks run: what a matcher of each is held against, and what blocking means there. */

import type { JsonObject } from "#lib/json.ts"
import type { Call } from "#agent/words/middleware.ts"
import type { AnyTool } from "#agent/words/tool.ts"

interface EventFacts {
  /** What a matcher is about; where nothing is named, every hook of the event runs. */
  readonly matches?: "tool" | "source" | "reason" | "trigger" | "agent type" | "notification type" | "load reason"
  /** Whether text that is no JSON is told to the model; otherwise the user is shown it. */
  readonly plainText?: "context"
  /** Whether a hook can stop what the moment is about; where it cannot, what it says against it is shown to the user. */
  readonly blocks: boolean
  /** Whether what the moment is about does not happen at all when a hook says no. */
  readonly guards?: true
  /** Whether its input names the permission mode. */
  readonly mode: boolean
  /** Nothing in the program comes to this moment yet. */
  readonly fires?: "not yet"
}

export const hookEvents = [
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PermissionRequest",
  "PermissionDenied",
  "UserPromptSubmit",
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
  "TaskCreated",
  "TaskCompleted",
  "TeammateIdle",
  "ConfigChange",
  "FileChanged",
  "WorktreeCreate",
  "WorktreeRemove",
  "Setup",
] as const

export type HookEvent = (typeof hookEvents)[number]

const events: { readonly [event in HookEvent]: EventFacts } = {
  PreToolUse: { matches: "tool", blocks: true, guards: true, mode: true },
  PostToolUse: { matches: "tool", blocks: true, mode: true },
  PostToolUseFailure: { matches: "tool", blocks: true, mode: true },
  PermissionRequest: { matches: "tool", blocks: true, mode: true },
  PermissionDenied: { matches: "tool", blocks: false, mode: true },
  UserPromptSubmit: { plainText: "context", blocks: true, guards: true, mode: true },
  Stop: { blocks: true, mode: true },
  StopFailure: { matches: "reason", blocks: false, mode: true },
  SubagentStart: { matches: "agent type", plainText: "context", blocks: false, mode: false },
  SubagentStop: { matches: "agent type", blocks: true, mode: true },
  PreCompact: { matches: "trigger", plainText: "context", blocks: true, mode: false },
  PostCompact: { matches: "trigger", blocks: false, mode: false },
  SessionStart: { matches: "source", plainText: "context", blocks: false, mode: false },
  SessionEnd: { matches: "reason", blocks: false, mode: false },
  Notification: { matches: "notification type", blocks: false, mode: true },
  InstructionsLoaded: { matches: "load reason", blocks: false, mode: false },
  CwdChanged: { blocks: false, mode: true },
  TaskCreated: { blocks: true, mode: true, fires: "not yet" },
  TaskCompleted: { blocks: true, mode: true, fires: "not yet" },
  TeammateIdle: { blocks: true, mode: true, fires: "not yet" },
  ConfigChange: { matches: "source", blocks: true, mode: true, fires: "not yet" },
  FileChanged: { blocks: false, mode: true, fires: "not yet" },
  WorktreeCreate: { blocks: false, mode: true, fires: "not yet" },
  WorktreeRemove: { blocks: false, mode: true, fires: "not yet" },
  Setup: { matches: "trigger", blocks: false, mode: true, fires: "not yet" },
}

export const factsOf = (event: HookEvent): EventFacts => events[event]

/** One moment: what happens, as the hooks are told it. */
export interface HookMoment {
  readonly event: HookEvent
  /** What a matcher is held against: the names of the tool, the source, the reason. */
  readonly subjects?: readonly string[]
  /** What the input says besides what every input says. */
  readonly fields: JsonObject
  /** The call it is about; without one no hook that is narrowed by a rule runs. */
  readonly call?: HookedCall
  /** Where the call would run: the same command in another folder is another matter. */
  readonly cwd?: string
  /** The prompt it is about. */
  readonly promptId?: string
  /** For all hooks of the moment together, where they have less than their own time. */
  readonly mostMs?: number
}

/** What of a call is judged by a rule, and remembered of it. */
export interface HookedCall extends Pick<Call, "callId" | "input" | "footprint"> {
  readonly tool: Pick<AnyTool, "name" | "aliases" | "changed">
}

/** The moment of a tool; `fields` are what it has besides its name and input. */
export function toolMoment(event: HookEvent, call: HookedCall, fields: JsonObject = {}): HookMoment {
  const { tool, input, callId } = call
  return {
    event,
    subjects: [tool.name, ...(tool.aliases ?? [])],
    fields: { tool_name: tool.name, tool_input: input, tool_use_id: callId, ...fields },
    call,
  }
}
