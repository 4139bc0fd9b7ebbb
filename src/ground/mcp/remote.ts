/** Transports to remote servers: headers, a helper that prints more of them, and tokens of a login. */

import type { AuthProvider, Transport } from "@modelcontextprotocol/client"
import type { Clock } from "#lib/clock.ts"
import type { Network } from "#lib/network.ts"
import { isObject } from "#lib/json.ts"
import { secretsInHeaders, secretsInUrl } from "#lib/mask-known.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { McpFailure } from "./connection.ts"
import { needsLoginCode } from "./failures.ts"
import { type Fetch, localOrigin, pinnedFetch, type PinnedRequests, plainFetch, traced, unhurried } from "./fetches.ts"
import { loginProvider, type LoginStore } from "./login-store.ts"
import type { McpScope, McpServerConfig, OauthConfig } from "./server-config.ts"

export interface RemotePorts {
  readonly clock: Clock
  /**
   * For servers from a project's file: each connection has its own, so that a server that moved is found again.
   * `local` is a port of this machine that may be reached besides public addresses.
   */
  readonly openPinned: (name: string, local?: string) => Promise<PinnedRequests>
  readonly network: Network
  /** Runs a command that prints headers as JSON. */
  readonly runHelper: (command: string, signal: AbortSignal) => Promise<Result<string, string>>
  readonly logins: LoginStore
  readonly signal: AbortSignal
}

export interface RemoteTransport {
  readonly transport: Transport
  /** A remote session outlives its connections, so the server is told when it ends. */
  readonly leave?: () => Promise<void>
  /** Matches the library's message when there is no point in waiting for the server any more. */
  readonly brokenBy: RegExp
  /** Credentials that are sent with requests: headers, and the token of a login. */
  readonly secrets: () => readonly string[]
}

type RemoteConfig = McpServerConfig & { kind: "http" | "sse" }

export async function openRemoteTransport(
  { name, source, config }: { readonly name: string; readonly source: McpScope; readonly config: RemoteConfig },
  ports: RemotePorts,
): Promise<Result<RemoteTransport, McpFailure>> {
  const headers = await headersOf(config, ports)
  if (!headers.ok) return failed({ kind: "other", message: headers.failure })
  const url = URL.parse(config.url)
  if (url === null) return failed({ kind: "other", message: `${config.url} is no address.` })
  // The author of a project's file chose the address, not the user: every request is checked, redirects too.
  // One on this machine was held back until the user named it, and only its own port is reached.
  const pinned = source === "project" ? await ports.openPinned(name, localOrigin(config.url)) : undefined
  const judged = await pinned?.judge(config.url, ports.signal)
  if (judged && !judged.ok) {
    const { kind, message } = judged.failure
    return failed({ kind: kind === "unreachable" ? "closed" : kind, message })
  }
  const plain = traced(unhurried(pinned ? pinnedFetch(pinned) : plainFetch(ports.network, name), ports.clock))
  const send = noticing(plain, { url: config.url, logins: ports.logins })
  const { StreamableHTTPClientTransport, SSEClientTransport } = await import("@modelcontextprotocol/client")
  const options = {
    requestInit: { headers: headers.value },
    fetch: send,
    authProvider: tokensOf({ url: config.url, send, oauth: config.oauth }, ports.logins),
  }
  const secrets = (): readonly string[] => {
    const { access_token = "", refresh_token = "" } = ports.logins.read(config.url)?.tokens ?? {}
    return [
      ...secretsInUrl(config.url),
      ...secretsInHeaders(Object.entries(headers.value)),
      access_token,
      refresh_token,
    ]
  }
  // The older kind has one stream for everything: without it, no answer comes any more.
  if (config.kind === "sse")
    return ok({ transport: new SSEClientTransport(url, options), brokenBy: /^SSE error/, secrets })
  const transport = new StreamableHTTPClientTransport(url, { ...options, reconnectionOptions })
  // The stream for news is opened again by the library a few times; after that it is gone.
  return ok({
    transport,
    leave: () => transport.terminateSession(),
    brokenBy: /maximum reconnection attempts/i,
    secrets,
  })
}

/** The kit restores lost connections with its own pauses; the library only bridges a short hiccup. */
const reconnectionOptions = {
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 2_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 2,
}

async function headersOf(
  { headers, headersHelper }: RemoteConfig,
  { runHelper, signal }: RemotePorts,
): Promise<Result<Record<string, string>, string>> {
  if (headersHelper === undefined) return ok({ ...headers })
  const printed = await runHelper(headersHelper, signal)
  if (!printed.ok) return failed(`The headersHelper failed: ${printed.failure}`)
  try {
    const value: unknown = JSON.parse(printed.value)
    if (isObject(value) && Object.values(value).every((text) => typeof text === "string"))
      return ok({ ...headers, ...(value as Record<string, string>) })
  } catch {
    // The sentence below serves both.
  }
  return failed("The headersHelper must print one JSON object whose values are texts.")
}

/** Sends the token of an earlier login, and refreshes it. Only the user can start a new login. */
function tokensOf(
  server: { readonly url: string; readonly send: Fetch; readonly oauth?: OauthConfig | undefined },
  logins: LoginStore,
): AuthProvider {
  return {
    token: async () => logins.read(server.url)?.tokens?.access_token,
    async onUnauthorized() {
      const { auth } = await import("@modelcontextprotocol/client")
      if (logins.read(server.url)?.tokens?.refresh_token === undefined) throw needsLogin()
      const provider = loginProvider({ url: server.url, logins, oauth: server.oauth })
      // If a token cannot be refreshed, for whatever reason, the user has to log in again.
      const result = await auth(provider, { serverUrl: server.url, fetchFn: server.send }).catch(() => "REFUSED")
      if (result !== "AUTHORIZED") throw needsLogin()
    },
  }
}

/** Remembers the rights that a server wants beyond those of the login: the next login asks for them. */
function noticing(send: Fetch, { url, logins }: { readonly url: string; readonly logins: LoginStore }): Fetch {
  return async (to, init) => {
    const answer = await send(to, init)
    const wanted =
      answer.status === 403 ? /\bscope="([^"]{1,2000})"/.exec(answer.headers.get("www-authenticate") ?? "") : null
    if (wanted?.[1] !== undefined) logins.write(url, { ...logins.read(url), wanted: wanted[1] })
    return answer
  }
}

/** Thrown into the library, which passes it on to the caller. */
const needsLogin = (): Error => Object.assign(new Error("The server wants a login."), { code: needsLoginCode })
