/** HTTP inside a tunnel: each request must be for the host of the tunnel; secrets of that host are put in on the way. */

import { type Exchanged, openRedaction, secretsInto } from "#ground/sandbox/credentials/exchange.ts"
import { ok, type Result } from "#lib/result.ts"
import type { ConnectionWish } from "./gate.ts"
import { type AnswerChange, exchange, requestHeaders, upgradeOf } from "./http-exchange.ts"
import {
  type Header,
  innerPath,
  parseRequestHead,
  type RequestHead,
  requestFraming,
  valuesOf,
  writeHead,
} from "./http-head.ts"
import { finish, readHead, say, sayBad } from "./http-talk.ts"
import { plainHost } from "./hosts.ts"
import type { Service } from "./service.ts"
import type { Wire } from "./wire.ts"

export interface InnerParts {
  readonly client: Wire
  readonly wish: ConnectionWish
  readonly service: Service
  /** A connection to the host; the failure says why there is none. */
  readonly dial: () => Promise<Result<Wire, string>>
  /** What belongs to the host now; nothing in plain HTTP. */
  readonly secrets: () => readonly Exchanged[]
}

export interface InnerEnd {
  /** The connection that client and server use for something else now. */
  readonly switched?: { readonly server: Wire; readonly answer: AnswerChange | undefined }
}

export async function serveInner(parts: InnerParts): Promise<InnerEnd> {
  const { client, service } = parts
  let server: Wire | undefined
  for (;;) {
    const text = await readHead(client, service.clock)
    const head = text?.ok ? parseRequestHead(text.value) : text
    if (!head?.ok) {
      server?.destroy()
      if (head) await sayBad(client, service.clock, head.failure)
      return {}
    }
    if (server !== undefined && hasLeft(server)) {
      server.destroy()
      server = undefined
    }
    const served = await serveOne(parts, head.value, server)
    if (served.end === "switched") return { switched: served }
    server = served.server
    if (served.end === "over") return {}
  }
}

type Served =
  /** With the connection for the next request, if it can be used again. */
  | { readonly end: "more"; readonly server: Wire | undefined }
  | { readonly end: "over"; readonly server?: undefined }
  | { readonly end: "switched"; readonly server: Wire; readonly answer: AnswerChange | undefined }

async function serveOne(parts: InnerParts, request: RequestHead, before: Wire | undefined): Promise<Served> {
  const { client, wish, service, dial } = parts
  const { clock } = service
  const over = async (work: Promise<void>): Promise<Served> => {
    await work
    before?.destroy()
    return { end: "over" }
  }
  const path = innerPath(request, wish)
  if (!path.ok) {
    const other = plainHost(valuesOf(request, "host")[0]?.replace(/:\d+$/, "") ?? "")
    if (other.ok && other.value !== wish.host) service.misnamed({ ...wish, host: other.value })
    return over(sayBad(client, clock, path.failure))
  }
  const framing = requestFraming(request)
  if (!framing.ok) return over(sayBad(client, clock, framing.failure))
  const connected = before ? ok(before) : await dial()
  if (!connected.ok) return over(say(client, clock, "502 Bad Gateway", connected.failure))
  const server = connected.value
  const { head, answer } = prepared(parts, request, path.value)
  const { client: end, isReusable } = await exchange({
    client,
    server,
    request,
    framing: framing.value,
    head,
    ...(answer && { answer }),
  })
  if (end === "switched") return { end, server, answer }
  if (end === "more" && isReusable) return { end, server }
  server.destroy()
  if (end === "more") return { end, server: undefined }
  // The server may just have closed a connection that was used before: a client that sees the same tries again.
  if (end === "broken" || (end === "nothing" && before !== undefined)) client.destroy()
  else if (end === "nothing")
    await say(client, clock, "502 Bad Gateway", `${wish.host} closed the connection without a valid answer.`)
  else if (end === "compressed") await say(client, clock, "502 Bad Gateway", compressed(wish.host))
  else await finish(client, clock)
  return { end: "over" }
}

const compressed = (host: string): string =>
  `${host} sent a compressed answer although it was asked not to. The sandbox cannot look into it for your credentials.`

function prepared(
  { secrets }: InnerParts,
  request: RequestHead,
  path: string,
): { readonly head: Buffer; readonly answer: AnswerChange | undefined } {
  const credentials = secrets()
  const upgrade = upgradeOf(request)
  const { headers, put } = secretsInto(requestHeaders(request), credentials)
  const connection = upgrade === undefined ? [] : [headerOf("Upgrade", upgrade), headerOf("Connection", "upgrade")]
  const host = valuesOf(request, "host").map((value) => headerOf("Host", value))
  const first = `${request.method} ${path} HTTP/${request.version}`
  if (credentials.length === 0)
    return { head: writeHead(first, [...host, ...headers, ...connection]), answer: undefined }
  const { stream, text } = openRedaction([...put, ...credentials])
  // What is compressed could repeat a secret unseen.
  const readable = headers.filter(({ name }) => !/^(?:accept-encoding|sec-websocket-extensions)$/i.test(name))
  const identity = headerOf("Accept-Encoding", "identity")
  return {
    head: writeHead(first, [...host, ...readable, identity, ...connection]),
    answer: { text, body: stream, needsPlain: put.length > 0 },
  }
}

const headerOf = (name: string, value: string): Header => ({ name, value })

function hasLeft(wire: Wire): boolean {
  let isOver = wire.isClosed()
  wire.whenLeft(() => (isOver = true))()
  return isOver
}
