/** A server's configuration: a program to start, an address to reach, or one inside the client. */

import type { Result } from "#lib/result.ts"

export type McpServerConfig =
  | {
      readonly kind: "stdio"
      readonly command: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
      /** The session's folder if absent. */
      readonly cwd?: string
    }
  | {
      readonly kind: "http" | "sse"
      readonly url: string
      readonly headers: Readonly<Record<string, string>>
      /** A command that prints further headers as JSON. */
      readonly headersHelper?: string
      /** How to log in, where the server does not take whoever comes. */
      readonly oauth?: OauthConfig
    }
  /** It runs inside the program that drives the session. */
  | { readonly kind: "sdk" }

export interface OauthConfig {
  /** A client that was registered with the server by hand. */
  readonly clientId?: string
  /** The port the browser comes back to, where the server knows one address only. */
  readonly callbackPort?: number
  /** The address of a document that describes the client, for servers that read one. */
  readonly clientMetadataUrl?: string
  readonly scopes?: string
}

/** Weakest first: a later scope overrides a server of the same name. */
export const mcpScopes = ["plugin", "user", "project", "local", "command line", "client"] as const
export type McpScope = (typeof mcpScopes)[number]

export interface McpServer {
  readonly name: string
  readonly source: McpScope
  /** Ready to start; a sentence if it is invalid. */
  readonly config: Result<McpServerConfig, string>
  /**
   * Why it may not start: the folder is not trusted, the server is not approved, it is on this machine and nobody
   * approved that address, or it was turned off.
   */
  readonly held?: "untrusted" | "needs_approval" | "local" | "disabled"
  /** Of what the user is asked to approve. */
  readonly fingerprint?: string
  /** How long a whole call may take, with or without progress; when absent, only silence is limited. */
  readonly callMs?: number
  /** Whether its tools are always listed, or always deferred, unless a tool says otherwise. */
  readonly listed?: boolean
  /** The user says that it only reads: its tools may be used in plan mode. */
  readonly readOnly?: true
}
