/** The options of a session: where it works, which model it uses, what it may do. */

import { optional } from "#lib/optional.ts"
import type { Budget } from "#agent/words/budget.ts"
import type { KeepLine } from "#ground/settings/project-lines.ts"
import type { SandboxText } from "#ground/settings/sandbox.ts"
import type { SandboxSettings } from "#ground/settings/settings.ts"
import type { TurnLimits } from "#agent/agent.ts"
import type { Client, ClientHooks } from "#agent/words/client.ts"
import type { GateName, Gates, GateSources } from "#agent/words/gates.ts"
import type { GoalCheck, GoalLimits } from "#agent/words/goal.ts"
import type { Kit } from "#agent/words/kit.ts"
import type { Call } from "#agent/words/middleware.ts"
import type { Model, ModelFacts } from "#agent/words/model.ts"
import type { Thinking } from "#agent/words/thinking.ts"
import type { Outcome } from "#agent/words/tool.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import type { Telemetry } from "#ground/telemetry/telemetry.ts"
import type { LogCopy } from "#ground/transcript/log.ts"
import type { PluginFolders } from "#ground/extensions/plugins.ts"
import type { SessionLogs } from "#ground/transcript/session-logs.ts"
import type { OutputFileLimits } from "#ground/workspace/processes/output-room.ts"
import type { Resolve } from "#ground/web/resolve.ts"
import type { SearchSource } from "#ground/web/search.ts"
import type { EditorBuffers } from "#ground/workspace/editor-buffers.ts"
import type { FindRipgrep } from "#ground/workspace/search/ripgrep.ts"
import type { PersonShell } from "#ground/workspace/snapshot.ts"
import type { CallAllowance } from "#kits/budget/call-limit.ts"
import type { Prices } from "#kits/budget/prices.ts"
import type { CompactionChoice } from "#kits/compaction/kit.ts"
import type { ReadEditor } from "#kits/context/editor.ts"
import type { MemorySource } from "#kits/context/memory.ts"
import type { TestChoice } from "#kits/gates/tests.ts"
import type { HookSource } from "#kits/hooks/config.ts"
import type { SetupTrigger } from "#kits/hooks/starting.ts"
import type { WrittenLanguageServer } from "#ground/lsp/server-config.ts"
import type { LspPatience } from "#kits/lsp/kit.ts"
import type { McpChoice } from "#kits/mcp/ports.ts"
import type { RuleText } from "#kits/permissions/rules/rule.ts"
import type { Enforcement } from "#kits/plan/ports.ts"
import type { AgentDefinition } from "#kits/subagents/definition.ts"
import type { AgentsRead } from "#kits/subagents/roster.ts"
import type { Clock } from "#lib/clock.ts"
import type { Ids } from "#lib/ids.ts"
import type { JsonObject } from "#lib/json.ts"
import type { ConnectionFact, Network } from "#lib/network.ts"
import type { Result } from "#lib/result.ts"
import type { MemberHosts } from "./member-port.ts"
import type { ChildChoice } from "./child.ts"
import type { LogChoice } from "#session/journal/kept.ts"
import type { Manner } from "./manner.ts"
import type { Choices } from "./choices.ts"
import type { OpenTeam } from "./team.ts"
import type { OpenProgramKits } from "./program-kits.ts"
import type { ProgramCommands } from "./program.ts"
import type { SettingsChange } from "#agent/words/settings-change.ts"
import type { SessionState } from "#agent/words/state.ts"

export interface SessionOptions {
  readonly id: string
  readonly log: LogChoice
  /** Nothing is done before what it follows from has arrived there, too. Agents share it. */
  readonly copy?: LogCopy
  /** Told of every call, also those of agents; what it returns is called when the call is over. */
  readonly onCall?: (call: Call) => () => void
  /** Told of every call right before its tool runs, with the input that the tool gets; the tool waits for it. */
  readonly onRun?: (call: Call) => Promise<void> | undefined
  /** Opened for one task of ours, not to be worked in: the opening in its log stays as it was. */
  readonly isTransient?: true
  readonly forkedFrom?: { readonly id: string }
  /** Told to the user as it begins. */
  readonly notices?: readonly string[]
  /** The same, where it matters more. */
  readonly warnings?: readonly string[]
  readonly sessionLogs: SessionLogs
  readonly place: SessionPlace
  readonly model: ModelChoice
  readonly permissions: PermissionChoice
  readonly manner: Manner
  readonly system: SystemChoice
  readonly limits: LimitChoice
  readonly shell: ShellChoice
  readonly sandbox?: SandboxChoice
  readonly undo?: UndoChoice
  readonly names?: boolean
  /** Whether the small model suggests what the user may say next. */
  readonly suggests?: boolean
  readonly plan?: PlanChoice
  readonly goal?: GoalChoice
  /** Where it goes no further without the user; those in its log count besides. */
  readonly gates?: Gates
  /** Those that it does not have, although it had them before. */
  readonly openGates?: readonly GateName[]
  /** Which files ask for them. */
  readonly gateSources?: GateSources
  /** Those that whoever opens it named now: what was switched before does not count for them. */
  readonly namedGates?: readonly GateName[]
  /** What counts as a test, where tests come first. */
  readonly testing?: TestChoice
  readonly memory?: MemoryChoice
  /** None are searched for when absent. */
  readonly extensions?: ExtensionChoice
  /** The built-in ones when absent. */
  readonly agents?: readonly AgentDefinition[]
  /** As their files are now; the same value while nothing changes. Those of the start stay when absent. */
  readonly agentsNow?: () => AgentsRead
  readonly playing?: AgentDefinition
  /** Present where the session can lead a team. */
  readonly team?: OpenTeam
  readonly programKits?: OpenProgramKits
  /** Where members of its team run; in this process when absent. */
  readonly members?: MemberHosts
  /** Shared with the session that started it as its agent; absent for the main agent. */
  readonly child?: ChildChoice
  /** Present where an editor is connected. */
  readonly editor?: ReadEditor
  /** `off`: the program adds only memory files to the conversation. */
  readonly attachments?: "off"
  /** Automatic at the default level when absent. */
  readonly compaction?: CompactionChoice
  /** The JSON Schema of the answer, where it is wanted as data. */
  readonly outputSchema?: JsonObject
  readonly hooks?: readonly HookSource[]
  /** `Setup` hooks run first, because the project is to be prepared or tidied. */
  readonly setup?: SetupTrigger
  /** What whoever started it named, for those who ask. */
  readonly plugins?: PluginsOverview
  readonly kits?: readonly Kit[]
  readonly mcp?: McpChoice
  /** Language servers, where the folder is trusted; none when absent. */
  readonly lsp?: LspChoice
  /** Present where a program drives the session. */
  readonly client?: ClientChoice
  /** The built-in tools that are offered, also to agents; all when absent. */
  readonly tools?: readonly string[]
  /** The servers that an agent brings along; undefined if none. */
  readonly agentServers?: (definition: AgentDefinition) => McpChoice | undefined
  /** `never`: no deferred tools, even if the model supports them. */
  readonly deferral?: "never"
  /** `everything`: a file is shown again although it was shown before, because whoever makes the calls may not have it any more. */
  readonly shows?: "everything"
  /** Present if a search service is configured. */
  readonly search?: SearchSource
  readonly choices?: Choices
  /** The program around the session, for commands about it; those are not answered when absent. */
  readonly program?: ProgramCommands
  /** Results that calls to the network get without going there, as in a replay. */
  readonly recorded?: (callId: string) => Outcome
  /** Follows what it and its agents do. */
  readonly telemetry?: Telemetry
  /** The span of another program that it is part of; a resumed session stays where it was. */
  readonly traceparent?: string
  readonly clock: Clock
  readonly ids: Ids
}

export interface LspChoice {
  /** Those of settings and plugins, strongest first. */
  readonly written: readonly WrittenLanguageServer[]
  /** Whether known ones are looked for on the PATH. */
  readonly finds: boolean
  /** How long they are waited for. */
  readonly patience?: LspPatience
}

export interface PluginsOverview {
  readonly loaded: readonly { readonly name: string; readonly path: string; readonly version?: string }[]
  /** Those that could not be loaded, and what was left out of others. `path`: absent if the plugin is loaded. */
  readonly problems: readonly { readonly plugin: string; readonly path?: string; readonly message: string }[]
}

export interface ClientChoice {
  readonly port: Client
  readonly hooks?: ClientHooks
  /** The names of MCP servers that run inside the client. */
  readonly servers?: readonly string[]
  /** What it says about them, by name. */
  readonly serverSettings?: JsonObject
  /** Tools that are called in place of others, by the names of those. */
  readonly toolAliases?: { readonly [name: string]: string }
}

export interface SystemChoice {
  /** Instead of our own; several parts as a list, none as an empty one. */
  readonly replaced?: string | readonly string[]
  readonly appended?: string
  /** The language of answers, in the user's words. */
  readonly language?: string
  readonly agent?: string
  readonly playing?: string
  readonly reminder?: string
  /** `elsewhere`: the environment is said with the first message instead. */
  readonly environmentPlace?: "elsewhere"
}

export interface LimitChoice extends TurnLimits {
  readonly maxBudgetUsd?: number
  /** All tokens of all requests, in and out. */
  readonly maxBudgetTokens?: number
  readonly calls?: CallAllowance
  readonly maxOutputTokens?: number
  readonly thinking: Thinking
  /** Whether it was set for this start, and so overrides a resumed log. */
  readonly thinkingGiven?: boolean
}

export const budgetOf = ({ maxBudgetUsd, maxBudgetTokens }: LimitChoice): Budget => ({
  ...optional("usd", maxBudgetUsd),
  ...optional("tokens", maxBudgetTokens),
})

export interface GoalChoice {
  /** Set when the session is opened, in place of the one in its log. */
  readonly check?: GoalCheck
  /** In place of the usual ones, for goals that are set from now on. */
  readonly limits?: Partial<GoalLimits>
}

export interface SandboxChoice {
  readonly values: SandboxSettings
  /** Strongest first. */
  readonly sources: readonly SandboxText[]
}

export interface ShellChoice {
  readonly defaultTimeoutMs: number
  readonly maxTimeoutMs: number
  readonly outputCharacters: number
  /** How much of the output of commands is kept in files; the usual when absent. */
  readonly outputFiles?: OutputFileLimits
  /** Every command starts in the project's folder, regardless of the previous one. */
  readonly staysInProject?: boolean
  /** Commands and agents are never put into the background. */
  readonly background?: "off"
  /** A program of the user that is given each command to run, as one argument. */
  readonly prefix?: string
  readonly envFile?: string
  /** The user's own shell, whose functions and PATH commands may use; only where the folder is trusted. */
  readonly snapshot?: PersonShell
}

export interface ClosedToTools {
  readonly path: string
  readonly holds: string
  /** What in it is open all the same. */
  readonly except?: readonly string[]
}

export interface SessionPlace {
  readonly cwd: string
  readonly home: string
  readonly stateFolder: string
  /** For worktrees of agents; a folder in the state folder when absent. */
  readonly worktrees?: string
  readonly addedFolders: readonly string[]
  /** Whether programs, such as git, may be started for the folder itself; no when absent. */
  readonly trusted?: boolean
  /** A program and its arguments that starts each program of the session, such as one that limits what they use. */
  readonly launcher?: readonly string[]
  /** Which commands and skills of a trusted folder count; all when absent. */
  readonly trusts?: KeepLine
  /** The environment of commands, with secrets removed. */
  readonly childEnv: () => Readonly<Record<string, string>>
  readonly ripgrep: FindRipgrep
  /** Where the sandbox helper is; without it nothing can be confined. */
  readonly confine?: () => Promise<string | undefined>
  readonly resolve?: Resolve
  readonly bubblewrap?: readonly string[]
  readonly network: Network
  /** Of the editor that the session was opened in. */
  readonly buffers?: EditorBuffers
  /** Why nothing but the model may be contacted; anything may when absent. */
  readonly offline?: string
  /** What no tool may use, besides our own secrets, because those who answer may not act as the owner of the machine. */
  readonly confined?: { readonly closed: readonly ClosedToTools[] }
  readonly platform: string
  readonly osVersion: string
  readonly version: string
  readonly entrypoint: string
  readonly pid: number
}

export interface ModelChoice {
  readonly port: Model
  readonly id: string
  /** Whether it was set for this start, and so overrides a resumed session; yes when absent. */
  readonly given?: boolean
  /** Several are tried in their order. */
  readonly fallback?: string | readonly string[]
  /** The model that answers in a mode; the session's own when absent. */
  readonly forMode?: (state: Pick<SessionState, "mode" | "model" | "contextTokens">) => string
  readonly small: string
  /** For agents that name no model; the session's own when absent. */
  readonly middle?: string
  /** Overrides what agents or calls name. */
  readonly forAgents?: string
  /** The id behind an alias; anything else is an id already. */
  readonly resolve?: (name: string) => string
  readonly factsOf: (model: string) => ModelFacts
  /** The connection that requests to a model use; undefined if nothing leaves the process. */
  readonly connectionOf?: (model: string) => ConnectionFact | undefined
  readonly prices: Prices
}

export interface PlanChoice {
  readonly folder?: string
  readonly enforce?: Enforcement
  readonly exploreAgents?: number
  readonly planAgents?: number
  /** How to plan, instead of our own steps; what plan mode forbids and how it ends stays. */
  readonly instructions?: string
}

export interface PermissionChoice {
  readonly mode: PermissionMode
  /** Whether it was set for this start, and so overrides a resumed session. */
  readonly modeGiven: boolean
  readonly bypassAvailable: boolean
  /** Nobody but the user decides: `permissions.disableAutoMode`. */
  readonly withoutAuto?: true
  readonly rules: readonly RuleText[]
  /** Reports the rules in the settings files whenever they change; the result unsubscribes. */
  readonly watch?: (
    onChange: (written: Result<readonly RuleText[], string>, changes?: readonly SettingsChange[]) => void,
  ) => () => void
  /** The MCP tool that answers permission questions instead of whoever runs the session: `mcp__server__tool`. */
  readonly promptTool?: string
  /** Whether a resumed session keeps the one that its log names. */
  readonly keepsPromptTool?: boolean
  /** Whether only rules of the managed policy may allow, so that the user can add none. */
  readonly managedOnly?: boolean
}

export interface ExtensionChoice {
  readonly claudeFolder: string
  /** Whether the built-in ones are included. */
  readonly bundled: boolean
  /** `off`: no slash commands and no skills; only the output style counts. */
  readonly commands?: "off"
  /** All when absent. */
  readonly sources?: readonly ("project" | "user")[]
  readonly plugins?: readonly PluginFolders[]
  readonly outputStyle?: string
  /** The skills that the model may load; all when absent. */
  readonly skills?: readonly string[]
  /** How much of the window the list of skills may take, from 0 to 1. */
  readonly listingShare?: number
  /** In place of a share of the window. */
  readonly listingCharacters?: number
  /** The line that credits the agent in commits; none when absent. */
  readonly trailer?: string
  /** Set if the trailer says how much of a commit the session wrote, and is left out where that is nothing. */
  readonly trailerBy?: "share"
}

export interface UndoChoice {
  /** Folders that are not covered, as the settings name them: relative to the working folder, absolute, or with `~/`. */
  readonly exclude: readonly string[]
}

export interface MemoryChoice {
  readonly claudeFolder?: string
  readonly managedFolder?: string
  /** Whose files are loaded besides those of the managed policy; all when absent. */
  readonly sources?: readonly MemorySource[]
  readonly excludes?: readonly string[]
  /** Where the agent keeps its own notes on this project; nowhere when absent. */
  readonly notesFolder?: string
  /** Whether a memory of the session is kept beside its log, and those of earlier sessions are shown where they fit. */
  readonly session?: boolean
  /** For replays: the memory that the compactions of the original were made with, in their order. */
  readonly recorded?: (
    messages: number,
  ) => { readonly text: string; readonly at: number; readonly files?: readonly string[] } | undefined
}
