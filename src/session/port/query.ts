/** Queries to a session and their answers: data both ways. */

import type { GateOverview } from "#agent/words/gates.ts"
import type { Goal } from "#agent/words/goal.ts"
import type { Loop } from "#agent/words/loop.ts"
import type { CommandDefinition, CommandRow } from "#agent/words/command.ts"
import type { Behavior, Grant, PermissionMode, RuleSource } from "#agent/words/permission.ts"
import type { Entry } from "#agent/words/entry.ts"
import type { Cursor } from "#agent/words/event.ts"
import type { ResultContent } from "#agent/words/message.ts"
import type { ToolSpec } from "#agent/words/model.ts"
import type { ReviewScope } from "#agent/words/op.ts"
import type { Question } from "#agent/words/question.ts"
import type { SessionState } from "#agent/words/state.ts"
import type { TeamOverview } from "#agent/words/team.ts"
import type { Thinking, ThinkingAbility } from "#agent/words/thinking.ts"
import type { Todo } from "#agent/words/todo.ts"
import type { OutputTail } from "#ground/workspace/processes/output.ts"
import type { Branch } from "#ground/transcript/path.ts"
import type {
  ChangedFile,
  Review,
  ReviewPatches,
  RewindPoint,
  RewindPreview,
  TurnDiff,
  TurnSummary,
} from "#kits/checkpoints/checkpoints.ts"
import type { ContextParts } from "#kits/context/parts.ts"
import type { MemoryTarget } from "#kits/context/remember.ts"
import type { LanguageServerState } from "#kits/lsp/live-server.ts"
import type { McpServerState, ServersChange } from "#kits/mcp/ports.ts"
import type { AgentState } from "#kits/subagents/agent-state.ts"
import type { AgentDefinition } from "#kits/subagents/definition.ts"
import type { JsonObject, JsonValue } from "#lib/json.ts"
import type { Result } from "#lib/result.ts"
import type { PluginsOverview } from "#session/opening/options.ts"
import type { SlashAnswer } from "#session/opening/program.ts"
import type { HooksOverview } from "./describe-hooks.ts"
import type { LogParts } from "#session/journal/log-parts.ts"
import type { InspectedRequest, RequestRows } from "#session/request/inspect.ts"
import type { SandboxOverview } from "./sandbox-overview.ts"
import type { CompletedAction, StageOverview } from "./stage-overview.ts"

export type Query =
  /** What does not change while it is open. */
  | { readonly type: "about" }
  /** Mode, model, folder, cost, and how the last turn ended. */
  | { readonly type: "state" }
  /** How much the model thinks, and what it can be told about that. */
  | { readonly type: "thinking" }
  /** A question to the model outside the conversation, which is not recorded in it; possible while a turn runs. */
  | { readonly type: "btw"; readonly question: string }
  /** Questions that wait for an answer, oldest first. */
  | { readonly type: "questions" }
  /** How far it is and what it waits for, with the task, the plan and the result. */
  | { readonly type: "stage" }
  /** The gates: which are on, why, and who can switch them off. */
  | { readonly type: "gates" }
  /** What must hold before it stops working; null if there is nothing. */
  | { readonly type: "goal" }
  /** The prompt that it repeats; null if there is none. */
  | { readonly type: "loop" }
  /** The questions that were decided, oldest first. */
  | { readonly type: "completed" }
  /** Answered when no turn and no chore is running, with the place of the last entry. */
  | { readonly type: "settled" }
  /** The place of the last entry, at once. */
  | { readonly type: "last_entry" }
  /** The place before the first entry in memory: older ones have to be read from the log. */
  | { readonly type: "recent" }
  /**
   * Parts of the log before a place, about a megabyte each, most of them at the beginning of a turn: `events` with one of
   * these places gives what is in that part, and everything after it.
   */
  | { readonly type: "log_parts"; readonly before: Cursor | "beginning" }
  /** Answered when the MCP servers are connected, or after waiting long enough. Asks about servers that need approval. */
  | { readonly type: "ready" }
  /** Answered when the MCP servers are connected, or after a short wait. Asks about nothing. */
  | { readonly type: "connected" }
  /** Answered when the hooks of the start have run, with why no prompt may be sent, if so. */
  | { readonly type: "started" }
  /** The entries of the last turn. */
  | { readonly type: "turn" }
  /** The last requests as they were sent, without their content. */
  | { readonly type: "requests"; readonly last: number }
  /** One request, block by block; without a number the last one. */
  | { readonly type: "request"; readonly number?: number }
  /** The prompts that this conversation can be rewound to, oldest first. */
  | { readonly type: "points" }
  /** What rewinding to before a prompt would do to files. */
  | { readonly type: "preview"; readonly promptId: string }
  /** The branches of this conversation, in the order of their last entries. */
  | { readonly type: "branches" }
  /** What the session changed in files, turn by turn. */
  | { readonly type: "diff" }
  /** What it changed in total, or since before a prompt, without what was rewound. */
  | { readonly type: "changes"; readonly since?: string }
  /** The same part by part, with what the user kept or undid. */
  | { readonly type: "review"; readonly scope: ReviewScope; readonly patches?: ReviewPatches }
  /** What the last turn changed in files. */
  | { readonly type: "summary" }
  /** The plan and the file it is in. */
  | { readonly type: "plan" }
  /** The agent's list of work. */
  | { readonly type: "todos" }
  /** Background commands that are running; with `all`, also those that have ended. */
  | { readonly type: "background"; readonly which?: "all" }
  /** The end of what one of them has printed. */
  | { readonly type: "command_output"; readonly commandId: string }
  /** Whether commands run in the sandbox, and whether that works here. */
  | { readonly type: "sandbox_state" }
  /** What fills the context. */
  | { readonly type: "context" }
  /** The tools, memory files and agents that fill it, one by one. */
  | { readonly type: "context_details" }
  /** Memory files that a line may be added to. */
  | { readonly type: "memory" }
  /** Rules granted during this session, which apply until it ends. */
  | { readonly type: "grants" }
  /** What auto mode let through or blocked in this session, oldest first. */
  | { readonly type: "auto_decisions" }
  /** The permission rules in force, with where they come from. */
  | { readonly type: "rules" }
  /** The folders of the workspace besides its own, as they are now. */
  | { readonly type: "folders" }
  /** A file of the workspace, unless a rule denies reading it: the first bytes of it. */
  | { readonly type: "read_file"; readonly path: string; readonly most?: number; readonly as?: "base64" }
  /** Applies settings to this session as far as they can change while it is open. */
  | { readonly type: "apply_settings"; readonly settings: JsonObject }
  /** What a built-in command would do, without doing it; null for anything else. */
  | { readonly type: "command"; readonly name: string; readonly args: string }
  /** The slash commands, except those of the face itself. */
  | { readonly type: "commands" }
  /** The current definitions of commands and skills from files. */
  | { readonly type: "definitions" }
  /** The names of skills that the model may load. */
  | { readonly type: "skills" }
  /** The output styles, and the one in use. */
  | { readonly type: "styles" }
  /** The hooks that are configured, and how they ran. */
  | { readonly type: "hooks" }
  /** Whether the sandbox is on and works, and what it enforces. */
  | { readonly type: "sandbox" }
  /** The agents that can be started, each with the model it would use. */
  | { readonly type: "agent_types" }
  /** Agents that were started, oldest first. */
  | { readonly type: "agents" }
  /** What happened in one of them. */
  | { readonly type: "agent"; readonly agentId: string }
  /** The team of this session: members, tasks and mail. */
  | { readonly type: "team" }
  /** The names of the tools that can be called now. */
  | { readonly type: "tools" }
  /** The built-in tools that every request offers, as the model reads them. */
  | { readonly type: "tool_specs" }
  /** The MCP servers, as they are now. */
  | { readonly type: "servers" }
  /** The language servers, as they are now. */
  | { readonly type: "language_servers" }
  /** Replaces the MCP servers of the client, by name, each as in a configuration file; `type: "sdk"` runs inside it. */
  | { readonly type: "set_servers"; readonly servers: JsonObject }
  /** Calls a tool of an MCP server for the client, under the rules of the session. */
  | { readonly type: "call_server"; readonly server: string; readonly tool: string; readonly input: JsonObject }
  /** A resource of an MCP server. */
  | { readonly type: "resource"; readonly server: string; readonly uri: string }
  /** A prompt of an MCP server. */
  | {
      readonly type: "server_prompt"
      readonly server: string
      readonly name: string
      readonly input: Readonly<Record<string, string>>
    }
  /** What the last of the words behind a command could become. Only prompts of MCP servers say so. */
  | { readonly type: "complete_argument"; readonly command: string; readonly words: string }

/** `auto`: commands in it run without asking. `broken`: it is on but does not work, so nothing it should confine runs. */
export type SandboxState = "off" | "on" | "auto" | "broken"

export type QueryType = Query["type"]

export interface ThinkingOverview {
  readonly model: string
  /** As chosen, without what a turn adds. */
  readonly chosen: Thinking
  /** Absent where nothing is known of the model. */
  readonly ability?: ThinkingAbility
}

export interface ServerCallResult {
  readonly content: ResultContent
  readonly isError: boolean
  /** The server's structured content, if any. */
  readonly data?: JsonObject
}

export interface ReadFile {
  readonly path: string
  readonly text: string
  /** There is more of it. */
  readonly isCut: boolean
  /** Bytes that are not UTF-8 were replaced. */
  readonly isLossy: boolean
}

export interface RuleRow {
  readonly rule: string
  readonly behavior: Behavior
  readonly source: RuleSource
}

export interface AutoDecision {
  readonly callId: string
  readonly at: number
  readonly title: string
  readonly outcome: "allowed" | "blocked"
  readonly why: string
}

/** Failures are messages for the user. */
export interface Answers {
  readonly about: SessionAbout
  readonly state: SessionState
  readonly thinking: ThinkingOverview
  readonly btw: Result<string, string>
  readonly questions: readonly Question[]
  readonly stage: StageOverview
  readonly gates: readonly GateOverview[]
  readonly goal: Goal | null
  readonly loop: Loop | null
  readonly completed: readonly CompletedAction[]
  readonly settled: { readonly cursor: Cursor | "beginning" }
  readonly last_entry: { readonly cursor: Cursor | "beginning" }
  readonly recent: { readonly cursor: Cursor | "beginning" }
  readonly log_parts: LogParts
  readonly ready: null
  readonly connected: null
  readonly started: string | null
  readonly turn: readonly Entry[]
  readonly requests: RequestRows
  readonly request: InspectedRequest | null
  readonly points: Result<readonly RewindPoint[], string>
  readonly preview: Result<RewindPreview, string>
  readonly branches: readonly Branch[]
  readonly diff: Result<readonly TurnDiff[], string>
  readonly changes: Result<readonly ChangedFile[], string>
  readonly review: Result<Review, string>
  readonly summary: Result<TurnSummary, string>
  /** `text` is absent while nothing is written. */
  readonly plan: { readonly path: string; readonly text?: string | undefined } | null
  readonly todos: readonly Todo[]
  readonly background: readonly BackgroundRow[]
  /** Null if no such command is known. */
  readonly command_output: OutputTail | null
  readonly sandbox_state: SandboxState
  readonly context: ContextParts
  readonly context_details: {
    readonly tools: readonly { readonly name: string; readonly tokens: number; readonly deferred?: true }[]
    readonly memory: readonly { readonly path: string; readonly tokens: number }[]
    readonly agents: readonly { readonly type: string; readonly source: string; readonly tokens: number }[]
  }
  readonly memory: readonly MemoryTarget[]
  readonly grants: readonly Grant[]
  readonly auto_decisions: readonly AutoDecision[]
  readonly rules: readonly RuleRow[]
  readonly folders: readonly string[]
  readonly read_file: Result<ReadFile, string>
  /** `ignored`: keys without effect now; `failures`: what was refused, as sentences. */
  readonly apply_settings: { readonly ignored: readonly string[]; readonly failures: readonly string[] }
  readonly command: SlashAnswer | null
  readonly commands: readonly CommandRow[]
  readonly definitions: readonly CommandDefinition[]
  readonly skills: readonly string[]
  readonly styles: {
    readonly chosen: string
    readonly names: readonly string[]
    readonly list: readonly { readonly name: string; readonly description: string }[]
  }
  readonly hooks: HooksOverview
  readonly sandbox: SandboxOverview
  readonly agent_types: readonly AgentDefinition[]
  readonly agents: readonly AgentState[]
  /** Null if nothing is kept of it. */
  readonly agent: readonly Entry[] | null
  /** Null where there is none. */
  readonly team: TeamOverview | null
  readonly tools: readonly string[]
  readonly tool_specs: readonly ToolSpec[]
  readonly servers: readonly McpServerState[]
  readonly language_servers: readonly LanguageServerState[]
  readonly set_servers: ServersChange
  readonly call_server: Result<ServerCallResult, string>
  readonly resource: Result<readonly JsonValue[], string>
  readonly server_prompt: Result<readonly JsonValue[], string>
  readonly complete_argument: readonly string[]
}

export type AnswerTo<Q extends Query> = Answers[Q["type"]]

export type Ask = <Q extends Query>(query: Q, signal?: AbortSignal) => Promise<AnswerTo<Q>>

export interface SessionAbout {
  readonly cwd: string
  readonly tools: readonly string[]
  /** Absent when the session is not kept. */
  readonly logPath?: string | undefined
  readonly addedFolders: readonly string[]
  /** The permission modes that one key cycles through, in order. */
  readonly modeCycle: readonly PermissionMode[]
  /** Whether the session may bypass permissions. */
  readonly bypassAvailable: boolean
  readonly plugins?: PluginsOverview
  /** Names of the agents that can be started. */
  readonly agents?: readonly string[]
  /** The last entry that existed when this process opened the session: everything after it is new. */
  readonly opened: Cursor | "beginning"
  /** Entries after this place are in memory. Older ones have to be read from the log, which may take a while. */
  readonly recent: Cursor | "beginning"
  /** Another process has it open: what is queued or running there is not from before, and is not taken back. */
  readonly isShared?: true
  /** What was noticed while opening, for the user. */
  readonly notes: readonly string[]
  /** What is not used of the user's files as it is written there. */
  readonly fileNotes: readonly string[]
}

export interface BackgroundRow {
  readonly id: string
  readonly command: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  /** Absent while it runs. */
  readonly end?: {
    readonly status: "completed" | "failed" | "killed"
    readonly exitCode: number
    /** Milliseconds since the epoch. */
    readonly at: number
  }
}
