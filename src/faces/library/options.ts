/** What a query is given: the options of the Agent SDK that mean something here. */

import type { PermissionMode } from "./messages.ts"
import type { SdkServer } from "./servers.ts"

type OtherFields = { readonly [field: string]: unknown }

/** A change of what is allowed, as it is suggested to `canUseTool` and may be returned by it. */
export type PermissionUpdate =
  | {
      readonly type: "addRules" | "replaceRules" | "removeRules"
      readonly rules: readonly { readonly toolName: string; readonly ruleContent?: string }[]
      readonly behavior: "allow" | "deny" | "ask"
      readonly destination: PermissionDestination
    }
  | { readonly type: "setMode"; readonly mode: PermissionMode; readonly destination: PermissionDestination }
  | {
      readonly type: "addDirectories" | "removeDirectories"
      readonly directories: readonly string[]
      readonly destination: PermissionDestination
    }

export type PermissionDestination = "userSettings" | "projectSettings" | "localSettings" | "session" | "cliArg"

export type PermissionResult =
  | {
      readonly behavior: "allow"
      readonly updatedInput?: OtherFields
      readonly updatedPermissions?: readonly PermissionUpdate[]
    }
  | { readonly behavior: "deny"; readonly message: string; readonly interrupt?: boolean }

/** Asked when rules and mode leave a call open. */
export type CanUseTool = (
  toolName: string,
  input: OtherFields,
  about: {
    readonly signal: AbortSignal
    readonly suggestions?: readonly PermissionUpdate[]
    readonly toolUseID: string
    readonly decisionReason?: string
    readonly blockedPath?: string
    readonly agentID?: string
  },
) => Promise<PermissionResult>

export type HookInput = OtherFields & { readonly hook_event_name: string; readonly session_id: string }

/** What a hook's program would print as JSON; `{}` for nothing. */
export type HookOutput = OtherFields

export type HookCallback = (
  input: HookInput,
  toolUseID: string | undefined,
  about: { readonly signal: AbortSignal },
) => Promise<HookOutput>

export interface HookCallbackMatcher {
  /** All when absent. */
  readonly matcher?: string
  readonly hooks: readonly HookCallback[]
  /** In seconds. */
  readonly timeout?: number
  /** `block`: if one fails, what the event is about does not happen. */
  readonly onFailure?: "continue" | "block"
}

/** A server wants something from the user: the fields of a form, or a visit to a page. */
export interface ElicitationRequest {
  readonly serverName: string
  readonly message: string
  readonly mode?: "form" | "url"
  readonly url?: string
  readonly elicitationId?: string
  readonly requestedSchema?: OtherFields
}

export interface ElicitationResult {
  readonly action: "accept" | "decline" | "cancel"
  readonly content?: OtherFields
}

/** The folder of a plugin. */
export interface PluginConfig {
  readonly type: "local"
  readonly path: string
  /** Its MCP servers are left out. */
  readonly skipMcpDiscovery?: boolean
}

export interface AgentDefinition {
  readonly description: string
  readonly prompt: string
  readonly tools?: readonly string[]
  readonly disallowedTools?: readonly string[]
  readonly model?: string
  readonly maxTurns?: number
}

export type McpServerConfig =
  | {
      readonly type?: "stdio"
      readonly command: string
      readonly args?: readonly string[]
      readonly env?: { readonly [name: string]: string }
    }
  | {
      readonly type: "http" | "sse"
      readonly url: string
      readonly headers?: { readonly [name: string]: string }
    }
  | SdkServer

export interface Options {
  readonly abortController?: AbortController
  readonly additionalDirectories?: readonly string[]
  readonly agent?: string
  readonly agents?: { readonly [name: string]: AgentDefinition }
  readonly allowDangerouslySkipPermissions?: boolean
  readonly allowedTools?: readonly string[]
  readonly betas?: readonly string[]
  readonly canUseTool?: CanUseTool
  readonly continue?: boolean
  readonly cwd?: string
  readonly disallowedTools?: readonly string[]
  readonly effort?: "low" | "medium" | "high" | "xhigh" | "max"
  /** In place of this program's environment, as a whole: what the session reads, and what its commands get. */
  readonly env?: { readonly [name: string]: string | undefined } | undefined
  /** Further flags of the command line by name; null for a switch. */
  readonly extraArgs?: { readonly [flag: string]: string | null }
  readonly fallbackModel?: string
  readonly forkSession?: boolean
  readonly forwardSubagentText?: boolean
  readonly hooks?: { readonly [event: string]: readonly HookCallbackMatcher[] }
  readonly includeHookEvents?: boolean
  readonly includePartialMessages?: boolean
  readonly maxBudgetUsd?: number
  readonly maxThinkingTokens?: number
  readonly maxTurns?: number
  readonly mcpServers?: { readonly [name: string]: McpServerConfig }
  readonly model?: string
  /** Asked when a server wants something from the user; declined when absent. */
  readonly onElicitation?: (
    request: ElicitationRequest,
    about: { readonly signal: AbortSignal },
  ) => Promise<ElicitationResult>
  readonly outputFormat?: { readonly type: "json_schema"; readonly schema: OtherFields }
  readonly permissionMode?: PermissionMode
  readonly permissionPromptToolName?: string
  readonly persistSession?: boolean
  /** How to plan in plan mode, instead of the usual steps. */
  readonly planModeInstructions?: string
  readonly plugins?: readonly PluginConfig[]
  readonly resume?: string
  readonly resumeSessionAt?: string
  readonly sessionId?: string
  /** A path, or the settings themselves. */
  readonly settings?: string | OtherFields
  /** Which files are read; all when absent, none when empty. */
  readonly settingSources?: readonly ("user" | "project" | "local")[]
  /** Called with each line that is meant for people. */
  readonly stderr?: (line: string) => void
  /** The skills that the model may load; all when absent. */
  readonly skills?: readonly string[] | "all"
  readonly strictMcpConfig?: boolean
  /** The built-in one when absent. The published SDK starts with an empty one instead. */
  readonly systemPrompt?: string | { readonly type: "preset"; readonly preset: "claude_code"; readonly append?: string }
  readonly title?: string
  /** Tools that are called in place of others, by the names of those. */
  readonly toolAliases?: { readonly [name: string]: string }
  readonly tools?: readonly string[] | { readonly type: "preset"; readonly preset: "claude_code" }
}
