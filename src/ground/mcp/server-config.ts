/** A server as configuration says it: a program to start, or an address to reach. */

import type { Result } from "#lib/result.ts"

export type McpServerConfig =
  | {
      readonly kind: "stdio"
      readonly command: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
    }
  | {
      readonly kind: "http" | "sse"
      readonly url: string
      readonly headers: Readonly<Record<string, string>>
      /** A command that prints further headers as JSON. */
      readonly headersHelper?: string
    }

/** Where a server was configured, the weakest first: a later one with the same name takes its place. */
export const mcpScopes = ["plugin", "user", "project", "local", "command line"] as const
export type McpScope = (typeof mcpScopes)[number]

/** A server that a session knows of. */
export interface McpServer {
  readonly name: string
  readonly source: McpScope
  /** As it is to be started; a sentence where it cannot be understood. */
  readonly config: Result<McpServerConfig, string>
  /** What may not start: because the folder is not trusted, nobody has said yes to it, or somebody has said no. */
  readonly held?: "untrusted" | "needs_approval" | "disabled"
  /** Of what the person is asked to approve. */
  readonly fingerprint?: string
  /** The person says that it only reads: its tools may be used in plan mode. */
  readonly readOnly?: true
}
