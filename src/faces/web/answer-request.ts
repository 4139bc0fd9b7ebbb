/** Answers requests to the server: who may come in, what they may have, and what they asked for. */

import type { Server } from "bun"
import type { Clock } from "#lib/clock.ts"
import { DatabaseFull, DatabaseLost } from "#lib/database.ts"
import { digestOf } from "#lib/digest.ts"
import type { JsonObject, JsonValue } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { TokenOwner } from "#fleet/records.ts"
import type { FleetStore } from "#fleet/store.ts"
import type { AhpHost } from "./ahp/shared.ts"
import { auditFile, auditFileHeaders } from "./audit-file.ts"
import { bodyOf, queryOf } from "./body.ts"
import type { Changes } from "./changes.ts"
import type { ClientAddress } from "./client-address.ts"
import { apiDocument } from "./document.ts"
import type { Followers } from "./events.ts"
import type { FailedEntries } from "./failed-entries.ts"
import type { FairQueue } from "./fair-queue.ts"
import { fromHere, hostsOf, mayAct, onlyReads, ownPage } from "./guard.ts"
import type { Limit } from "./limits.ts"
import type { LinkDecisions } from "./link-decisions.ts"
import { type Metrics, metricsPath } from "./metrics.ts"
import type { PageFiles } from "./page-files.ts"
import { type Refusal, refusal } from "./refusal.ts"
import { json, markedJson, nothing, plainHeaders, refusalResponse } from "./responses.ts"
import {
  type Route,
  type RouteAnswer,
  type RouteCall,
  seesAll,
  type ServerContext,
  sessionFor,
  usualVisibility,
  type Visibility,
} from "./route.ts"
import { findRoute, type FoundRoute, match } from "./routes.ts"
import { auditFileQuery, eventsQuery } from "./request-schemas.ts"
import { keyReused } from "./op-answers.ts"
import type { SignIn } from "./sign-in.ts"
import { ahpPath, type SocketData } from "./sockets.ts"
import type { StreamSlot, StreamSlots } from "./stream-slots.ts"
import type { Visitor, Visitors } from "./visitors.ts"

export interface AnsweringParts {
  readonly store: FleetStore
  readonly host: string
  readonly addresses?: readonly string[]
  readonly names?: readonly string[]
  readonly page?: PageFiles
  readonly visibility?: Visibility
  readonly clock: Clock
  /** How long a client may take to send a body. */
  readonly bodyMs: number
  readonly visitors: Visitors
  readonly signIn: SignIn
  readonly linkDecisions: LinkDecisions
  readonly followers: Followers
  readonly slots: StreamSlots
  readonly queue: FairQueue
  readonly changes: Changes
  readonly context: ServerContext
  readonly requests: Limit
  readonly strangers: Limit
  readonly clientAddress: ClientAddress
  readonly failures: FailedEntries
  readonly ready: () => Promise<Response>
  readonly metrics: Metrics
  /** Absent unless the server was started with it. */
  readonly ahp?: AhpHost | undefined
}

/** A client that reads nothing for so long is gone. */
const streamSeconds = 60

/** Undefined for a connection that stays open in both directions from now on. */
export async function answerRequest(
  request: Request,
  server: Server<SocketData>,
  inside: AnsweringParts,
): Promise<Response | undefined> {
  const begunAt = inside.clock.now()
  const answer = await answerOrRefusal(request, server, inside)
  if (answer) inside.metrics.count(answer.status, inside.clock.now() - begunAt)
  return answer
}

async function answerOrRefusal(
  request: Request,
  server: Server<SocketData>,
  inside: AnsweringParts,
): Promise<Response | undefined> {
  try {
    const found = await judged(request, server, inside)
    return found.ok ? found.value : refusalResponse(found.failure)
  } catch (error) {
    if (!(error instanceof DatabaseLost)) throw error
    const why = error instanceof DatabaseFull ? error.message : "The database cannot be reached. Try again in a moment."
    return refusalResponse(refusal("unavailable", why))
  }
}

async function judged(
  request: Request,
  server: Server<SocketData>,
  inside: AnsweringParts,
): Promise<Result<Response | undefined, Refusal>> {
  const { host, addresses = [], names = [], page } = inside
  const here = fromHere(request.headers, hostsOf([host, ...addresses], names, server.port ?? 0))
  if (!here.ok) return here
  const url = new URL(request.url)
  const isRead = onlyReads(request)
  if (isRead && healthPaths.includes(url.pathname)) return ok(json(200, { ok: true }))
  if (isRead && readyPaths.includes(url.pathname)) return ok(await inside.ready())
  const isOfPage = isRead && !url.pathname.startsWith("/api/") && url.pathname !== metricsPath
  const file = isOfPage ? await page?.(url.pathname) : undefined
  if (file) return ok(file)
  const address = inside.clientAddress(server.requestIP(request)?.address ?? "", request.headers)
  await inside.queue.enter(inside.visitors.lane(shownHeaders(request, url, inside), address))
  return admitted(request, server, inside, address)
}

/** Under the names of our own API, and under those that operators try first. */
const healthPaths = ["/api/health", "/healthz"]
const readyPaths = ["/api/ready", "/readyz"]

async function admitted(
  request: Request,
  server: Server<SocketData>,
  inside: AnsweringParts,
  address: string,
): Promise<Result<Response | undefined, Refusal>> {
  const { visitors, strangers, requests } = inside
  const url = new URL(request.url)
  const headers = shownHeaders(request, url, inside)
  const isRead = onlyReads(request)
  const isPatient = strangers.isOpen(address)
  // Whoever has a token or a link is let in whatever others do from the same address, which may be that of a proxy.
  const signed = await signing(request, url, address, inside)
  if (signed?.ok && signed.value.status < 400) return signed
  if (signed) {
    strangers.waitFor(address)
    await inside.failures.note("sign-in failed", address, await reasonOf(signed))
    return isPatient ? signed : failed(tooMany)
  }
  const linked = await inside.linkDecisions.answer(request, url)
  if (linked) {
    if (linked.ok) return linked
    strangers.waitFor(address)
    return isPatient ? linked : failed(tooMany)
  }
  const who = await visitors.of(headers)
  if (!who) {
    strangers.waitFor(address)
    // Without a token it is a page that was opened, and says where to sign in.
    if (headers.has("authorization")) await inside.failures.note("wrong token", address)
    return failed(isPatient ? refusal("unauthorized", "Send a valid token: Authorization: Bearer …") : tooMany)
  }
  if (requests.waitFor(who.name) !== undefined) return failed(tooMany)
  const fromPage = ownPage(request, who)
  if (!fromPage.ok) return fromPage
  if (isRead && url.pathname === metricsPath) return ok(await inside.metrics.answer())
  if (isRead && url.pathname === "/api/openapi.json") return ok(json(200, apiDocument()))
  const events = isRead ? match("/api/sessions/:id/events", url.pathname) : undefined
  if (events) return followed(request, server, inside, { ...who, sessionId: events["id"] ?? "" })
  if (request.method === "GET" && inside.ahp && url.pathname === ahpPath)
    return upgraded(request, server, inside.ahp, { ...inside, headers, who })
  if (isRead && url.pathname === "/api/changes") return changed(request, server, inside, who)
  if (isRead && url.pathname === "/api/audit/file") return audited(request, inside, who)
  return routed(request, url, inside, who)
}

/** As whoever tried was told. A provider may have added words of its own, as long as it likes. */
const reasonOf = async (signed: Result<Response, Refusal>): Promise<string> =>
  (signed.ok ? (await signed.value.clone().text()).trim() : signed.failure.message).slice(0, mostReason)

const mostReason = 500

/** Clients of the Agent Host Protocol cannot send headers, only an address: theirs may have the token in it. */
function shownHeaders(request: Request, url: URL, { ahp }: AnsweringParts): Headers {
  const token = ahp && url.pathname === ahpPath ? url.searchParams.get("token") : null
  if (token === null || request.headers.has("authorization")) return request.headers
  const headers = new Headers(request.headers)
  headers.set("authorization", `Bearer ${token}`)
  return headers
}

function upgraded(
  request: Request,
  server: Server<SocketData>,
  host: AhpHost,
  { slots, visitors, headers, who }: AnsweringParts & { readonly headers: Headers; readonly who: Visitor },
): Result<undefined, Refusal> {
  // A browser adds its cookie to whatever a page opens.
  if (who.by !== "token") return failed(refusal("unauthorized", "Connect with a token, not with a browser's cookie."))
  const gone = new AbortController()
  const slot = slots.acquire(who.name, gone.signal)
  if (!slot) return failed(tooManyStreams)
  const data: SocketData = { host, slot, gone, who: () => visitors.cached(headers) }
  if (server.upgrade(request, { data })) return ok(undefined)
  slot.leave()
  return failed(refusal("bad_request", "This address takes WebSocket connections of the Agent Host Protocol only."))
}

function changed(
  request: Request,
  server: Server<SocketData>,
  inside: AnsweringParts,
  who: Visitor,
): Result<Response, Refusal> {
  const { visitors, visibility = usualVisibility, changes } = inside
  return ok(
    seated(request, server, inside, who, (slot) =>
      changes.follow({
        ...slot,
        of: seesAll(who, visibility) ? undefined : who.name,
        last: request.headers.get("last-event-id") ?? "",
        isWelcome: async () => (await visitors.cached(request.headers))?.role === who.role,
      }),
    ),
  )
}

const tooManyStreams = refusal("too_many", "Too many event streams are open. Close some first.")

/** A stream, if there is a slot for it. */
function seated(
  request: Request,
  server: Server<SocketData>,
  { slots }: AnsweringParts,
  { name }: Visitor,
  follow: (slot: StreamSlot) => ReadableStream<Uint8Array>,
): Response {
  const headers = { ...plainHeaders, "content-type": "text/event-stream" }
  if (request.method === "HEAD") return new Response(null, { headers })
  const slot = slots.acquire(name, request.signal)
  if (!slot) return refusalResponse(tooManyStreams, { connection: "close" })
  // Something is sent every few seconds, so who takes nothing for so long does not read.
  server.timeout(request, streamSeconds)
  return new Response(follow(slot), { headers })
}

async function audited(request: Request, { store }: AnsweringParts, who: Visitor): Promise<Result<Response, Refusal>> {
  const allowed = mayAct(who, "admin")
  if (!allowed.ok) return allowed
  const query = queryOf(new URL(request.url).searchParams, auditFileQuery)
  if (!query.ok) return query
  const { format } = auditFileQuery.parse(query.value)
  if (request.method === "HEAD") return ok(new Response(null, { headers: auditFileHeaders(format) }))
  // Before the file is begun: this is in it, too.
  await store.note(who.name, `audit exported (${format})`)
  return ok(auditFile(store.audit, format))
}

const tooMany = refusal("too_many", "Too many requests. Wait a moment, then try again.")

async function signing(
  request: Request,
  url: URL,
  address: string,
  { signIn }: AnsweringParts,
): Promise<Result<Response, Refusal> | undefined> {
  const fromPage = url.pathname === "/api/sign-in" ? ownPage(request, { by: "cookie" }) : ok(undefined)
  return fromPage.ok ? signIn.answer(request, url, address) : fromPage
}

async function followed(
  request: Request,
  server: Server<SocketData>,
  inside: AnsweringParts,
  who: Visitor & { readonly sessionId: string },
): Promise<Result<Response, Refusal>> {
  const { store, visitors, visibility = usualVisibility, followers } = inside
  const { sessionId } = who
  const session = await sessionFor({ records: store, who, context: { visibility } }, sessionId)
  if (!session) return failed(refusal("not_found", "There is no such session."))
  const query = queryOf(new URL(request.url).searchParams, eventsQuery)
  if (!query.ok) return query
  const last = request.headers.get("last-event-id") ?? ""
  const asked = /^\d{1,9}$/.test(last) ? Number(last) : Number(query.value["after"] ?? 0)
  // Nobody is further than the session is: all who follow it share what is new.
  const after = Math.min(asked, session.events)
  const isWelcome = async (): Promise<boolean> => (await visitors.cached(request.headers)) !== undefined
  return ok(seated(request, server, inside, who, (slot) => followers.follow({ ...slot, sessionId, after, isWelcome })))
}

async function routed(
  request: Request,
  { pathname, searchParams }: URL,
  inside: AnsweringParts,
  who: Visitor,
): Promise<Result<Response, Refusal>> {
  const isRead = onlyReads(request)
  const found = findRoute(isRead ? "GET" : request.method, pathname)
  if (!found) return failed(refusal("not_found", "There is nothing here."))
  const { route } = found
  const allowed = mayAct(who, route.needs)
  if (!allowed.ok) return allowed
  const query = route.query ? queryOf(searchParams, route.query) : ok({})
  if (!query.ok) return query
  const body = route.body
    ? await bodyOf(request, route.body, { clock: inside.clock, bodyMs: inside.bodyMs }, route.mostBytes)
    : ok({})
  if (!body.ok) return body
  const answered = await answerTo(request, inside, { ...found, who, query: query.value, body: body.value })
  if (!answered.ok) return answered
  const { status, body: shown } = answered.value
  if (!shown) return ok(nothing())
  return ok(isRead ? markedJson(request, status, shown) : json(status, shown))
}

interface ToRun extends FoundRoute {
  readonly who: TokenOwner
  readonly query: JsonObject
  readonly body: JsonObject
}

async function answerTo(request: Request, inside: AnsweringParts, asked: ToRun): Promise<RouteAnswer> {
  const key = (request.method === "POST" ? request.headers.get("idempotency-key") : null) ?? undefined
  if (key !== undefined && !/^[\x20-\x7e]{1,200}$/.test(key))
    return failed(refusal("bad_request", "Idempotency-Key has 1 to 200 printable characters."))
  const { store: records, context } = inside
  const { route, at, who, query, body } = asked
  const call = { records, context, who, at, query, body, key }
  const answered = await run(request, inside, route, call)
  if (!answered.ok || !route.complete) return answered
  return route.complete(call, answered.value.body ?? {})
}

/** With a key of the client's it is done once, and the answer kept: refusals too. */
async function run(request: Request, { store }: AnsweringParts, route: Route, call: RouteCall): Promise<RouteAnswer> {
  const { who, key, body } = call
  if (key === undefined || route.repeats === "itself") return route.run(call)
  const wanted = { who: who.name, key, digest: digestOf([request.method, new URL(request.url).pathname, body]) }
  const kept = await store.once(wanted, async (records) => {
    const answered = await route.run({ ...call, records })
    return answered.ok ? { answered: { ...answered.value } } : { refused: { ...answered.failure } }
  })
  return kept.ok ? asAnswer(kept.value) : failed(keyReused)
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
