/** What a session is opened with: where it works, what thinks for it, what it may do. */

import { given } from "#lib/given.ts"
import type { Budget } from "#agent/words/budget.ts"
import type { KeepLine } from "#ground/settings/project-lines.ts"
import type { SandboxText } from "#ground/settings/sandbox.ts"
import type { SandboxSettings } from "#ground/settings/settings.ts"
import type { Limits } from "#agent/agent.ts"
import type { Kit } from "#agent/words/kit.ts"
import type { Model, ModelFacts } from "#agent/words/model.ts"
import type { Thinking } from "#agent/words/thinking.ts"
import type { Outcome } from "#agent/words/tool.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import type { Shelf } from "#ground/transcript/shelf.ts"
import type { Resolve } from "#ground/web/resolve.ts"
import type { SearchSource } from "#ground/web/search.ts"
import type { FindRipgrep } from "#ground/workspace/ripgrep.ts"
import type { PersonShell } from "#ground/workspace/snapshot.ts"
import type { Prices } from "#kits/budget/prices.ts"
import type { CompactionChoice } from "#kits/compaction/kit.ts"
import type { LookAtEditor } from "#kits/context/editor.ts"
import type { HookSource } from "#kits/hooks/config.ts"
import type { McpChoice } from "#kits/mcp/ports.ts"
import type { RuleText } from "#kits/permissions/rule.ts"
import type { Enforcement } from "#kits/plan/ports.ts"
import type { AgentDefinition } from "#kits/subagents/definition.ts"
import type { Clock } from "#lib/clock.ts"
import type { Ids } from "#lib/ids.ts"
import type { Result } from "#lib/result.ts"
import type { ChildChoice } from "./child.ts"
import type { LogChoice } from "#session/journal/kept.ts"
import type { Manner } from "./manner.ts"
import type { Choices } from "./choices.ts"
import type { Program } from "./program.ts"
import type { SessionState } from "#agent/words/state.ts"

export interface SessionOptions {
  readonly id: string
  readonly log: LogChoice
  /** It is opened only to do something about it: what it was opened with before stays what its log says. */
  readonly errand?: true
  /** The session of which this one has just been made a copy. */
  readonly forkedFrom?: { readonly id: string }
  readonly shelf: Shelf
  readonly place: Place
  readonly model: ModelChoice
  readonly permissions: PermissionChoice
  readonly manner: Manner
  readonly system: SystemChoice
  readonly limits: LimitChoice
  readonly shell: ShellChoice
  /** What settings say about the sandbox; off when absent. */
  readonly sandbox?: SandboxChoice
  /** Whether the small model names a session that nobody named. */
  readonly names?: boolean
  /** How plans are made, kept and watched over; what is usual when absent. */
  readonly plan?: PlanChoice
  readonly memory?: MemoryChoice
  /** What people extend the session with by files; nothing is looked for when absent. */
  readonly extensions?: ExtensionChoice
  /** The agents that can be started; the built-in ones when absent. */
  readonly agents?: readonly AgentDefinition[]
  /** The agent that the session itself is to be, for its tools. */
  readonly playing?: AgentDefinition
  /** What it shares with the session that started it as its agent; absent for the main agent. */
  readonly child?: ChildChoice
  /** The user's editor, where one is connected. */
  readonly editor?: LookAtEditor
  /** `off`: the program adds nothing to the conversation but memory files. */
  readonly attachments?: "off"
  /** When the conversation is compacted; by itself at the usual level when absent. */
  readonly compaction?: CompactionChoice
  /** The hooks that settings ask for, strongest source first; none when absent. */
  readonly hooks?: readonly HookSource[]
  /** Kits that an embedding program brings besides. */
  readonly kits?: readonly Kit[]
  /** MCP servers; none when absent. */
  readonly mcp?: McpChoice
  /** `never`: no tool is sent to be loaded later, whatever the model could do. */
  readonly deferral?: "never"
  /** A search service, if one is configured. */
  readonly search?: SearchSource
  /** What a person may choose from that lies outside the session; nothing when absent. */
  readonly choices?: Choices
  /** The program around the session, for commands about it; those are not answered when absent. */
  readonly program?: Program
  /** Results that calls to the network get without going there, as in a replay. */
  readonly recorded?: (callId: string) => Outcome
  readonly clock: Clock
  readonly ids: Ids
}

/** What the system prompt says besides what it always says. */
export interface SystemChoice {
  readonly replaced?: string
  readonly appended?: string
  /** The language of answers, in the words of the person. */
  readonly language?: string
  /** What the agent is, where it is not the one that everything else is written for. */
  readonly agent?: string
  /** What the main agent is, where it plays another one. */
  readonly playing?: string
  /** What the agent must not lose sight of: it is repeated with every prompt. */
  readonly reminder?: string
}

export interface LimitChoice extends Limits {
  readonly maxBudgetUsd?: number
  /** All tokens of all requests, in and out. */
  readonly maxBudgetTokens?: number
  readonly maxOutputTokens?: number
  readonly thinking: Thinking
  /** Whether it was asked for now, and so counts more than what a resumed log says. */
  readonly thinkingGiven?: boolean
}

export const budgetOf = ({ maxBudgetUsd, maxBudgetTokens }: LimitChoice): Budget => ({
  ...given("usd", maxBudgetUsd),
  ...given("tokens", maxBudgetTokens),
})

export interface SandboxChoice {
  /** All sources together. */
  readonly values: SandboxSettings
  /** Each source by itself, strongest first. */
  readonly sources: readonly SandboxText[]
}

export interface ShellChoice {
  readonly defaultTimeoutMs: number
  readonly maxTimeoutMs: number
  readonly outputCharacters: number
  /** Every command starts in the project's folder, wherever the one before it went. */
  readonly staysInProject?: boolean
  /** A file of assignments that is read before each command; only where the folder is trusted. */
  readonly envFile?: string
  /** The user's own shell, whose functions and PATH commands may use; only where the folder is trusted. */
  readonly snapshot?: PersonShell
}

export interface Place {
  readonly cwd: string
  readonly home: string
  readonly stateFolder: string
  readonly addedFolders: readonly string[]
  /** Whether programs may be started for the folder itself, as git is; no when absent. */
  readonly trusted?: boolean
  /** Of a trusted folder's commands and skills, what counts; all of it when absent. */
  readonly trusts?: KeepLine
  /** The environment of commands, with secrets removed. */
  readonly childEnv: () => Readonly<Record<string, string>>
  readonly ripgrep: FindRipgrep
  /** Where the helper of the sandbox lies; without it nothing can be confined. */
  readonly confine?: () => Promise<string | undefined>
  /** Looks up the hosts that confined commands want to reach; the system does when absent. */
  readonly resolve?: Resolve
  /** Where bubblewrap is looked for; the usual places when absent. */
  readonly bubblewrap?: readonly string[]
  readonly platform: string
  readonly osVersion: string
  readonly version: string
  readonly entrypoint: string
  readonly pid: number
}

export interface ModelChoice {
  readonly port: Model
  readonly id: string
  /** Whether it was asked for now, and so is stronger than that of a resumed session; taken as yes when absent. */
  readonly given?: boolean
  readonly fallback?: string
  /** Which model answers in a mode, when the session's is this; that one when absent. */
  readonly forMode?: (state: Pick<SessionState, "mode" | "model" | "contextTokens">) => string
  /** What does small work: answers about web pages, titles. */
  readonly small: string
  /** What agents think with that name no model; the session's own when absent. */
  readonly middle?: string
  /** What all agents think with, whatever they or a call name. */
  readonly forAgents?: string
  /** The id behind an alias; what is no alias is an id. */
  readonly resolve?: (name: string) => string
  readonly factsOf: (model: string) => ModelFacts
  readonly prices: Prices
}

export interface PlanChoice {
  /** The setting `plansDirectory`. */
  readonly folder?: string
  readonly enforce?: Enforcement
  readonly exploreAgents?: number
  readonly planAgents?: number
}

export interface PermissionChoice {
  readonly mode: PermissionMode
  /** Whether the mode was asked for now, and so is stronger than that of a resumed session. */
  readonly modeGiven: boolean
  readonly bypassAvailable: boolean
  readonly rules: readonly RuleText[]
  /** Tells what the settings files say whenever they change; the returned function ends it. */
  readonly watch?: (hear: (written: Result<readonly RuleText[], string>) => void) => () => void
  /** Whether only the managed policy's rules may allow, so that the user can add none. */
  readonly managedOnly?: boolean
}

/** Commands, skills and output styles. */
export interface ExtensionChoice {
  /** The folder of the ecosystem's own user files. */
  readonly claudeFolder: string
  /** Whether those that come with the program are there. */
  readonly bundled: boolean
  /** `off`: nothing is said with a slash, and no skill is loaded; only the output style counts. */
  readonly commands?: "off"
  /** Whose files are looked for; all when absent. */
  readonly sources?: readonly ("project" | "user")[]
  /** The setting `outputStyle`. */
  readonly outputStyle?: string
  /** The line by which commits name the agent; none when absent. */
  readonly trailer?: string
}

export interface MemoryChoice {
  /** The folder of the ecosystem's own user files; `.claude` at home when absent. */
  readonly claudeFolder?: string
  /** The folder of the managed policy. */
  readonly managedFolder?: string
  /** Globs of memory files that are not loaded. */
  readonly excludes?: readonly string[]
  /** Where the agent keeps notes of its own on this project; nowhere when absent. */
  readonly notesFolder?: string
}
