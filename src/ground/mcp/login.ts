/** Logs in to a remote server: the user agrees in a browser, which comes back to us with a code. */

import type { Clock } from "#lib/clock.ts"
import type { Ids } from "#lib/ids.ts"
import type { Network } from "#lib/network.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { type Fetch, pinnedFetch, type PinnedRequests, plainFetch } from "./fetches.ts"
import { loginProvider, type LoginStore } from "./login-store.ts"
import type { OauthConfig } from "./server-config.ts"

export interface LoginPorts {
  readonly logins: LoginStore
  readonly ids: Ids
  readonly clock: Clock
  readonly show: (url: string) => void
  readonly network: Network
  /** For a server from a project's file, which may not send us everywhere. */
  readonly pinned?: Pick<PinnedRequests, "send">
  readonly oauth?: OauthConfig | undefined
  /** Of the client that `oauth` names. */
  readonly secret?: string | undefined
}

/** Users are slow, pages too. */
const patienceMs = 5 * 60_000

export async function logIn(
  url: string,
  { logins, ids, clock, show, pinned, network, oauth, secret }: LoginPorts,
  signal: AbortSignal,
): Promise<Result<void, string>> {
  const { auth, computeScopeUnion, extractWWWAuthenticateParams } = await import("@modelcontextprotocol/client")
  const send = pinned ? pinnedFetch(pinned) : plainFetch(network)
  const state = ids.uuid()
  const opened = openCallback(state, oauth?.callbackPort)
  if (!opened.ok) return opened
  const back = opened.value
  const over = new AbortController()
  const cancel = clock.after(patienceMs, () => over.abort())
  const stop = AbortSignal.any([signal, over.signal])
  // A client is registered with the address to come back to, and that is another one each time.
  const before = logins.read(url)
  const onRedirect = (to: URL): void => show(to.href)
  const provider = loginProvider({ url, logins, redirectUrl: back.url, state, onRedirect, oauth, secret })
  try {
    // A client that was registered by hand stays the same one, with its secret.
    const { client } = before ?? {}
    const isKept = secret === undefined && client !== undefined && client.client_id === oauth?.clientId
    logins.write(url, isKept ? { client } : {})
    const refused = await refusal(url, send, stop)
    const { scope, resourceMetadataUrl } = refused ? extractWWWAuthenticateParams(refused) : {}
    const scopes = oauth?.scopes ?? computeScopeUnion(before?.tokens?.scope, before?.wanted, scope)
    const server = {
      serverUrl: url,
      fetchFn: send,
      ...optional("scope", scopes === "" ? undefined : scopes),
      ...optional("resourceMetadataUrl", resourceMetadataUrl),
    }
    if ((await auth(provider, server)) === "AUTHORIZED") return ok(undefined)
    const came = await back.came(stop)
    if (!came.ok) return restored(came.failure)
    const { code, iss } = came.value
    const result = await auth(provider, { ...server, authorizationCode: code, ...(iss !== null && { iss }) })
    return result === "AUTHORIZED" ? ok(undefined) : restored("The server did not accept the login.")
  } catch (error) {
    return restored(`The login failed: ${error instanceof Error ? error.message : String(error)}`)
  } finally {
    cancel()
    back.close()
  }

  /** A failed login leaves the previous one as it was. */
  function restored(why: string): Result<never, string> {
    if (before) logins.write(url, before)
    else logins.forget(url)
    return failed(why)
  }
}

/** How the server refuses whoever has no login: it may say where to get one, and with which rights. */
async function refusal(url: string, send: Fetch, signal: AbortSignal): Promise<Response | undefined> {
  const answer = await send(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "server/discover", params: {} }),
    signal,
  }).catch(() => undefined)
  await answer?.body?.cancel().catch(() => {})
  return answer?.status === 401 ? answer : undefined
}

interface Callback {
  readonly url: string
  readonly came: (
    signal: AbortSignal,
  ) => Promise<Result<{ readonly code: string; readonly iss: string | null }, string>>
  readonly close: () => void
}

/** Listens on this machine only, and only accepts callers who know the state we issued. */
function openCallback(state: string, port = 0): Result<Callback, string> {
  let resolveArrived: (params: URLSearchParams) => void = () => {}
  const arrived = new Promise<URLSearchParams>((resolve) => (resolveArrived = resolve))
  const answer = (request: Request): Response => {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname !== "/callback" || searchParams.get("state") !== state)
      return new Response("Not found", { status: 404 })
    resolveArrived(searchParams)
    return new Response("You can close this page and go back to the terminal.\n", {
      headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
    })
  }
  const server = serve(port, answer)
  if (!server) return failed(`Port ${port} is in use, and the login must come back there. Free it and try again.`)
  return ok({
    // A client that was registered by hand was so for this name, usually.
    url: `http://${port === 0 ? "127.0.0.1" : "localhost"}:${server.port}/callback`,
    async came(signal) {
      const params = await Promise.race([arrived, gaveUp(signal)])
      if (!params) return failed("Nobody logged in within five minutes, or it was interrupted.")
      const code = params.get("code")
      // An error page could say anything, so only the kind of error is reported.
      return code === null
        ? failed(`The login was refused (${wordOf(params.get("error"))}).`)
        : ok({ code, iss: params.get("iss") })
    },
    // The browser still gets its page.
    close: () => void server.stop(),
  })
}

function serve(port: number, answer: (request: Request) => Response): ReturnType<typeof Bun.serve> | undefined {
  try {
    return Bun.serve({ hostname: "127.0.0.1", port, fetch: answer })
  } catch {
    return undefined
  }
}

const wordOf = (error: string | null): string => (error && /^[a-z_]{1,40}$/.test(error) ? error : "no reason given")

const gaveUp = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined)
    else signal.addEventListener("abort", () => resolve(undefined), { once: true })
  })
