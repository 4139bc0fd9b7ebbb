/** The state of a server as a value, and how each event changes it. */

import type { McpConnection, McpFailure, McpOffer } from "#ground/mcp/connection.ts"
import type { McpScope, McpServer, McpServerConfig } from "#ground/mcp/server-config.ts"
import { optional } from "#lib/optional.ts"
import type { JsonObject } from "#lib/json.ts"
import { maskSecrets } from "#lib/mask-secrets.ts"
import type { McpServerState, McpStatus } from "./ports.ts"

export interface ConnectionState {
  readonly status: McpStatus
  readonly reason: string | undefined
  readonly stderrTail: string | undefined
  readonly live: McpConnection | undefined
  /** Kept while a lost server is reconnected, so that its tools do not come and go with every gap. */
  readonly offer: McpOffer
}

export type ReachFailure = McpFailure & { readonly stderrTail?: string }

const nothing: McpOffer = { tools: [], prompts: [], resources: [], templates: [], skills: [] }

export const atFirst = (server: McpServer): ConnectionState => ({
  status: heldStatus(server.held) ?? (server.config.ok ? "connecting" : "failed"),
  reason: server.config.ok ? notStartedReason(server) : server.config.failure,
  stderrTail: undefined,
  live: undefined,
  offer: nothing,
})

export const connecting = (before: ConnectionState): ConnectionState => ({
  ...before,
  status: "connecting",
  reason: undefined,
})

export const connected = (live: McpConnection, offer: McpOffer): ConnectionState => ({
  status: "connected",
  reason: undefined,
  stderrTail: undefined,
  live,
  offer,
})

export const lost = (before: ConnectionState, why: string): ConnectionState => ({
  ...before,
  status: "connecting",
  reason: why,
  live: undefined,
})

export const failedToReach = (name: string, failure: ReachFailure): ConnectionState => ({
  ...(failure.kind === "needs_login"
    ? { status: "needs_login", reason: `${failure.message} Log in with: codewright mcp login ${name}` }
    : { status: "failed", reason: failure.message }),
  stderrTail: failure.stderrTail,
  live: undefined,
  offer: nothing,
})

export const unusable = (before: ConnectionState, why: string): ConnectionState => ({
  ...before,
  status: "failed",
  reason: why,
})

export const closed = (before: ConnectionState): ConnectionState => ({ ...before, live: undefined, offer: nothing })

export const disabled = (before: ConnectionState): ConnectionState => ({
  ...closed(before),
  status: "disabled",
  reason: undefined,
})

export const stateOf = (
  { name, source, config, readOnly, callMs, listed, held }: McpServer,
  { status, reason, stderrTail, live, offer }: ConnectionState,
): McpServerState => ({
  name,
  source,
  provenance: provenanceOf(source, config.ok && config.value.kind === "sdk"),
  kind: config.ok ? config.value.kind : "unknown",
  status,
  ...(status === "needs_approval" && held === "untrusted" && { isUntrusted: true }),
  ...optional("revision", live?.revision),
  ...(live?.hasSkills && { hasSkills: true }),
  ...optional("readOnly", readOnly),
  ...optional("callMs", callMs),
  ...optional("listed", listed),
  ...optional("reason", reason),
  ...optional("stderrTail", stderrTail),
  ...optional("instructions", live?.instructions),
  ...optional("about", live?.about),
  ...optional("identity", live?.identity),
  ...optional("config", config.ok ? shownConfig(name, config.value) : undefined),
  ...offer,
})

/** Only whoever drives the session can bring a server that runs inside it. */
const provenanceOf = (source: McpScope, isInside: boolean): string =>
  isInside ? "sdk" : source === "client" || source === "command line" ? "dynamic" : source

/** The values of variables and headers are often secrets; their names are not. */
function shownConfig(name: string, config: McpServerConfig): JsonObject {
  const hidden = (texts: Readonly<Record<string, string>>): JsonObject =>
    Object.fromEntries(Object.keys(texts).map((key) => [key, "****"]))
  switch (config.kind) {
    case "stdio":
      return {
        type: "stdio",
        command: config.command,
        args: config.args.map(maskSecrets),
        ...(Object.keys(config.env).length > 0 && { env: hidden(config.env) }),
      }
    case "sdk":
      return { type: "sdk", name }
    default:
      return {
        type: config.kind,
        url: maskSecrets(config.url),
        ...(Object.keys(config.headers).length > 0 && { headers: hidden(config.headers) }),
      }
  }
}

const heldStatus = (why: McpServer["held"]): McpStatus | undefined =>
  why === "untrusted" || why === "local" ? "needs_approval" : why

export function notStartedReason({
  name,
  held,
  config,
}: Pick<McpServer, "name" | "held" | "config">): string | undefined {
  switch (held) {
    case "untrusted":
      return "Not started: this folder is not trusted. To trust it: codewright trust"
    case "needs_approval":
      return "Not started: a server of the project's .mcp.json needs your approval."
    case "local": {
      const where = config.ok && "url" in config.value ? ` (${maskSecrets(config.value.url)})` : ""
      return `Its address${where} is on this machine, which a project's file may not reach by itself. To allow this server: codewright mcp approve ${name}`
    }
    case "disabled":
    case undefined:
      return undefined
  }
}
