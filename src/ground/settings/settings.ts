/** The types of settings: one file, and all files merged. The keys follow the ecosystem. */

import type { Gates } from "#agent/words/gates.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import type { JsonObject } from "#lib/json.ts"

export interface PermissionSettings {
  readonly allow?: readonly string[]
  readonly ask?: readonly string[]
  readonly deny?: readonly string[]
  readonly additionalDirectories?: readonly string[]
  /** `manual` is another word for `default`. */
  readonly defaultMode?: PermissionMode | "manual"
  readonly disableAutoMode?: "disable"
  readonly disableBypassPermissionsMode?: "disable"
  /** Managed settings only: root may bypass permissions. */
  readonly allowBypassAsRoot?: boolean
}

export interface SandboxSettings {
  readonly enabled?: boolean
  readonly autoAllowBashIfSandboxed?: boolean
  readonly excludedCommands?: readonly string[]
  readonly allowUnsandboxedCommands?: boolean
  readonly failIfUnavailable?: boolean
  readonly hooks?: boolean
  /** For servers that are programs. */
  readonly mcp?: boolean
  readonly caches?: "read-only" | "private"
  readonly limits?: { readonly processes?: number; readonly memoryMb?: number }
  /** Names of credentials that sandboxed commands may have in their environment. */
  readonly allowEnv?: readonly string[]
  /** Credentials that sandboxed commands can use without seeing them; `off`: not even the known ones. */
  readonly credentials?: "off" | readonly CredentialSettings[]
  readonly filesystem?: {
    readonly allowWrite?: readonly string[]
    readonly denyWrite?: readonly string[]
    readonly denyRead?: readonly string[]
    readonly allowRead?: readonly string[]
  }
  readonly network?: {
    readonly allowedDomains?: readonly string[]
    readonly deniedDomains?: readonly string[]
    readonly allowUnixSockets?: readonly string[]
    readonly allowLocalBinding?: boolean
  }
}

export interface UndoSettings {
  /** Folders that undo does not cover: relative to the project, absolute, or below the home folder with `~/`. */
  readonly exclude?: readonly string[]
}

/** Either a variable or a file, and the hosts that get the real value: none at all if the list is empty. */
export interface CredentialSettings {
  readonly env?: string
  readonly file?: string
  readonly hosts: readonly string[]
}

/** A hook group as written; the hooks kit reads the rest of it. */
export interface HookGroup {
  readonly matcher?: string
  readonly hooks: readonly (JsonObject & { readonly type: string })[]
}

/** One settings file. Objects that belong to a room are decoded by that room. */
export interface SettingsFile {
  readonly $schema?: string
  readonly permissions?: PermissionSettings
  readonly allowManagedPermissionRulesOnly?: boolean
  readonly env?: { readonly [name: string]: string | number | boolean }
  readonly hooks?: { readonly [moment: string]: readonly HookGroup[] }
  readonly disableAllHooks?: boolean
  readonly model?: string
  readonly planModel?: string
  readonly smallModel?: string
  readonly subagentModel?: string
  readonly fallbackModel?: string | readonly string[]
  readonly effortLevel?: string
  readonly alwaysThinkingEnabled?: boolean
  readonly showThinkingSummaries?: boolean
  readonly budget?: { readonly usd?: number; readonly tokens?: number }
  readonly statusLine?: JsonObject & { readonly type: string; readonly command: string }
  readonly outputStyle?: string
  readonly language?: string
  readonly includeCoAuthoredBy?: boolean
  readonly attribution?: "always" | "never" | "by-share" | JsonObject
  readonly cleanupPeriodDays?: number
  readonly storage?: StorageSettings
  readonly plansDirectory?: string
  readonly plan?: { readonly enforce?: "off" | "warn" | "pause" }
  readonly gates?: GateSettings
  readonly goal?: GoalSettings
  readonly autoCompact?: boolean
  readonly autoCompactEnabled?: boolean
  readonly apiKeyHelper?: string
  readonly awsAuthRefresh?: string
  readonly otelHeadersHelper?: string
  readonly forceLoginMethod?: string
  readonly enabledMcpjsonServers?: readonly string[]
  readonly disabledMcpjsonServers?: readonly string[]
  readonly enableAllProjectMcpServers?: boolean
  readonly readOnlyMcpServers?: readonly string[]
  readonly lsp?: { readonly [name: string]: LanguageServerSettings }
  readonly languageServers?: "auto" | "configured" | "off"
  readonly sandbox?: SandboxSettings
  readonly undo?: UndoSettings
  readonly enabledPlugins?: JsonObject
  readonly extraKnownMarketplaces?: JsonObject
  readonly strictKnownMarketplaces?: readonly unknown[]
  readonly blockedMarketplaces?: readonly unknown[]
  readonly agent?: string
  readonly claudeMdExcludes?: readonly string[]
  readonly respectGitignore?: boolean
  readonly fileSuggestion?: JsonObject
  readonly skillListingBudgetFraction?: number
  readonly skipDangerousModePermissionPrompt?: boolean
  readonly backgroundAgents?: boolean
  readonly mouse?: boolean
  readonly promptSuggestions?: boolean
  readonly sideColumn?: boolean
  readonly backgroundWorktrees?: boolean
  readonly sessionMessages?: "wake" | "wait" | "off"
  readonly spinnerTipsEnabled?: boolean
  readonly spinnerVerbs?: unknown
  readonly editorMode?: string
  readonly autoConnectIde?: boolean
  readonly diffTool?: "auto" | "terminal"
  readonly vim?: boolean
  readonly theme?: string
  readonly notifications?: "desktop" | "bell" | "off"
  readonly screenReader?: boolean
  readonly keybindings?: JsonObject
  readonly detailedExitCodes?: boolean
  readonly backgroundWaitSeconds?: number
  readonly providers?: { readonly [name: string]: JsonObject }
  readonly compaction?: JsonObject
  readonly memory?: JsonObject
  readonly teams?: JsonObject
  readonly teammateMode?: "auto" | "in-process" | "tmux" | "process" | "fleet"
  readonly teammateIsolation?: "worktree" | "shared"
  readonly server?: ServerSettings
  readonly webSearch?: { readonly endpoint?: string }
  readonly offline?: boolean
  readonly updates?: { readonly source?: string; readonly key?: string }
  readonly network?: NetworkSettings
  readonly telemetry?: TelemetrySettings
}

export interface LanguageServerSettings {
  readonly command?: string
  readonly args?: readonly string[]
  /** Language ids by file extension. */
  readonly extensionToLanguage?: { readonly [extension: string]: string }
  readonly env?: { readonly [name: string]: string }
  readonly initializationOptions?: unknown
  readonly settings?: JsonObject
  readonly disabled?: boolean
}

export interface TelemetrySettings {
  readonly enabled?: boolean
  readonly endpoint?: string
  readonly exporters?: readonly string[]
  readonly file?: string
  readonly prompts?: boolean
  readonly toolInput?: boolean
  readonly toolOutput?: boolean
}

export interface NetworkSettings {
  readonly proxy?: string
  readonly noProxy?: readonly string[]
  readonly caFile?: string
}

export interface GateSettings extends Gates {
  readonly testFiles?: readonly string[]
  readonly testCommands?: readonly string[]
}

export interface GoalSettings {
  readonly maxChecks?: number
  readonly maxSteps?: number
  readonly maxMinutes?: number
  readonly maxBudgetUsd?: number
}

export interface ServerSettings {
  readonly pushBranches?: boolean
  readonly approvalHours?: number
  readonly workplaces?: string
  readonly trees?: TreeSettings
  readonly workspaces?: readonly string[]
  /** `viewers` is the old name of `read`. */
  readonly visibility?: "own" | "read" | "viewers" | "all"
  readonly sharedFolders?: "tell" | "refuse"
  readonly allowOperatorsOutsideSandbox?: boolean
  readonly trustedProxies?: readonly string[]
  readonly retention?: RetentionSettings
  readonly budgets?: BudgetSettings
  readonly limits?: {
    readonly cpus?: number
    readonly memoryMb?: number
    readonly processes?: number
    readonly diskMbPerSecond?: number
  }
  readonly quotas?: { readonly userSessions?: number; readonly repositorySessions?: number }
  readonly url?: string
  readonly webhooks?: readonly WebhookSettings[]
  readonly push?: PushSettings
  readonly mail?: MailSettings
  readonly forges?: readonly ForgeSettings[]
  readonly openid?: OpenIdSettings
  readonly environments?: readonly EnvironmentSettings[]
  readonly database?: DatabaseSettings
}

/** Where a secret comes from: a variable, a file, or a command that prints it. */
export type SecretSettings<Name extends string> = {
  readonly [place in `${Name}Env` | `${Name}File` | `${Name}Helper`]?: string
}

export interface EnvironmentSettings {
  readonly repository: string
  readonly setup?: string
  readonly fromRepository?: boolean
  readonly files?: readonly string[]
  readonly hosts?: readonly string[]
  readonly minutes?: number
  readonly image?: string
}

/** In dollars. */
export interface BudgetSettings {
  readonly userUsdPerDay?: number
  readonly userUsdPerMonth?: number
  readonly repositoryUsdPerDay?: number
  readonly repositoryUsdPerMonth?: number
  readonly fleetUsdPerDay?: number
  readonly fleetUsdPerMonth?: number
}

export interface DatabaseSettings extends SecretSettings<"password"> {
  readonly url?: string
}

export interface ForgeSettings extends SecretSettings<"token"> {
  readonly host: string
  readonly kind?: "github" | "gitlab" | "gitea"
  readonly api?: string
}

/** Signing in with the accounts of a company. */
export interface OpenIdSettings extends SecretSettings<"clientSecret"> {
  readonly issuer: string
  readonly clientId: string
  readonly scopes?: readonly string[]
  readonly nameClaim?: string
  readonly groupsClaim?: string
  readonly roles: {
    readonly admin?: readonly string[]
    readonly operator?: readonly string[]
    readonly viewer?: readonly string[]
  }
  readonly hours?: number
  readonly title?: string
}

/** Days; forever when absent. */
export interface RetentionSettings {
  readonly sessionDays?: number
  readonly auditDays?: number
}

export interface TreeSettings {
  readonly large?: "database" | "source"
  readonly smallMb?: number
  readonly mostMb?: number
  readonly days?: number
  readonly diskGb?: number
}

export interface StorageSettings {
  readonly commandOutputMb?: number
  readonly sessionOutputMb?: number
  readonly totalMb?: number
}

/** An address, itself or by reference, or somebody's mail address. */
export interface WebhookSettings extends SecretSettings<"secret">, SecretSettings<"url"> {
  readonly url?: string
  readonly mail?: string
  readonly format?: "json" | "slack" | "discord" | "ntfy"
  readonly for?: string
  readonly allowPrivate?: boolean
}

/** Notifications of browsers. */
export interface PushSettings extends SecretSettings<"key"> {
  readonly contact?: string
  readonly allowPrivate?: boolean
}

export interface MailSettings {
  readonly from: string
  readonly command?: readonly string[]
}

/** All sources merged, over the defaults; frozen. */
export interface Settings extends Omit<SettingsFile, "permissions" | "env"> {
  readonly permissions: Required<Pick<PermissionSettings, "allow" | "ask" | "deny" | "additionalDirectories">> &
    Pick<PermissionSettings, "disableAutoMode" | "disableBypassPermissionsMode" | "allowBypassAsRoot"> & {
      readonly defaultMode: PermissionMode
    }
  readonly env: { readonly [name: string]: string }
  readonly cleanupPeriodDays: number
  readonly includeCoAuthoredBy: boolean
}

export const defaultSettings: SettingsFile = {
  permissions: { allow: [], ask: [], deny: [], additionalDirectories: [], defaultMode: "default" },
  env: {},
  cleanupPeriodDays: 30,
  includeCoAuthoredBy: true,
}
