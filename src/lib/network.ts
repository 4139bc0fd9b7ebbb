/** How the program reaches other machines. One room makes every connection; the others are given this port. */

import type { IncomingHttpHeaders } from "node:http"
import type { Readable } from "node:stream"
import type { Clock } from "./clock.ts"
import type { Result } from "./result.ts"

/** What a connection is for. */
export const connectionReasons = [
  "model",
  "key",
  "credentials",
  "web",
  "search",
  "mcp",
  "hook",
  "webhook",
  "push",
  "server",
  "command",
  "update",
  "plugin",
  "telemetry",
] as const
export type ConnectionReason = (typeof connectionReasons)[number]

export interface Purpose {
  readonly why: ConnectionReason
  /** Which one: a provider, an MCP server, the event of a hook. */
  readonly name?: string
  /** Addresses that a model, a page or a project's file chose never get the user's client certificate. */
  readonly chosenBy: "user" | "others"
  /** `direct`: past every proxy, to what is only there for this machine. */
  readonly way?: "direct"
}

/** A connection that is about to be made, or that was refused. */
export interface ConnectionFact {
  readonly why: ConnectionReason
  readonly name?: string
  readonly host: string
  readonly port: number
  /** Where it is known: not if a proxy or the runtime looks the name up. */
  readonly ip?: string
  /** The proxy it goes through, as host and port. */
  readonly proxy?: string
  /** It was not made, because the session is offline. */
  readonly refused?: true
}

export type OnConnection = (connection: ConnectionFact) => void

/** A proxy as those need it who speak to it themselves. */
export interface Upstream {
  readonly host: string
  readonly port: number
  /** As host and port: what may be shown. */
  readonly shown: string
  /** The value of the header that signs in. */
  readonly authorization?: string
}

/** What the runtime takes, as far as callers may choose it. */
export interface FetchInit extends Omit<RequestInit, "signal"> {
  readonly signal?: AbortSignal | null
  /** `false`: however long the other end is silent. */
  readonly timeout?: false
}

export interface Network {
  /** Like the global function: it throws. */
  readonly fetch: (purpose: Purpose, url: string | URL, init?: FetchInit) => Promise<Response>
  /** Makes the connection that the next request will use, where that is possible. */
  readonly preconnect: (url: string) => void
  /** One request to one IP address of a host, or to the proxy that its host is reached through. */
  readonly request: (purpose: Purpose, wanted: PinnedRequest) => Promise<Result<HttpAnswer, ConnectionFailure>>
  /** The proxy an address is reached through, as host and port; undefined if it is reached directly. */
  readonly proxyOf: (url: string) => string | undefined
  /** The same for a connection that others make; only proxies that are spoken to without TLS. */
  readonly upstreamOf: (host: string, port: number) => Upstream | undefined
  /** What a request to this address is, for the log; undefined if it is no address. */
  readonly connectionTo: (purpose: Purpose, url: string) => ConnectionFact | undefined
  /** Why nothing like it is contacted, which is told like a connection; undefined if it may be. */
  readonly refusal: (purpose: Purpose, url: string) => string | undefined
  /** Tells of a connection that was made for a command. */
  readonly note: OnConnection
  /** The same network, whose connections are told. */
  readonly observedBy: (onConnection: OnConnection) => Network
}

export interface PinnedRequest {
  readonly address: { readonly url: string; readonly host: string; readonly scheme: "http" | "https" }
  /** Not used if a proxy resolves the name. */
  readonly ip: string
  readonly headers: Readonly<Record<string, string>>
  /** GET, or POST with a body, when absent. */
  readonly method?: string
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly signal: AbortSignal
  readonly clock: Clock
  readonly connectMilliseconds: number
}

/** The head of an answer, with its body as a stream. */
export interface HttpAnswer extends Readable {
  readonly statusCode?: number | undefined
  readonly statusMessage?: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  readonly complete: boolean
}

/** `before` the connection is established, another address of the host may still work. */
export interface ConnectionFailure {
  readonly when: "before" | "after"
  readonly why: string
}

/** For `ip` where a proxy looks the name up. */
export const lookedUpByProxy = ""
