/** What panels ask of the world. A port that is absent leaves its panel out. */

import type { GateName, GateOverview } from "#agent/words/gates.ts"
import type { Op, ReviewScope } from "#agent/words/op.ts"
import type { Behavior, GrantDestination } from "#agent/words/permission.ts"
import type { Todo } from "#agent/words/todo.ts"
import type { Hunk } from "#lib/diff.ts"
import type { JsonValue } from "#lib/json.ts"
import type { Result } from "#lib/result.ts"
import type { ModelRow, SessionRow } from "#session/opening/choices.ts"
import type { NextConversation } from "#session/opening/program.ts"
import type { Answers, AutoDecision, RuleRow, ThinkingOverview } from "#session/port/query.ts"
import type { SandboxOverview } from "#session/port/sandbox-overview.ts"
import type { Subscribe } from "./panel.ts"
import type { PluginsPort } from "./plugins-port.ts"
import type { ProvidersPort } from "./provider-panel-port.ts"
import type { RunningPort } from "./running-port.ts"
import type { AgentsPort, HooksPort, McpPort, SkillsPort, TasksPort, TeamPort } from "./extension-ports.ts"

export const panelNames = [
  "models",
  "modes",
  "effort",
  "gates",
  "styles",
  "sandbox",
  "btw",
  "sessions",
  "permissions",
  "themes",
  "rewind",
  "changes",
  "context",
  "memory",
  "branches",
  "todos",
  "mcp",
  "hooks",
  "agents",
  "running",
  "tasks",
  "team",
  "skills",
  "plugins",
  "config",
  "login",
] as const
export type PanelName = (typeof panelNames)[number]

export interface PanelPorts {
  readonly models?: ModelsPort
  readonly modes?: ModesPort
  readonly effort?: EffortPort
  readonly gates?: GatesPort
  readonly styles?: StylesPort
  readonly sandbox?: SandboxPort
  readonly btw?: BtwPort
  readonly sessions?: SessionsPort
  readonly permissions?: PermissionsPort
  readonly themes?: ThemesPort
  readonly rewind?: RewindPort
  readonly changes?: ChangesPort
  readonly context?: ContextPort
  readonly memory?: MemoryPort
  readonly branches?: BranchesPort
  readonly todos?: TodosPort
  readonly mcp?: McpPort
  readonly hooks?: HooksPort
  readonly agents?: AgentsPort
  readonly running?: RunningPort
  readonly tasks?: TasksPort
  readonly team?: TeamPort
  readonly skills?: SkillsPort
  readonly plugins?: PluginsPort
  readonly config?: ConfigPort
  readonly login?: ProvidersPort
}

export interface ModesPort {
  readonly bypassAvailable: boolean
}

export interface ModelsPort {
  readonly list: (signal: AbortSignal) => Promise<readonly ModelRow[]>
  /** The rest: what each provider answers when it is asked for its models, as it comes. */
  readonly more?: (found: (rows: readonly ModelRow[]) => void, signal: AbortSignal) => void
  /** Present where keys can be added. */
  readonly providers?: ProvidersPort
}

export interface EffortPort {
  readonly overview: () => Promise<ThinkingOverview>
}

export interface GatesPort {
  readonly list: () => Promise<readonly GateOverview[]>
  readonly set: (gate: GateName, on: boolean) => Promise<Result<void, string>>
  readonly watch: Subscribe
}

export interface StylesPort {
  readonly overview: () => Promise<Pick<Answers["styles"], "chosen" | "list">>
}

export interface SandboxPort {
  readonly overview: () => Promise<SandboxOverview>
  /** In the settings, which the next session reads. */
  readonly isOn: () => Promise<boolean>
  /** Returns where it was saved. */
  readonly set: (on: boolean) => Promise<Result<string, string>>
}

export interface BtwPort {
  readonly ask: (question: string, signal: AbortSignal) => Promise<Result<string, string>>
}

export interface SessionsPort {
  /** Newest first; all for an empty query. */
  readonly list: (query: string, signal: AbortSignal) => Promise<Result<readonly SessionRow[], string>>
  /** Oldest first. */
  readonly preview: (id: string, signal: AbortSignal) => Promise<readonly SaidRow[]>
  /** Absent if only the choice is wanted. */
  readonly open?: (next: NextConversation) => void
}

export interface SaidRow {
  readonly by: "person" | "agent"
  readonly text: string
}

export interface PermissionsPort {
  readonly destinations: readonly GrantDestination[]
  readonly list: (signal: AbortSignal) => Promise<readonly RuleRow[]>
  /** In this session, oldest first. */
  readonly auto: (signal: AbortSignal) => Promise<readonly AutoDecision[]>
  readonly add: (rule: NewRule) => Promise<Result<void, string>>
  readonly remove: (rule: RuleRow) => Promise<Result<void, string>>
}

export interface NewRule {
  readonly behavior: Behavior
  readonly rule: string
  readonly destination: GrantDestination
}

export interface ThemesPort {
  readonly keep: (theme: string) => Promise<Result<void, string>>
}

export interface RewindPort {
  /** Newest first. */
  readonly points: (signal: AbortSignal) => Promise<Result<readonly RewindPoint[], string>>
  readonly preview: (promptId: string, signal: AbortSignal) => Promise<Result<RewindPreview, string>>
}

export interface RewindPoint {
  readonly promptId: string
  readonly text: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Files changed before the next prompt. */
  readonly changed: readonly string[]
  /** How many calls since then undo does not cover. */
  readonly callsUncovered: number
}

export interface RewindPreview {
  readonly files: readonly RewindFile[]
  /** Files that others have changed since: kept unless chosen. */
  readonly conflicts: readonly string[]
  /** One sentence each. */
  readonly uncovered: readonly string[]
}

export interface RewindFile {
  readonly path: string
  readonly change: "created" | "removed" | "modified"
  readonly added: number
  readonly removed: number
}

export interface ChangesPort {
  readonly review: (
    scope: ReviewScope,
    signal: AbortSignal,
  ) => Promise<Result<{ readonly prompt?: string; readonly files: readonly ReviewedFile[] }, string>>
  /** Returns what to tell the user, if anything: what could not be undone or restored. The failure says why nothing was done. */
  readonly act: (
    wish: Omit<Op & { readonly type: "review" }, "type">,
    signal: AbortSignal,
  ) => Promise<Result<string, string>>
  /** Newest first. */
  readonly points: (
    signal: AbortSignal,
  ) => Promise<Result<readonly { readonly promptId: string; readonly text: string }[], string>>
}

export interface ReviewedFile {
  readonly path: string
  readonly change: "created" | "modified" | "removed" | "mode"
  readonly added: number
  readonly removed: number
  readonly binary: boolean
  /** As git writes it. */
  readonly patch: string
  readonly hunks: readonly ReviewPart[]
}

export interface ReviewPart {
  readonly id: string
  readonly state: "new" | "kept" | "undone"
  /** Null where the file is created, removed or has no lines. */
  readonly hunk: Hunk | null
}

export interface ContextPort {
  readonly parts: (signal: AbortSignal) => Promise<ContextParts>
}

export interface ContextParts {
  readonly model: string
  readonly window: number
  readonly parts: readonly { readonly name: string; readonly tokens: number }[]
}

export interface MemoryFile {
  readonly label: string
  readonly path: string
  /** Can be opened; notes of the user go elsewhere. */
  readonly keptBy?: "agent"
}

export interface MemoryPort {
  /** A file that does not exist is created with the first note. */
  readonly files: () => Promise<readonly MemoryFile[]>
  readonly add: (path: string, line: string) => Promise<Result<void, string>>
}

export interface BranchesPort {
  /** Newest first. */
  readonly list: () => Promise<readonly BranchRow[]>
}

export interface TodosPort {
  readonly list: () => Promise<readonly Todo[]>
  readonly set: (todos: readonly Todo[]) => Promise<Result<void, string>>
  readonly watch: Subscribe
}

export interface BranchRow {
  /** Null for an empty conversation. */
  readonly tip: string | null
  /** Where it differs from the others. */
  readonly prompt: string | undefined
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly prompts: number
  readonly isCurrent: boolean
}

export interface ConfigPort {
  readonly list: () => Promise<Result<readonly ConfigRow[], string>>
  /** Returns the file it was saved in. */
  readonly change: (key: string, value: JsonValue) => Promise<Result<string, string>>
}

export interface ConfigRow {
  readonly key: string
  readonly title: string
  readonly value: JsonValue
  readonly source: string
  readonly choices?: readonly string[]
}
