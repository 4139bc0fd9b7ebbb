/** The server of a fleet: the records over HTTP, for owners of tokens. */

import type { Server } from "bun"
import type { Clock } from "#lib/clock.ts"
import { DatabaseLost } from "#lib/database.ts"
import { digestOf } from "#lib/digest.ts"
import type { JsonObject, JsonValue } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { TokenOwner } from "#fleet/records.ts"
import type { FleetStore } from "#fleet/store.ts"
import { bodyOf, mostBytes } from "./body.ts"
import { eventStream } from "./events.ts"
import { fromHere, hostsOf, mayAct, ownPage } from "./guard.ts"
import { type Refusal, refusal } from "./refusal.ts"
import { json, nothing, plainHeaders, told } from "./responses.ts"
import { findRoute, type FoundRoute, match, type RouteAnswer } from "./routes.ts"
import { openSignIn, type SignIn } from "./sign-in.ts"
import { openVisitors, type Visitor, type Visitors } from "./visitors.ts"

/** A client that sends or reads nothing for so long is gone. */
const idleSeconds = 30

export interface WebServer {
  readonly url: string
  /** An address that signs in whoever opens it first. */
  readonly signInLink: () => string
  readonly close: () => Promise<void>
}

export interface WebServerParts {
  readonly store: FleetStore
  readonly host: string
  readonly port: number
  /** Further addresses of this machine under which it listens, and names under which it may be reached. */
  readonly addresses?: readonly string[]
  readonly names?: readonly string[]
  /** Of whoever started the server. */
  readonly own: TokenOwner & { readonly secret: string }
  /** The files of the page: anybody may have them, there is nothing secret in them. */
  readonly page?: (pathname: string) => Response | undefined
  readonly newSecret: () => string
  readonly clock: Clock
  /** A mistake of ours, for whoever runs the server. */
  readonly report?: (text: string) => void
}

export type ListenFailure = { readonly kind: "cannot_listen"; readonly code: string }

interface Inside extends WebServerParts {
  readonly visitors: Visitors
  readonly signIn: SignIn
}

export function openWebServer(parts: WebServerParts): Result<WebServer, ListenFailure> {
  let port = 0
  const visitors = openVisitors({ ...parts, port: () => port })
  const signIn = openSignIn({ ...parts, visitors, token: parts.own.secret })
  const listening = listen(parts, { ...parts, visitors, signIn })
  if (!listening.ok) return listening
  const server = listening.value
  port = server.port ?? 0
  const url = `http://${shownHost(parts.host)}:${port}`
  return ok({ url, signInLink: () => `${url}${signIn.link()}`, close: () => server.stop(true) })
}

function listen({ host, port, report }: WebServerParts, inside: Inside): Result<Server<undefined>, ListenFailure> {
  try {
    const server = Bun.serve({
      hostname: host,
      port,
      idleTimeout: idleSeconds,
      maxRequestBodySize: mostBytes * 2,
      fetch: (request, self) => answer(request, self, inside),
      error(error) {
        report?.(error.stack ?? String(error))
        return told(refusal("unavailable", "Something went wrong here. Try again."))
      },
    })
    return ok(server)
  } catch (error) {
    return failed({ kind: "cannot_listen", code: codeOf(error) })
  }
}

/** Nobody can open an address that means all of them. */
function shownHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1"
  return host.includes(":") ? `[${host}]` : host
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : String(error)

async function answer(request: Request, server: Server<undefined>, inside: Inside): Promise<Response> {
  try {
    const answered = await judged(request, server, inside)
    return answered.ok ? answered.value : told(answered.failure)
  } catch (error) {
    if (!(error instanceof DatabaseLost)) throw error
    return told(refusal("unavailable", "The database cannot be reached. Try again in a moment."))
  }
}

async function judged(request: Request, server: Server<undefined>, inside: Inside): Promise<Result<Response, Refusal>> {
  const { host, addresses = [], names = [], visitors, signIn, page } = inside
  const here = fromHere(request.headers, hostsOf([host, ...addresses], names, server.port ?? 0))
  if (!here.ok) return here
  const url = new URL(request.url)
  const isRead = request.method === "GET"
  if (isRead && url.pathname === "/api/health") return ok(json(200, { ok: true }))
  if (url.pathname === "/api/sign-in") {
    const fromPage = ownPage(request, { by: "cookie" })
    if (!fromPage.ok) return fromPage
  }
  const signed = await signIn.answer(request, url)
  if (signed) return signed
  const file = isRead && !url.pathname.startsWith("/api/") ? page?.(url.pathname) : undefined
  if (file) return ok(file)
  const who = await visitors.of(request.headers)
  if (!who) return failed(refusal("unauthorized", "Send a valid token: Authorization: Bearer …"))
  const fromPage = ownPage(request, who)
  if (!fromPage.ok) return fromPage
  const events = isRead ? match("/api/sessions/:id/events", url.pathname) : undefined
  if (events) return followed(request, server, inside, events["id"] ?? "")
  return routed(request, url, inside, who)
}

async function followed(
  request: Request,
  server: Server<undefined>,
  { store, clock }: Inside,
  sessionId: string,
): Promise<Result<Response, Refusal>> {
  if (!(await store.sessions.get(sessionId))) return failed(refusal("not_found", "There is no such session."))
  server.timeout(request, 0)
  const after = request.headers.get("last-event-id") ?? new URL(request.url).searchParams.get("after") ?? "0"
  const from = /^\d{1,9}$/.test(after) ? Number(after) : 0
  const stream = eventStream({ store, sessionId, after: from, clock, signal: request.signal })
  return ok(new Response(stream, { headers: { ...plainHeaders, "content-type": "text/event-stream" } }))
}

async function routed(
  request: Request,
  { pathname, searchParams }: URL,
  { store }: Inside,
  who: Visitor,
): Promise<Result<Response, Refusal>> {
  const found = findRoute(request.method, pathname)
  if (!found) return failed(refusal("not_found", "There is nothing here."))
  const allowed = mayAct(who, found.route.needs)
  if (!allowed.ok) return allowed
  const body = found.route.body ? await bodyOf(request, found.route.body) : ok({})
  if (!body.ok) return body
  const answered = await run(request, store, { ...found, who, query: searchParams, body: body.value })
  if (!answered.ok) return answered
  const { status, body: shown } = answered.value
  return ok(shown ? json(status, shown) : nothing())
}

interface ToRun extends FoundRoute {
  readonly who: TokenOwner
  readonly query: URLSearchParams
  readonly body: JsonObject
}

/** With a key of the client's it is done once, and the answer kept: refusals too. */
async function run(request: Request, store: FleetStore, { route, at, who, query, body }: ToRun): Promise<RouteAnswer> {
  const key = request.method === "POST" ? request.headers.get("idempotency-key") : null
  if (key === null) return route.run({ records: store, who, at, query, body })
  if (key === "" || key.length > 200) return failed(refusal("bad_request", "Idempotency-Key has 1 to 200 characters."))
  const wanted = { who: who.name, key, digest: digestOf([request.method, new URL(request.url).pathname, body]) }
  const kept = await store.once(wanted, async (records) => {
    const answered = await route.run({ records, who, at, query, body })
    return answered.ok ? { answered: { ...answered.value } } : { refused: { ...answered.failure } }
  })
  if (!kept.ok) return failed(refusal("conflict", "This Idempotency-Key was used for another request."))
  return asAnswer(kept.value)
}

/** The value is one that `run` has kept. */
function asAnswer(kept: JsonValue): RouteAnswer {
  const { answered, refused } = kept as {
    readonly answered?: { readonly status: number; readonly body?: JsonObject }
    readonly refused?: Refusal
  }
  if (answered) return ok(answered)
  return failed(refused ?? refusal("unavailable", "The answer was not kept."))
}
