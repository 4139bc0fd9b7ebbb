/** What the room of MCP servers needs, and what it gives. */

import type { Kit } from "#agent/words/kit.ts"
import type { Answer, QuestionAsk } from "#agent/words/question.ts"
import type { AnyTool } from "#agent/words/tool.ts"
import type {
  McpConnection,
  McpFailure,
  McpHost,
  McpPrompt,
  McpResource,
  McpResourceTemplate,
  McpToolDefinition,
} from "#ground/mcp/connection.ts"
import type { McpScope, McpServer, McpServerConfig } from "#ground/mcp/server-config.ts"
import type { Clock } from "#lib/clock.ts"
import type { JsonValue } from "#lib/json.ts"
import type { Result } from "#lib/result.ts"

export type McpStatus = "connecting" | "connected" | "failed" | "needs_approval" | "needs_login" | "disabled"

/** A server as it is now. */
export interface McpServerState {
  readonly name: string
  readonly source: McpScope
  readonly kind: McpServerConfig["kind"] | "unknown"
  readonly status: McpStatus
  /** The user says that it only reads. */
  readonly readOnly?: true
  /** What is wrong and what to do, where something is. */
  readonly reason?: string
  /** The last of what a program printed as errors. */
  readonly stderrTail?: string
  readonly instructions?: string
  readonly about?: string
  readonly tools: readonly McpToolDefinition[]
  readonly prompts: readonly McpPrompt[]
  readonly resources: readonly McpResource[]
  readonly templates: readonly McpResourceTemplate[]
}

/** One try to reach a server. */
export type ConnectMcp = (
  server: { readonly name: string; readonly source: McpScope; readonly config: McpServerConfig },
  host: McpHost,
  signal: AbortSignal,
) => Promise<Result<McpConnection, McpFailure & { readonly stderrTail?: string }>>

/** Remembers what a tool was when the user let it run without asking. */
export interface KnownDefinitions {
  /** Digests by tool name, as last approved. */
  readonly get: (tool: string) => string | undefined
  readonly set: (tool: string, digest: string, definition: McpToolDefinition) => void
  /** The definition that was kept with a digest; undefined when it was not. */
  readonly definition: (digest: string) => McpToolDefinition | undefined
}

export interface McpPorts {
  readonly servers: readonly McpServer[]
  readonly connect: ConnectMcp
  /** Absolute paths of the folders that the session works in. */
  readonly roots: () => readonly string[]
  readonly clock: Clock
  readonly ask: (ask: QuestionAsk, signal: AbortSignal) => Promise<Answer>
  readonly canAsk: boolean
  readonly known: KnownDefinitions
  /** Keeps what the user said about a server of the project's own file; without it nobody is asked. */
  readonly approve?: (server: McpServer, isApproved: boolean) => Result<void, string>
  /** A warning for the user. */
  readonly warn: (text: string) => void
  readonly limits: McpLimits
  /** How long the first request waits for servers on their way. */
  readonly patienceMs: number
}

export interface McpLimits {
  /** How long a server may take to start. */
  readonly startMs: number
  /** How long a call may go without a word. */
  readonly callMs: number
  /** How many tokens of a result the model gets. */
  readonly outputTokens: number
}

/** The servers of a session, and how long they may take. */
export interface McpChoice {
  readonly servers: readonly McpServer[]
  readonly limits: McpLimits
}

export interface McpRoom {
  readonly kit: Kit
  /** Begins to reach the servers, all in the background; nothing is told or asked before. */
  readonly start: () => void
  /** Those callable now, sorted by name; one whose definition did not change is the same value as before. */
  readonly tools: () => readonly AnyTool[]
  /** Called when tools, prompts, resources or the state of a server changed; the returned function ends it. */
  readonly onChange: (listener: () => void) => () => void
  readonly servers: () => readonly McpServerState[]
  /** Tells the servers that the folders of the session are others now. */
  readonly rootsChanged: () => void
  readonly readResource: (
    server: string,
    uri: string,
    signal: AbortSignal,
  ) => Promise<Result<readonly JsonValue[], string>>
  /** The text of a resource that the user mentioned; nothing when there is no such server. */
  readonly mentioned: (server: string, uri: string, signal: AbortSignal) => Promise<Result<string, string> | undefined>
  readonly getPrompt: (
    server: string,
    request: { readonly name: string; readonly input: Readonly<Record<string, string>> },
    signal: AbortSignal,
  ) => Promise<Result<readonly JsonValue[], string>>
  /** Each resolves when the server's next state is known, with a sentence where it came to nothing. */
  readonly reconnect: (name: string) => Promise<Result<void, string>>
  readonly enable: (name: string) => Promise<Result<void, string>>
  readonly disable: (name: string) => Promise<Result<void, string>>
  /** Resolves when no server is connecting any more, or patience is over, or the signal aborts. */
  readonly settle: (patienceMs: number, signal: AbortSignal) => Promise<void>
  /** Before a request: asks about servers that wait for the user, and waits for those on their way. */
  readonly ready: (signal: AbortSignal) => Promise<void>
  /** Before a call of an earlier process is made: waits for servers on their way as long as they may take to start. */
  readonly arrived: (signal: AbortSignal) => Promise<void>
}
