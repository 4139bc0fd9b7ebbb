/** The server of a fleet: the records over HTTP, for owners of tokens. */

import type { Server } from "bun"
import type { Clock } from "#lib/clock.ts"
import { DatabaseLost } from "#lib/database.ts"
import { digestOf } from "#lib/digest.ts"
import { isObject, type JsonObject, type JsonValue, objectIn } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { TokenOwner } from "#fleet/records.ts"
import type { FleetStore } from "#fleet/store.ts"
import { eventStream } from "./events.ts"
import { fromHere, hostsOf, mayAct, secretIn } from "./guard.ts"
import { type Refusal, refusal, statusOf } from "./refusal.ts"
import { findRoute, type FoundRoute, match, type RouteAnswer } from "./routes.ts"

const mostBytes = 1_000_000

/** A client that sends or reads nothing for so long is gone. */
const idleSeconds = 30

export interface WebServer {
  readonly url: string
  readonly close: () => Promise<void>
}

interface ServerParts {
  readonly store: FleetStore
  readonly host: string
  readonly port: number
  readonly clock: Clock
}

export function openWebServer(parts: ServerParts): WebServer {
  const server = Bun.serve({
    hostname: parts.host,
    port: parts.port,
    idleTimeout: idleSeconds,
    maxRequestBodySize: mostBytes * 2,
    fetch: (request, self) => answer(request, self, parts),
    error: () => told(refusal("unavailable", "Something went wrong here. Try again.")),
  })
  return { url: `http://${parts.host}:${server.port}`, close: () => server.stop(true) }
}

async function answer(request: Request, server: Server<undefined>, parts: ServerParts): Promise<Response> {
  try {
    const answered = await judged(request, server, parts)
    return answered.ok ? answered.value : told(answered.failure)
  } catch (error) {
    if (!(error instanceof DatabaseLost)) throw error
    return told(refusal("unavailable", "The database cannot be reached. Try again in a moment."))
  }
}

async function judged(
  request: Request,
  server: Server<undefined>,
  { store, host, clock }: ServerParts,
): Promise<Result<Response, Refusal>> {
  const here = fromHere(request.headers, hostsOf(host, server.port ?? 0))
  if (!here.ok) return here
  const { pathname, searchParams } = new URL(request.url)
  if (pathname === "/api/health" && request.method === "GET") return ok(json(200, { ok: true }))
  const secret = secretIn(request.headers)
  const who = secret === undefined ? undefined : await store.tokens.owner(secret)
  if (!who) return failed(refusal("unauthorized", "Send a valid token: Authorization: Bearer …"))
  const events = request.method === "GET" ? match("/api/sessions/:id/events", pathname) : undefined
  if (events) {
    if (!(await store.sessions.get(events["id"] ?? "")))
      return failed(refusal("not_found", "There is no such session."))
    server.timeout(request, 0)
    const after = request.headers.get("last-event-id") ?? searchParams.get("after") ?? "0"
    const from = /^\d{1,9}$/.test(after) ? Number(after) : 0
    const stream = eventStream({ store, sessionId: events["id"] ?? "", after: from, clock, signal: request.signal })
    return ok(new Response(stream, { headers: { ...plainHeaders, "content-type": "text/event-stream" } }))
  }
  const found = findRoute(request.method, pathname)
  if (!found) return failed(refusal("not_found", "There is nothing here."))
  const allowed = mayAct(who, found.route.needs)
  if (!allowed.ok) return allowed
  const body = await bodyOf(request, found)
  if (!body.ok) return body
  const answered = await run(request, store, { ...found, who, query: searchParams, body: body.value })
  if (!answered.ok) return answered
  return ok(
    answered.value.body
      ? json(answered.value.status, answered.value.body)
      : new Response(null, { status: 204, headers: plainHeaders }),
  )
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

async function bodyOf(request: Request, { route }: FoundRoute): Promise<Result<JsonObject, Refusal>> {
  if (!route.body) return ok({})
  const text = await textOf(request)
  if (!text.ok) return text
  const given = objectIn(text.value)
  if (!given) return failed(refusal("bad_request", "The body is not a JSON object."))
  const parsed = route.body.safeParse(given)
  if (!parsed.success) {
    const said = parsed.error.issues.map(({ path, message }) => [path.join("."), message].filter(Boolean).join(": "))
    return failed(refusal("invalid", said.join("; ")))
  }
  return isObject(parsed.data) ? ok(parsed.data) : failed(refusal("bad_request", "The body is not a JSON object."))
}

/** Reads no more than it may, whatever the client says about the length. */
async function textOf(request: Request): Promise<Result<string, Refusal>> {
  const tooLarge = failed(refusal("too_large", `A body has at most ${mostBytes} bytes.`))
  if (Number(request.headers.get("content-length") ?? 0) > mostBytes) return tooLarge
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of request.body ?? []) {
    bytes += piece.byteLength
    if (bytes > mostBytes) return tooLarge
    pieces.push(piece)
  }
  return ok(Buffer.concat(pieces).toString("utf8"))
}

const plainHeaders = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const

const json = (status: number, body: JsonObject): Response => Response.json(body, { status, headers: plainHeaders })

const told = (refused: Refusal): Response => json(statusOf(refused), { error: { ...refused } })
