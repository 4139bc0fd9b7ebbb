/** What a query yields: the messages of the Agent SDK's protocol, as types. */

export interface TextBlock {
  readonly type: "text"
  readonly text: string
}

export interface ToolUseBlock {
  readonly type: "tool_use"
  readonly id: string
  readonly name: string
  readonly input: { readonly [field: string]: unknown }
}

export interface ThinkingBlock {
  readonly type: "thinking"
  readonly thinking: string
  readonly signature: string
}

export interface OtherBlock {
  readonly type: "redacted_thinking" | "image" | "document"
  readonly [field: string]: unknown
}

export interface ToolResultBlock {
  readonly type: "tool_result"
  readonly tool_use_id: string
  readonly content?: string | readonly (TextBlock | OtherBlock)[]
  readonly is_error?: boolean
}

export interface TokenUsage {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_creation_input_tokens?: number
  readonly cache_read_input_tokens?: number
}

interface Stamped {
  readonly uuid: string
  readonly session_id: string
}

/** Written when a turn begins. */
export interface SDKSystemMessage extends Stamped {
  readonly type: "system"
  readonly subtype: "init"
  readonly cwd: string
  readonly tools: readonly string[]
  readonly mcp_servers: readonly { readonly name: string; readonly status: string }[]
  readonly model: string
  readonly permissionMode: PermissionMode
  readonly slash_commands: readonly string[]
  readonly apiKeySource: string
  readonly claude_code_version: string
  readonly output_style: string
  readonly agents?: readonly string[]
  readonly skills: readonly string[]
}

/** Anything else that is told on the way. */
export interface SDKStatusMessage extends Stamped {
  readonly type: "system"
  readonly subtype:
    | "status"
    | "compact_boundary"
    | "permission_denied"
    | "api_retry"
    | "hook_started"
    | "hook_progress"
    | "hook_response"
    | "task_started"
    | "task_progress"
    | "task_updated"
    | "task_notification"
    | "informational"
  readonly [field: string]: unknown
}

/** One block of an answer. Real usage is in the result. */
export interface SDKAssistantMessage extends Stamped {
  readonly type: "assistant"
  readonly message: {
    readonly id: string
    readonly role: "assistant"
    readonly model: string
    readonly content: readonly (TextBlock | ToolUseBlock | ThinkingBlock | OtherBlock)[]
    readonly stop_reason: string | null
    readonly usage: TokenUsage
  }
  /** The call that started the agent, if another one than the main agent says it. */
  readonly parent_tool_use_id: string | null
  readonly error?: string
}

/** What the user says: also what a program hands in. */
export interface SDKUserMessage {
  readonly type: "user"
  readonly message: {
    readonly role: "user"
    readonly content: string | readonly (TextBlock | ToolResultBlock | OtherBlock)[]
  }
  readonly parent_tool_use_id: string | null
  readonly session_id?: string
  readonly uuid?: string
  readonly tool_use_result?: unknown
  /** Nobody typed it: nothing in it is a command or a mention. */
  readonly isSynthetic?: boolean
  readonly isReplay?: boolean
  /** `now` interrupts what runs, `next` goes into the turn that runs, `later` waits for all others. */
  readonly priority?: "now" | "next" | "later"
  /** Who wrote it; a person (`human`) when absent. */
  readonly origin?: { readonly kind: string; readonly [field: string]: unknown }
  /** `false`: it is added to the next message instead of being answered. */
  readonly shouldQuery?: boolean
  readonly client_composed?: true
  readonly timestamp?: string
}

/** A piece of an answer as the provider streams it, with `includePartialMessages`. */
export interface SDKPartialAssistantMessage extends Stamped {
  readonly type: "stream_event"
  readonly event: { readonly type: string; readonly [field: string]: unknown }
  readonly parent_tool_use_id: string | null
}

export interface PermissionDenial {
  readonly tool_name: string
  readonly tool_use_id: string
  readonly tool_input: { readonly [field: string]: unknown }
}

export interface ModelUsage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadInputTokens: number
  readonly cacheCreationInputTokens: number
  readonly webSearchRequests: number
  readonly costUSD: number
  readonly contextWindow: number
}

interface ResultFields extends Stamped {
  readonly type: "result"
  readonly duration_ms: number
  readonly duration_api_ms: number
  readonly is_error: boolean
  readonly num_turns: number
  readonly stop_reason: string | null
  readonly total_cost_usd: number
  readonly usage: TokenUsage
  readonly modelUsage: { readonly [model: string]: ModelUsage }
  readonly permission_denials: readonly PermissionDenial[]
  /** Tasks of the team that nobody did by the end of the run. */
  readonly open_tasks?: readonly {
    readonly id: string
    readonly subject: string
    readonly status: string
    readonly owner?: string
  }[]
}

export interface SDKResultSuccess extends ResultFields {
  readonly subtype: "success"
  readonly result: string
  /** The answer, when a schema was given. */
  readonly structured_output?: unknown
}

export interface SDKResultError extends ResultFields {
  readonly subtype:
    | "error_during_execution"
    | "error_max_turns"
    | "error_max_budget_usd"
    | "error_max_structured_output_retries"
    /** The team's work is not done. `result` has the lead's last words. */
    | "error_open_tasks"
  readonly errors: readonly string[]
  readonly result?: string
}

/** How a turn ended; one for each prompt. */
export type SDKResultMessage = SDKResultSuccess | SDKResultError

export type SDKMessage =
  | SDKSystemMessage
  | SDKStatusMessage
  | SDKAssistantMessage
  | SDKUserMessage
  | SDKPartialAssistantMessage
  | SDKResultMessage

export type PermissionMode = "default" | "acceptEdits" | "bypassPermissions" | "plan" | "dontAsk" | "auto"
