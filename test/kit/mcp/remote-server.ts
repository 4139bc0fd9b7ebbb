/** An MCP server at an address of this machine, by hand: it can want headers or a login, and give both out. */

import { isObject, type JsonObject } from "#lib/json.ts"

export interface RemoteServer extends AsyncDisposable {
  readonly url: string
  /** What came: method and path of HTTP, or the method of a message. */
  readonly seen: readonly string[]
  /** The headers of the last message. */
  readonly headers: () => Headers | undefined
  /** From here on no token is taken that was given out before. */
  readonly revoke: () => void
}

export interface RemoteOptions {
  /** `login`: only who has logged in; `refuse`: the person does not agree. */
  readonly auth?: "login" | "refuse"
  /** With this key and certificate, by https. */
  readonly tls?: { readonly key: string; readonly cert: string }
  /** What is answered in place of what is right, where anything is. */
  readonly instead?: (request: Request, message: JsonObject | undefined) => Response | undefined
}

export function openRemoteServer({ auth, tls, instead }: RemoteOptions = {}): RemoteServer {
  const seen: string[] = []
  const tokens = new Set<string>()
  let last: Headers | undefined
  let made = 0

  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    // On a busy machine a test may pause for longer than the usual ten seconds.
    idleTimeout: 0,
    ...(tls && { tls }),
    async fetch(request) {
      const url = new URL(request.url)
      if (url.pathname !== "/mcp") {
        seen.push(`${request.method} ${url.pathname}`)
        return auth ? login(url, request) : new Response("", { status: 404 })
      }
      if (request.method !== "POST") return instead?.(request, undefined) ?? new Response("", { status: 405 })
      const token = request.headers.get("authorization")?.replace("Bearer ", "") ?? ""
      if (auth && !tokens.has(token))
        return new Response("", {
          status: 401,
          headers: { "www-authenticate": `Bearer resource_metadata="${base()}/.well-known/oauth-protected-resource"` },
        })
      last = request.headers
      const message: unknown = await request.json()
      if (!isObject(message)) return new Response("", { status: 400 })
      seen.push(String(message.method))
      const other = instead?.(request, message)
      if (other) return other
      return message.id === undefined ? new Response("", { status: 202 }) : Response.json(answerTo(message))
    },
  })
  const base = (): string => `${tls ? "https" : "http"}://127.0.0.1:${server.port}`

  async function login(url: URL, request: Request): Promise<Response> {
    switch (url.pathname) {
      case "/.well-known/oauth-protected-resource":
      case "/.well-known/oauth-protected-resource/mcp":
        return Response.json({ resource: `${base()}/mcp`, authorization_servers: [base()] })
      case "/.well-known/oauth-authorization-server":
        return Response.json({
          issuer: base(),
          authorization_endpoint: `${base()}/authorize`,
          token_endpoint: `${base()}/token`,
          registration_endpoint: `${base()}/register`,
          response_types_supported: ["code"],
          grant_types_supported: ["authorization_code", "refresh_token"],
          code_challenge_methods_supported: ["S256"],
          token_endpoint_auth_methods_supported: ["none"],
        })
      case "/register": {
        const asked: unknown = await request.json()
        return Response.json({ ...(isObject(asked) ? asked : {}), client_id: `client-${++made}` }, { status: 201 })
      }
      case "/authorize": {
        const back = new URL(url.searchParams.get("redirect_uri") ?? "")
        back.searchParams.set("state", url.searchParams.get("state") ?? "")
        if (auth === "refuse") back.searchParams.set("error", "access_denied")
        else back.searchParams.set("code", "the-code")
        return Response.redirect(back.href)
      }
      case "/token": {
        const form = new URLSearchParams(await request.text())
        const isGood = form.get("code") === "the-code" || form.get("refresh_token") === "refresh"
        if (!isGood) return Response.json({ error: "invalid_grant" }, { status: 400 })
        const token = `token-${++made}`
        tokens.add(token)
        return Response.json({ access_token: token, token_type: "Bearer", refresh_token: "refresh", expires_in: 3600 })
      }
      default:
        return new Response("", { status: 404 })
    }
  }

  return {
    url: `${base()}/mcp`,
    seen,
    headers: () => last,
    revoke: () => tokens.clear(),
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}

/** The older kind: one stream for everything that the server says, and messages posted beside it. */
export function olderKind(): Required<Pick<RemoteOptions, "instead">> & { readonly drop: () => void } {
  let stream: ReadableStreamDefaultController<string> | undefined
  const tell = (text: string): void => stream?.enqueue(text)
  return {
    drop() {
      stream?.close()
      stream = undefined
    },
    instead(request, message) {
      if (request.method === "GET")
        return new Response(
          new ReadableStream<string>({
            start(controller) {
              stream = controller
              tell("event: endpoint\ndata: /mcp?session=1\n\n")
            },
          }).pipeThrough(new TextEncoderStream()),
          { headers: { "content-type": "text/event-stream" } },
        )
      if (message?.id !== undefined) void asEvents(message).text().then(tell)
      return new Response("", { status: 202 })
    },
  }
}

/** What is right to answer, as a stream of events. */
export const asEvents = (message: JsonObject): Response =>
  new Response(`event: message\ndata: ${JSON.stringify(answerTo(message))}\n\n`, {
    headers: { "content-type": "text/event-stream" },
  })

function answerTo({ id, method, params }: JsonObject): object {
  const given = isObject(params) ? params : {}
  const result = (value: object): object => ({ jsonrpc: "2.0", id, result: value })
  switch (method) {
    case "initialize":
      return result({
        protocolVersion: given.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "remote", version: "1" },
      })
    case "tools/list":
      return result({ tools: [{ name: "ping", inputSchema: { type: "object" } }] })
    case "tools/call":
      return result({ content: [{ type: "text", text: "pong" }] })
    default:
      return { jsonrpc: "2.0", id, error: { code: -32601, message: "unknown" } }
  }
}
