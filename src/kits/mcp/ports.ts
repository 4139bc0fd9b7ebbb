/** What the room of MCP servers needs and provides. */

import type { Kit } from "#agent/words/kit.ts"
import type { Answer, QuestionAsk } from "#agent/words/question.ts"
import type { AnyTool } from "#agent/words/tool.ts"
import type {
  CompletionRequest,
  McpConnection,
  McpFailure,
  McpHost,
  McpIdentity,
  McpPrompt,
  McpResource,
  McpResourceTemplate,
  McpSkill,
  McpToolDefinition,
} from "#ground/mcp/connection.ts"
import type { McpScope, McpServer, McpServerConfig } from "#ground/mcp/server-config.ts"
import type { Clock } from "#lib/clock.ts"
import type { JsonObject, JsonValue } from "#lib/json.ts"
import type { Result } from "#lib/result.ts"
import type { CallLog } from "./long-call.ts"
import type { SaveFile } from "./saved-files.ts"

export type McpStatus = "connecting" | "connected" | "failed" | "needs_approval" | "needs_login" | "disabled"

export interface McpServerState {
  readonly name: string
  readonly source: McpScope
  /** The source in the words that hooks and clients read. */
  readonly provenance: string
  readonly kind: McpServerConfig["kind"] | "unknown"
  readonly status: McpStatus
  /** It waits for the folder to be trusted: approving it alone starts nothing. */
  readonly isUntrusted?: true
  readonly readOnly?: true
  /** How long a whole call of its tools may take. */
  readonly callMs?: number
  /** Whether its tools are always listed, or always deferred, unless a tool says otherwise. */
  readonly listed?: boolean
  readonly reason?: string
  readonly stderrTail?: string
  readonly instructions?: string
  readonly about?: string
  /** The revision of the protocol that it speaks with us. */
  readonly revision?: string
  /** It may have skills that it does not list. */
  readonly hasSkills?: true
  /** How it introduced itself. */
  readonly identity?: McpIdentity
  /** As configured, without the values of variables and headers. */
  readonly config?: JsonObject
  readonly tools: readonly McpToolDefinition[]
  readonly prompts: readonly McpPrompt[]
  readonly resources: readonly McpResource[]
  readonly templates: readonly McpResourceTemplate[]
  readonly skills: readonly McpSkill[]
}

export type ConnectMcp = (
  server: { readonly name: string; readonly source: McpScope; readonly config: McpServerConfig },
  host: McpHost,
  signal: AbortSignal,
) => Promise<Result<McpConnection, McpFailure & { readonly stderrTail?: string }>>

export interface KnownDefinitions {
  readonly get: (tool: string) => string | undefined
  readonly set: (tool: string, digest: string, definition: McpToolDefinition) => void
  readonly definition: (digest: string) => McpToolDefinition | undefined
}

export interface SkillDigests {
  readonly get: (server: string, uri: string) => string | undefined
  readonly set: (server: string, uri: string, digest: string) => void
}

export interface McpPorts {
  readonly servers: readonly McpServer[]
  readonly connect: ConnectMcp
  /** Absolute paths of the session's folders. */
  readonly roots: () => readonly string[]
  readonly clock: Clock
  readonly ask: (ask: QuestionAsk, signal: AbortSignal) => Promise<Answer>
  readonly canAsk: boolean
  readonly calls: CallLog
  /** Whether somebody can fill in a server's form. */
  readonly canElicit: boolean
  /** Told when a server says that what it wanted at a URL is done. */
  readonly elicited?: (server: string, elicitationId: string) => void
  readonly known: KnownDefinitions
  readonly skillDigests: SkillDigests
  /** The servers whose skills the model was given. */
  readonly skillsInUse?: () => readonly string[]
  /** Saves the user's decision about a server from the project's file; when absent, nobody is asked. */
  readonly approve?: (server: McpServer, isApproved: boolean) => Result<void, string>
  /** Remembers for this folder that a server is off, or on again; when absent, nothing is remembered. */
  readonly keepDisabled?: (name: string, isDisabled: boolean) => Result<void, string>
  /** Logs in to a server; `show` gets the address that the user has to open. */
  readonly login?: (
    server: McpServer,
    show: (url: string) => void,
    signal: AbortSignal,
  ) => Promise<Result<void, string>>
  /** How often the user had all decisions forgotten: an answer from before that does not count. */
  readonly resets?: () => number
  readonly warn: (text: string) => void
  /** For what the model cannot be shown. */
  readonly save?: SaveFile
  readonly limits: McpLimits
  /** How long the first request waits for servers that are connecting. */
  readonly patienceMs: number
}

export interface McpLimits {
  /** How long a server may take to start. */
  readonly startMs: number
  /** How long a call may go without a message. */
  readonly callMs: number
  /** Limit of a result for the model. */
  readonly outputTokens: number
}

export interface McpChoice {
  readonly servers: readonly McpServer[]
  readonly limits: McpLimits
}

/** What became of the servers of a client when they were replaced. */
export interface ServersChange {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** By name: why a server is not connected. */
  readonly errors: Readonly<Record<string, string>>
}

export interface McpRoom {
  readonly kit: Kit
  /** Starts connecting in the background; nothing is shown or asked before. */
  readonly start: () => void
  /** Callable now, sorted by name; a tool with an unchanged definition is the same value as before. */
  readonly tools: () => readonly AnyTool[]
  /** By the server's own names. */
  readonly toolOf: (server: string, tool: string) => AnyTool | undefined
  /** Called when tools, prompts, resources or the state of a server changed; the result unsubscribes. */
  readonly onChange: (listener: () => void) => () => void
  readonly servers: () => readonly McpServerState[]
  /** Those that are not turned off. */
  readonly active: () => readonly McpServerState[]
  readonly hasAny: () => boolean
  readonly rootsChanged: () => void
  readonly readResource: (
    server: string,
    uri: string,
    signal: AbortSignal,
  ) => Promise<Result<readonly JsonValue[], string>>
  /** The text of a resource that the user mentioned; undefined if there is no such server. */
  readonly mentioned: (server: string, uri: string, signal: AbortSignal) => Promise<Result<string, string> | undefined>
  /** The instructions of a server's skill, by the address of its `SKILL.md`. */
  readonly loadSkill: (server: string, uri: string, signal: AbortSignal) => Promise<Result<string, string>>
  /** Addresses of what is directly in a folder of a server. */
  readonly readFolder: (server: string, uri: string, signal: AbortSignal) => Promise<Result<readonly string[], string>>
  /** A skill by its address, also if the server does not list it. */
  readonly getSkill: (server: string, uri: string, signal: AbortSignal) => Promise<Result<McpSkill, string>>
  /** The files of skills as they were when they were allowed, each by its server and address. */
  readonly skillDigests: SkillDigests
  readonly getPrompt: (
    server: string,
    request: { readonly name: string; readonly input: Readonly<Record<string, string>> },
    signal: AbortSignal,
  ) => Promise<Result<readonly JsonValue[], string>>
  /** What an argument of a prompt could be; nothing where the server does not say. */
  readonly complete: (server: string, request: CompletionRequest, signal: AbortSignal) => Promise<readonly string[]>
  /** Each resolves when the server's next state is known, with a message if it failed. */
  readonly reconnect: (name: string) => Promise<Result<void, string>>
  readonly enable: (name: string) => Promise<Result<void, string>>
  readonly disable: (name: string) => Promise<Result<void, string>>
  /** Also in later sessions of this folder, until it is enabled. */
  readonly disableHere: (name: string) => Promise<Result<void, string>>
  /** Resolves when the address is shown that the user has to open; the server is reached again once they agreed there. */
  readonly login: (name: string) => Promise<Result<void, string>>
  /** Replaces the servers that the client brought along; all others stay. */
  readonly replace: (servers: readonly McpServer[]) => Promise<ServersChange>
  readonly settle: (patienceMs: number, signal: AbortSignal) => Promise<void>
  /** Before a request: asks about servers that need approval, and waits for those connecting. */
  readonly ready: (signal: AbortSignal) => Promise<void>
  /** Before a call of an earlier process is made: waits for connecting servers as long as they may take to start. */
  readonly arrived: (signal: AbortSignal) => Promise<void>
}
